/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many CPUs send IPIs at the same time, and each has to arrive exactly once.
 *
 * ipi/mesh: each sends to others at random, and goes on to another at once. ipi/all-at-once: each
 * sends to its neighbour and waits for the answer, so that one IPI per CPU is under way.
 * All have interrupts on and poll between. In the mesh a sender first claims its target, which it
 * can where the target has counted everything it was sent: two of one vector could merge in its
 * APIC, and nothing could be proved. The rates are IPIs of all CPUs together per second, from the
 * common start until one says stop. Each may say it, by its own clock: a CPU whose next IPI is
 * always there before its handler returns does nothing but take them, until the senders stop.
 */
#include "arch/x86/clock.h"
#include "arch/x86/divide.h"
#include "kernel/harness/report.h"
#include "kernel/inject.h"
#include "kernel/smp.h"
#include "mm/kernel_space.h"
#include "tests/bench/ipi_account.h"

#define ROUNDS    6        /* the fewest with a 95% interval */
#define START_US  10000000 /* for all to begin and to end; emulators with many CPUs are slow */
#define ROUND_US  5000     /* and so much more for each CPU: each must get its turn there */
#define CPU_US    1000
#define NO_TARGET UINT32_MAX

struct sender {
	struct cpu *cpu;
	uint64_t random;
	uint64_t sent;
} __attribute__((aligned(CACHE_LINE)));

/* One round. */
static struct {
	struct sender *senders;
	uint32_t nr;
	bool random; /* mesh */
	enum ipi_way way;
	uint32_t us;
	uint32_t ready;
	bool go __attribute__((aligned(CACHE_LINE)));
	bool stop;
} load;

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* George Marsaglia's xorshift64. */
static uint32_t next_random(struct sender *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random >> 32;
}

static struct cpu *choose(struct sender *s)
{
	uint32_t me = s - load.senders;
	uint32_t step = load.random ? 1 + next_random(s) % (load.nr - 1) : 1;

	return load.senders[(me + step) % load.nr].cpu;
}

/* The choice between ways is made before, not for each IPI. */
ALWAYS_INLINE void send_until_stop(enum ipi_way way, struct sender *s)
{
	uint64_t stop_at = clock_deadline(load.us);

	while (!is_set(&load.stop)) {
		struct cpu *to = choose(s);

		if (clock_passed(stop_at))
			__atomic_store_n(&load.stop, true, __ATOMIC_RELEASE);
		if (!ipi_claim(to)) {
			pause();
			continue;
		}
		s->sent++;
		/* In xAPIC mode ICR is two registers, and no handler here writes it. */
		ipi_write_icr(way, ipi_icr(to->apic_id, ICR_FIXED | VECTOR_PING));
	}
}

/* inject=: one IPI of a round, before all begin: an IPI that merges with another proves nothing. */
static void inject(struct sender *s)
{
	struct cpu *to = choose(s);
	uint64_t before = __atomic_load_n(&to->pings, __ATOMIC_ACQUIRE);

	if (!inject_is(INJECT_LOSE_IPI) && !inject_is(INJECT_DUP_IPI))
		return;
	if (!ipi_claim(to))
		return;
	s->sent++;
	if (inject_is(INJECT_LOSE_IPI))
		return;
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t flags = irq_save();

		ipi_send(to->apic_id, VECTOR_PING);
		irq_restore(flags);
		ipi_wait(&to->pings, before + i, IPI_MAX_LOOKS);
	}
}

static void send(void *sender)
{
	struct sender *s = sender;
	uint64_t deadline = clock_deadline(START_US);

	__atomic_add_fetch(&load.ready, 1, __ATOMIC_ACQ_REL);
	sti();
	while (!is_set(&load.go) && !clock_passed(deadline))
		pause();
	switch (load.way) {
	case IPI_XAPIC:
		send_until_stop(IPI_XAPIC, s);
		break;
	case IPI_NONE:
		send_until_stop(IPI_NONE, s);
		break;
	default:
		send_until_stop(IPI_BOTH, s);
		break;
	}
	cli();
}

static bool start_others(void)
{
	uint64_t deadline = clock_deadline(START_US);

	load.ready = 0;
	load.go = load.stop = false;
	for (uint32_t i = 1; i < load.nr; i++)
		smp_start_on(load.senders[i].cpu, send, &load.senders[i]);
	while (__atomic_load_n(&load.ready, __ATOMIC_ACQUIRE) < load.nr - 1) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

static bool stop_others(void)
{
	bool ok = true;

	__atomic_store_n(&load.stop, true, __ATOMIC_RELEASE);
	__atomic_store_n(&load.go, true, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < load.nr; i++)
		ok &= smp_wait(load.senders[i].cpu, START_US);
	sti(); /* as it was before CPU 0 sent too */
	return ok;
}

/* IPIs sent by now. */
static uint64_t total_sent(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < load.nr; i++)
		sum += __atomic_load_n(&load.senders[i].sent, __ATOMIC_RELAXED);
	return sum;
}

