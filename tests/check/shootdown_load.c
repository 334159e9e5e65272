/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often CPUs together can map a page, write to it, unmap it and flush it, and how many IPIs that
 * takes.
 *
 * shootdown/tlb-flush: in one address space that all run, each in a region of its own (as
 * will-it-scale's tlb_flush2_threads). shootdown/private-spaces: each CPU in a space of its own, and
 * one space that goes round among them. Page tables are there before. The others have interrupts on,
 * CPUs that take no part wait as others= says. A rate is that of all CPUs together by CPU 0's clock:
 * what they have done between the common start and its own end. Any of them ends a round when its
 * own clock says so: one that does nothing but answer others can't.
 *
 * The verdict is on counts: one IPI for each CPU that the policy has to ask, and an answer to each;
 * one TLBSYNC for each flush that is broadcast. Where INVLPGB is modelled such a row has no rate.
 */
#include "arch/x86/clock.h"
#include "arch/x86/cycles.h"
#include "arch/x86/divide.h"
#include "kernel/harness/report.h"
#include "kernel/harness/space_axes.h"
#include "kernel/smp.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "tests/bench/shootdown_loop.h"

#define ROUNDS     6        /* the fewest with a 95% interval */
#define START_US   20000000 /* for all to begin and to end; one flush may take ten seconds */
#define ROUND_US   5000     /* and so much more for each CPU: each must get its turn there */
#define CPU_US     1000
#define FULL_TIMES 10 /* as long in suite=full */

#define REGIONS_BASE (1ull << 30)
#define REGION_BYTES (1ull << 21) /* a page table each */
#define GUEST_BASE   (1ull << 29)
#define GUEST_EVERY  16 /* loops at home, then a visit if it is this CPU's turn */
#define GUEST_LOOPS  4  /* in the space that goes round */

enum { AT_CPUS, AT_POLICY };

struct worker {
	struct cpu *cpu;
	struct address_space *space; /* where it is at home */
	struct address_space own;
	uint64_t va, frame;
	uint64_t loops;
	bool failed;
} __attribute__((aligned(CACHE_LINE)));

/* One row, of rounds. */
static struct {
	struct worker *workers;
	uint32_t nr;
	uint32_t us;
	bool is_private;             /* shootdown/private-spaces */
	bool all_are_global;         /* every space has a global ASID from the start */
	struct address_space shared; /* of all, or the one that goes round */
	uint32_t ready, done;
	bool go __attribute__((aligned(CACHE_LINE)));
	bool stop;
	uint32_t turn __attribute__((aligned(CACHE_LINE))); /* whose visit it is */
} load;

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void stop_all(void)
{
	__atomic_store_n(&load.stop, true, __ATOMIC_RELEASE);
}

static bool wait_for(const uint32_t *count, uint32_t wanted)
{
	uint64_t deadline = clock_deadline(START_US);

	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

static void do_loop(struct worker *w, struct address_space *space, uint64_t va)
{
	if (shootdown_loop(space, va, w->frame)) {
		/* By this CPU alone, but CPU 0 looks at it. */
		__atomic_store_n(&w->loops, w->loops + 1, __ATOMIC_RELAXED);
		return;
	}
	w->failed = true;
	stop_all();
}

/* Nobody else runs the space until the turn is given on. */
static void visit(struct worker *w)
{
	uint32_t me = w - load.workers;

	if (__atomic_load_n(&load.turn, __ATOMIC_ACQUIRE) != me)
		return;
	address_space_switch(&load.shared);
	for (unsigned i = 0; i < GUEST_LOOPS; i++)
		do_loop(w, &load.shared, GUEST_BASE);
	address_space_switch(w->space);
	__atomic_store_n(&load.turn, me + 1 < load.nr ? me + 1 : 0, __ATOMIC_RELEASE);
}

static void loop_until_stop(struct worker *w)
{
	uint64_t stop_at = clock_deadline(load.us);

	for (unsigned i = 1; !is_set(&load.stop); i++) {
		do_loop(w, w->space, w->va);
		if (load.is_private && i % GUEST_EVERY == 0)
			visit(w);
		if (clock_passed(stop_at))
			stop_all();
	}
}

/* On every CPU of the round. All run their space from before the first loop until after the last. */
static void begin(struct worker *w)
{
	address_space_switch(w->space);
	__atomic_add_fetch(&load.ready, 1, __ATOMIC_ACQ_REL);
	sti();
}

static void end(void)
{
	__atomic_add_fetch(&load.done, 1, __ATOMIC_ACQ_REL);
	wait_for(&load.done, load.nr);
	cli();
	address_space_switch(NULL);
}

static void work(void *worker)
{
	uint64_t deadline = clock_deadline(START_US);

	begin(worker);
	while (!is_set(&load.go) && !clock_passed(deadline))
		pause();
	loop_until_stop(worker);
	end();
}

static uint64_t count_loops(void)
{
	uint64_t loops = 0;

	for (uint32_t i = 0; i < load.nr; i++)
		loops += __atomic_load_n(&load.workers[i].loops, __ATOMIC_RELAXED);
	return loops;
}

/* What the rounds of a row came to. */
struct outcome {
	int64_t rates[ROUNDS];
	uint32_t rounds;
	const char *wrong; /* no round after it */
};

/* CPU 0's part, timed. */
static void take_part(struct outcome *o)
{
	uint64_t from = count_loops(), started = cycles_now(), ticks;

	__atomic_store_n(&load.go, true, __ATOMIC_RELEASE);
	loop_until_stop(&load.workers[0]);
	ticks = cycles_now() - started;
	o->rates[o->rounds++] =
		divide_signed((count_loops() - from) * (clock.tsc_hz / 1000), ticks / 1000);
}

static void run_round(struct outcome *o)
{
	load.ready = load.done = 0;
	load.go = load.stop = false;
	for (uint32_t i = 1; i < load.nr; i++)
		smp_start_on(load.workers[i].cpu, work, &load.workers[i]);
	begin(&load.workers[0]);
	if (wait_for(&load.ready, load.nr))
		take_part(o);
	else
		o->wrong = "a CPU did not begin in time";
	stop_all();
	__atomic_store_n(&load.go, true, __ATOMIC_RELEASE);
	end();
	sti();
	for (uint32_t i = 1; i < load.nr; i++) {
		if (!smp_wait(load.workers[i].cpu, START_US))
			o->wrong = "a CPU did not end in time";
	}
	for (uint32_t i = 0; i < load.nr; i++) {
		if (load.workers[i].failed)
			o->wrong = "a page could not be mapped, or a CPU did not answer";
	}
}

/* One worker, its space and its page; false: no memory. */
static bool prepare_worker(struct worker *w, struct cpu *cpu, const struct flush_policy *policy)
{
	*w = (struct worker){.cpu = cpu, .space = load.is_private ? &w->own : &load.shared};
	w->va = REGIONS_BASE + (w - load.workers) * REGION_BYTES;
	w->frame = frame_alloc_zeroed();
	if (load.is_private && !address_space_create(w->space, policy, space_axes_pti()))
		return false;
	return w->frame && shootdown_loop_prepare(w->space, w->va);
}

/* The first `n` online. */
static bool prepare(uint32_t n, const struct flush_policy *policy)
{
	load.nr = 0;
	load.turn = 0;
	load.workers = kernel_memory_alloc(n * sizeof(*load.workers));
	if (!load.workers || !address_space_create(&load.shared, policy, space_axes_pti()) ||
	    !shootdown_loop_prepare(&load.shared, GUEST_BASE))
		return false;
	for (uint32_t i = 0; i < nr_cpus && load.nr < n; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE &&
		    !prepare_worker(&load.workers[load.nr++], cpus[i], policy))
			return false;
	}
	return true;
}

static bool is_global(const struct address_space *space)
{
	return space_global_asid(&space->global) != GLOBAL_ASID_NONE;
}

/* As long as there are ASIDs. */
static bool are_all_global(void)
{
	bool all = is_global(&load.shared);

	for (uint32_t i = 0; i < load.nr; i++)
		all &= is_global(load.workers[i].space);
	return all;
}

static void clean_up(uint32_t n)
{
	for (uint32_t i = 0; i < load.nr; i++) {
		if (load.is_private)
			address_space_destroy(&load.workers[i].own);
		if (load.workers[i].frame)
			frames_free(load.workers[i].frame, 1);
	}
	address_space_destroy(&load.shared);
	kernel_memory_free(load.workers, n * sizeof(*load.workers));
}

/* How many CPUs one flush has to ask. */
static uint32_t targets(const struct flush_policy *policy)
{
	if (policy->everyone)
		return smp.online - 1;
	return load.is_private ? 0 : load.nr - 1;
}

static const struct axis cpus_axis = {
	.key = "cpus",
	.nr = 12,
	.values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, AXIS_ALL_CPUS},
};

