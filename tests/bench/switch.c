/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From one thread to another on the same CPU, and back: two switches, none of which chooses or calls
 * a system. With half=user each thread comes from the user half of its space and returns there, as it
 * does under page-table isolation.
 */
#include "arch/x86/cpu.h"
#include "arch/x86/xstate.h"
#include "kernel/harness/bench.h"
#include "kernel/harness/space_axes.h"
#include "mm/kernel_space.h"
#include "mm/shootdown.h"
#include "tests/bench/thread.h"

enum { AT_PAIR, AT_XSTATE, AT_HALF };

#define HERE_BYTE  0xa5 /* what the registers of each are filled with */
#define THERE_BYTE 0x3c

static struct thread here, there;
static uint64_t turns; /* of `there` */

/* A row's account. */
struct book {
	uint64_t sections; /* in its turns */
	uint64_t turns;
	struct shootdown_counts before;
	const char *wrong;
};

static void answer(void *unused)
{
	(void)unused;
	thread_load_xstate(&there);
	if (there.user)
		address_space_enter_user();
	for (;;) {
		turns++;
		thread_switch(&there, &here);
	}
}

static bool applies(const struct axis_point *p)
{
	return thread_pair_applies(p->values[AT_PAIR]) && space_half_applies(p->values[AT_HALF]);
}

static const char *setup(struct bench_args *args)
{
	args->state = kernel_memory_alloc(sizeof(struct book));
	if (!args->state || !thread_space(0) || !thread_space(1) || !thread_create(&here, true) ||
	    !thread_create(&there, false))
		return "no memory for its threads";
	return NULL;
}

/* Both have missed a flush. */
static void fall_behind(void)
{
	space_users_advance(&here.space->users);
	space_users_advance(&there.space->users);
}

static void begin(const struct bench_args *args)
{
	bool xstate = args->at.values[AT_XSTATE];

	here.space = thread_space(0);
	there.space = thread_space(args->at.values[AT_PAIR] != PAIR_THREAD);
	here.user = there.user = args->at.values[AT_HALF];
	here.xstate = xstate ? here.area : NULL;
	there.xstate = xstate ? there.area : NULL;
	if (xstate) {
		xstate_fill(here.area, HERE_BYTE);
		xstate_fill(there.area, THERE_BYTE);
		thread_load_xstate(&here);
	}
	thread_begin(&there, answer, NULL);
	address_space_switch(here.space);
	if (here.user)
		address_space_enter_user();
}

static void enter(const struct bench_args *args)
{
	struct book *book = args->state;

	begin(args);
	thread_switch(&here, &there); /* the first time an ASID may be anybody's */
	book->before = *shootdown_counts(this_cpu()->index);
	book->sections = 0;
	book->turns = turns;
}

/* Of all switches of the turn, how many did what the row is about. */
static bool went_well(const struct book *book, uint32_t pair)
{
	const struct shootdown_counts *now = shootdown_counts(this_cpu()->index);
	uint64_t switches = now->switches - book->before.switches, right = 0;

	switch ((enum thread_pair)pair) {
	case PAIR_THREAD:
		return !switches;
	case PAIR_PROCESS:
		right = now->kept - book->before.kept;
		break;
	case PAIR_PROCESS_FLUSH:
		right = now->behind - book->before.behind;
		break;
	default:
		right = now->foreign - book->before.foreign;
		break;
	}
	return switches == 2 * book->sections && right == switches;
}

static void leave(const struct bench_args *args)
{
	struct book *book = args->state;

	if (here.user)
		address_space_leave_user();
	if (turns - book->turns != book->sections)
		book->wrong = "the other thread did not run once a section";
	else if (!went_well(book, args->at.values[AT_PAIR]))
		book->wrong = "a switch did not do with its ASID what the row says";
	if (here.xstate) {
		xstate_save(here.area);
		if (!xstate_holds(here.area, HERE_BYTE) || !xstate_holds(there.area, THERE_BYTE))
			book->wrong = "extended state was not what its thread had left";
	}
	address_space_switch(NULL);
}

static const char *finish(const struct bench_args *args)
{
	struct book *book = args->state;
	const char *wrong = book->wrong;

	kernel_memory_free(book, sizeof(*book));
	return wrong;
}

ALWAYS_INLINE void prepare(const struct bench_args *args)
{
	((struct book *)args->state)->sections++;
	if (args->at.values[AT_PAIR] == PAIR_PROCESS_FLUSH)
		fall_behind();
}

ALWAYS_INLINE void op_switch(uint64_t from, uint64_t to, uint64_t c)
{
	(void)from, (void)to, (void)c;
	thread_switch(&here, &there);
}

BENCH_SAMPLER_ONCE(sample, prepare, op_switch)

static const struct bench same_cpu = {
	.name = "switch/same-cpu",
	.what = "to another thread on the same CPU and back",
	.axes = {&thread_pair_axis, &thread_xstate_axis, &space_half_axis},
	.applies = applies,
	.setup = setup,
	.finish = finish,
	.enter = enter,
	.leave = leave,
	.sample = sample,
};
BENCH(same_cpu);
