/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB of one page and TLBSYNC on CPU 0, by what the other CPUs do: the same without pause, one of
 * them or more (initiators); or they poll and have just read the page, so that their TLBs have it, or
 * poll and have not (holders). broadcast/flush is the same where they wait as others= says.
 */
#include "arch/x86/clock.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "tests/bench/broadcast_row.h"

#define ANSWER_US 5000000

static const struct axis held_axis = {.key = "held", .nr = 2, .values = {0, 1}};

/* CPU 0 raises the one, or ends it all; the others add to the other when they have begun or read. */
static uint64_t asked __attribute__((aligned(CACHE_LINE)));
static uint64_t answers __attribute__((aligned(CACHE_LINE)));
#define STOP UINT64_MAX

static uint32_t nr_started;

static uint64_t read_asked(void)
{
	return __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
}

static void answer(void)
{
	__atomic_fetch_add(&answers, 1, __ATOMIC_RELEASE);
}

static void initiate(void *state)
{
	const struct broadcast_row *row = state;

	answer();
	while (read_asked() != STOP) {
		invlpgb(row->request);
		tlbsync();
	}
}

/* NULL: reads no page. */
static void hold(void *page)
{
	uint64_t seen = 0, now;

	answer();
	while ((now = read_asked()) != STOP) {
		if (now != seen) {
			if (page)
				(void)*(const volatile uint64_t *)page;
			seen = now;
			answer();
		}
		pause();
	}
}

static bool is_wrong(const struct bench_args *args)
{
	return ((const struct broadcast_row *)args->state)->wrong;
}

/* Not again once they did not: each time would take as long. */
static void await_answers(const struct bench_args *args, uint64_t nr)
{
	uint64_t deadline = clock_deadline(ANSWER_US);

	while (__atomic_load_n(&answers, __ATOMIC_ACQUIRE) != nr && !is_wrong(args)) {
		pause();
		if (clock_passed(deadline))
			broadcast_row_went_wrong(args, "another CPU did not answer");
	}
}

/* `fn` on so many others; on none once one did not answer. */
static void start(const struct bench_args *args, uint32_t nr, void (*fn)(void *), void *arg)
{
	struct cpu *cpu = cpus[0];

	asked = answers = 0;
	nr_started = is_wrong(args) ? 0 : nr;
	for (uint32_t i = 0; i < nr_started && (cpu = peer_next(cpu)); i++)
		smp_start_on(cpu, fn, arg);
	await_answers(args, nr_started);
}

static void stop(const struct bench_args *args)
{
	struct cpu *cpu = cpus[0];

	__atomic_store_n(&asked, STOP, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < nr_started && (cpu = peer_next(cpu)); i++) {
		if (!smp_wait(cpu, ANSWER_US))
			broadcast_row_went_wrong(args, "another CPU did not end");
	}
}

static const char *setup(struct bench_args *args)
{
	return broadcast_row_setup(args, invlpgb_of_pages(0, 0, 1, INVLPGB_4K, false));
}

static bool initiators_apply(const struct axis_point *p)
{
	return p->values[0] <= smp.online;
}

static void enter_initiators(const struct bench_args *args)
{
	start(args, args->at.values[0] - 1, initiate, args->state);
}

static void enter_holders(const struct bench_args *args)
{
	start(args, smp.online - 1, hold, args->at.values[0] ? (void *)args->touch[0] : NULL);
}

/* One at a time, as the others are to read before each. */
static void sample_holders(const struct bench_args *args, enum bench_length length, int64_t *ticks,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		__atomic_store_n(&asked, asked + 1, __ATOMIC_RELEASE);
		await_answers(args, (smp.online - 1) * (asked + 1));
		broadcast_row_sample(args, length, &ticks[i], 1);
	}
}

static const struct bench initiators = {
	.name = "broadcast/initiators",
	.what = "INVLPGB of one page and TLBSYNC while `cpus` CPUs, this one too, do so",
	.need = {BROADCAST_NEED},
	.axes = {&axis_cpus},
	.applies = initiators_apply,
	.setup = setup,
	.finish = broadcast_row_finish,
	.enter = enter_initiators,
	.leave = stop,
	.sample = broadcast_row_sample,
};
BENCH(initiators);

static const struct bench holders = {
	.name = "broadcast/holders",
	.what = "INVLPGB of one page that the others hold or not, and TLBSYNC",
	.need = {BROADCAST_NEED, .cpus = 2},
	.axes = {&held_axis},
	.setup = setup,
	.finish = broadcast_row_finish,
	.enter = enter_holders,
	.leave = stop,
	.sample = sample_holders,
};
BENCH(holders);