#define LOAD_AXES                              \
	{                                      \
		&cpus_axis, &space_policy_axis \
	}

static const struct axis *const load_axes[AXES_MAX] = LOAD_AXES;

static bool applies(const struct axis_point *p)
{
	return space_policy_applies(p->values[AT_POLICY]) && p->values[AT_CPUS] <= smp.online;
}

/* What all CPUs did in a row, whether they took part or not. */
struct sums {
	uint64_t loops, flushes, ipis, served, invlpgbs, tlbsyncs;
};

/* Without what it took to give ASIDs again. */
static struct sums sums_since(const struct shootdown_counts *before)
{
	struct shootdown_counts now = shootdown_counts_total();
	uint64_t rollovers = now.rollovers - before->rollovers;

	return (struct sums){
		.loops = count_loops(),
		.flushes = now.flushes - before->flushes,
		.ipis = now.ipis - before->ipis,
		.served = now.served - before->served,
		.invlpgbs = now.invlpgbs - before->invlpgbs - rollovers,
		.tlbsyncs = now.tlbsyncs - before->tlbsyncs - rollovers,
	};
}

/*
 * Each loop is one flush, which either asks all it must by IPI or ends in one TLBSYNC. In a space
 * that is given a global ASID meanwhile there are flushes of both kinds, and of those that are both.
 */