/* What the rounds of a row came to. */
struct outcome {
	int64_t rates[ROUNDS];
	uint32_t rounds;
	uint64_t sent, received;
	bool mute; /* some CPU did not begin or end */
};

static void run_round(struct outcome *o)
{
	uint64_t begin, ticks, before = total_sent(), sent;

	o->mute = !start_others();
	begin = cycles_now();
	load.us = ROUND_US + CPU_US * load.nr;
	if (!o->mute) {
		inject(&load.senders[0]);
		__atomic_store_n(&load.go, true, __ATOMIC_RELEASE);
		send(&load.senders[0]);
	}
	ticks = cycles_now() - begin;
	o->mute |= !stop_others();
	sent = total_sent() - before;
	o->sent += sent;
	o->received += sent;
	for (uint32_t i = 0; i < load.nr; i++)
		o->received += ipi_settle(load.senders[i].cpu);
	if (ticks >=
	    1000) /* a round that did not begin has no rate; its IPIs are missed elsewhere */
		o->rates[o->rounds++] = divide_signed(sent * (clock.tsc_hz / 1000), ticks / 1000);
}

/* The first `n` online. */
static bool choose_senders(uint32_t n)
{
	load.nr = 0;
	load.senders = kernel_memory_alloc(n * sizeof(*load.senders));
	if (!load.senders)
		return false;
	for (uint32_t i = 0; i < nr_cpus && load.nr < n; i++) {
		if (cpu_state(cpus[i]) != CPU_ONLINE)
			continue;
		load.senders[load.nr] =
			(struct sender){.cpu = cpus[i], .random = 0x9e3779b97f4a7c15ull * (i + 1)};
		load.nr++;
	}
	return true;
}

static const struct axis cpus_axis = {
	.key = "cpus",
	.nr = 11,
	.values = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, AXIS_ALL_CPUS},
};

#define LOAD_AXES                                           \
	{                                                   \
		&ipi_apic_axis, &ipi_fence_axis, &cpus_axis \
	}

static const struct axis *const load_axes[AXES_MAX] = LOAD_AXES;

static bool applies(const struct axis_point *p)
{
	/* What is patched in is one of the two others, or costs what they cost. */
	if (!ipi_applies(p) || p->values[IPI_AT_FENCE] == IPI_FENCE_PATCHED)
		return false;
	return p->values[IPI_AT_CPUS] <= smp.online;
}

static enum check_result run(struct check_report *report, const struct axis_point *at,
			     const char *name)
{
	static struct outcome o;
	uint32_t n = at->values[IPI_AT_CPUS];

	o = (struct outcome){.rounds = 0};
	load.way = ipi_way(at);
	if (!choose_senders(n))
		return check_end(report, CHECK_SKIP, "no memory for a list of CPUs");
	while (o.rounds < ROUNDS && !o.mute && o.sent == o.received)
		run_round(&o);
	kernel_memory_free(load.senders, n * sizeof(*load.senders));
	if (o.mute)
		return check_end(report, CHECK_FAIL, "a CPU did not begin or end in time");
	if (o.sent != o.received)
		return check_end(report, CHECK_FAIL, "%lu IPIs sent, %lu received", o.sent,
				 o.received);
	report_rate(&(struct report_rate){
		.name = name,
		.axes = load_axes,
		.at = *at,
		.unit = "IPI/s",
		.rounds = o.rates,
		.nr_rounds = o.rounds,
		.ipis = o.sent,
	});
	return check_end(report, CHECK_PASS, "%lu IPIs sent and received", o.sent);
}

static enum check_result run_mesh(struct check_report *report, const struct axis_point *at)
{
	load.random = true;
	return run(report, at, "ipi/mesh");
}

static enum check_result run_all_at_once(struct check_report *report, const struct axis_point *at)
{
	load.random = false;
	return run(report, at, "ipi/all-at-once");
}

static const struct check mesh = {
	.name = "ipi/mesh",
	.what = "every CPU sends to random others, and each IPI comes exactly once",
	.need = {.cpus = 2},
	.axes = LOAD_AXES,
	.applies = applies,
	.run = run_mesh,
};
CHECK(mesh);

static const struct check all_at_once = {
	.name = "ipi/all-at-once",
	.what = "every CPU sends to its neighbour, and each IPI comes exactly once",
	.need = {.cpus = 2},
	.axes = LOAD_AXES,
	.applies = applies,
	.run = run_all_at_once,
};
CHECK(all_at_once);