static bool is_right(const struct sums *s, const struct flush_policy *policy, uint64_t by_ipi)
{
	if (s->flushes != s->loops || s->served != s->ipis)
		return false;
	if (load.all_are_global)
		return !s->ipis && s->tlbsyncs == s->loops;
	if (policy->broadcast)
		return s->ipis <= by_ipi && s->tlbsyncs <= s->loops;
	return s->ipis == by_ipi && !s->tlbsyncs;
}

static enum check_result judge(struct check_report *report, const struct sums *s,
			       const struct flush_policy *policy)
{
	uint64_t by_ipi = s->loops * targets(policy);

	if (!is_right(s, policy, by_ipi))
		return check_end(
			report, CHECK_FAIL,
			"%lu loops, %lu flushes, %lu IPIs of %lu, %lu answered, %lu TLBSYNCs",
			s->loops, s->flushes, s->ipis, load.all_are_global ? 0 : by_ipi, s->served,
			s->tlbsyncs);
	if (policy->broadcast)
		return check_end(report, CHECK_PASS, "%lu loops, %lu IPIs, %lu TLBSYNCs", s->loops,
				 s->ipis, s->tlbsyncs);
	return check_end(report, CHECK_PASS, "%lu loops, %lu IPIs", s->loops, s->ipis);
}

static enum check_result run(struct check_report *report, const struct axis_point *at,
			     const char *name)
{
	static struct outcome o;
	const struct flush_policy *policy = &flush_policies[at->values[AT_POLICY]];
	uint32_t n = at->values[AT_CPUS];
	struct shootdown_counts before;
	struct sums sums;
	enum check_result result;

	o = (struct outcome){.rounds = 0};
	load.us = (ROUND_US + CPU_US * n) * (report->suite == SUITE_FULL ? FULL_TIMES : 1);
	if (!prepare(n, policy)) {
		clean_up(n);
		return check_end(report, CHECK_SKIP, "no memory for its address spaces");
	}
	load.all_are_global = are_all_global();
	before = shootdown_counts_total();
	while (o.rounds < ROUNDS && !o.wrong)
		run_round(&o);
	if (o.wrong) /* Who did not end may still run a space: nothing is given back. */
		return check_end(report, CHECK_FAIL, "%s", o.wrong);
	sums = sums_since(&before);
	result = judge(report, &sums, policy);
	if (result == CHECK_PASS)
		report_rate(&(struct report_rate){
			.name = name,
			.axes = load_axes,
			.at = *at,
			.unit = "loops/s",
			.rounds = o.rates,
			.nr_rounds = o.rounds,
			.ipis = sums.ipis,
			.invlpgbs = sums.invlpgbs,
			.modelled = policy->broadcast && space_broadcast_is_modelled(),
		});
	clean_up(n);
	return result;
}

static enum check_result run_shared(struct check_report *report, const struct axis_point *at)
{
	load.is_private = false;
	return run(report, at, "shootdown/tlb-flush");
}

static enum check_result run_private(struct check_report *report, const struct axis_point *at)
{
	load.is_private = true;
	return run(report, at, "shootdown/private-spaces");
}

static const struct check tlb_flush = {
	.name = "shootdown/tlb-flush",
	.what = "all map, write, unmap and flush in one space, and each IPI is counted",
	.axes = LOAD_AXES,
	.applies = applies,
	.run = run_shared,
};
CHECK(tlb_flush);

static const struct check private_spaces = {
	.name = "shootdown/private-spaces",
	.what = "each in a space of its own, one goes round, and each IPI is counted",
	.axes = LOAD_AXES,
	.applies = applies,
	.run = run_private,
};
CHECK(private_spaces);
