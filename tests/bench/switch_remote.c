/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waking a thread of the next CPU: from CPU 0's store, or its IPI, until the answer that the thread
 * stores is seen. The other CPU waits in a thread of its own, polls, is in MWAIT or in HLT, and
 * switches to the one that is woken: of the same address space (what=thread) or of another. The way
 * back to where it waits comes after the answer. CPU 0 polls.
 */
#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/features.h"
#include "arch/x86/xstate.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "kernel/text.h"
#include "mm/kernel_space.h"
#include "tests/bench/ipi_account.h"
#include "tests/bench/thread.h"

#define ANSWER_US 5000000

enum { AT_WAKE, AT_PAIR, AT_XSTATE };
enum { WAKE_POLL, WAKE_MWAIT, WAKE_IPI };

static const char *const wake_names[] = {"poll", "mwait", "ipi"};
static const struct axis wake_axis = {
	.key = "wake",
	.names = wake_names,
	.nr = 3,
	.values = {WAKE_POLL, WAKE_MWAIT, WAKE_IPI},
};

/* CPU 0 counts wake-ups up in the one, the thread that is woken copies that to the other. */
static uint64_t asked __attribute__((aligned(CACHE_LINE)));
static uint64_t answered __attribute__((aligned(CACHE_LINE)));
static uint64_t parked
	__attribute__((aligned(CACHE_LINE))); /* the last one before it waits again */
#define STOP UINT64_MAX

static struct thread waiting, woken;
static uint32_t wake; /* how the other CPU waits */

struct book {
	const char *wrong;
};

static uint64_t read_asked(void)
{
	return __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
}

/* Interrupts off on entry and return; nothing comes between the last look and HLT or MWAIT. */
static void wait_while(uint64_t seen)
{
	__atomic_store_n(&parked, seen, __ATOMIC_RELEASE);
	while (read_asked() == seen) {
		switch (wake) {
		case WAKE_POLL:
			pause();
			break;
		case WAKE_MWAIT:
			monitor(&asked);
			if (read_asked() == seen)
				sti_mwait();
			cli();
			break;
		default:
			sti_hlt();
			cli();
			break;
		}
	}
}

/* The thread that waits is whatever the CPU ran before. */
static void wait_and_switch(void *unused)
{
	uint64_t seen = 0;

	(void)unused;
	thread_load_xstate(&waiting);
	address_space_switch(waiting.space);
	for (;;) {
		wait_while(seen);
		seen = read_asked();
		if (seen == STOP)
			break;
		thread_switch(&waiting, &woken);
	}
	address_space_switch(NULL);
}

static void answer(void *unused)
{
	(void)unused;
	thread_load_xstate(&woken);
	for (;;) {
		__atomic_store_n(&answered, read_asked(), __ATOMIC_RELEASE);
		thread_switch(&woken, &waiting);
	}
}

static bool applies(const struct axis_point *p)
{
	if (p->values[AT_WAKE] == WAKE_MWAIT && !feature_has(FEATURE_MWAIT))
		return false;
	return p->values[AT_PAIR] != PAIR_PROCESS_FLUSH && thread_pair_applies(p->values[AT_PAIR]);
}

static const char *setup(struct bench_args *args)
{
	struct cpu *other = peer_next(this_cpu());

	if (!other)
		return "no other CPU is online";
	/* Where a CPU has the page in its TLB, Bochs 3.1 does not look for who monitors it. */
	if (args->at.values[AT_WAKE] == WAKE_MWAIT &&
	    text_equal(cpu_identity.hypervisor, HYPERVISOR_BOCHS))
		return "in Bochs a store may not end MWAIT";
	args->state = kernel_memory_alloc(sizeof(struct book));
	if (!args->state || !thread_space(THREAD_SPACE_REMOTE) ||
	    !thread_space(THREAD_SPACE_REMOTE + 1) || !thread_create(&waiting, true) ||
	    !thread_create(&woken, false))
		return "no memory for its threads";
	args->a = other->apic_id;
	args->c = IPI_MAX_LOOKS;
	return NULL;
}

static void enter(const struct bench_args *args)
{
	bool xstate = args->at.values[AT_XSTATE];

	wake = args->at.values[AT_WAKE];
	asked = answered = 0;
	parked = STOP;
	waiting.space = thread_space(THREAD_SPACE_REMOTE);
	woken.space = thread_space(THREAD_SPACE_REMOTE + (args->at.values[AT_PAIR] != PAIR_THREAD));
	waiting.xstate = xstate ? waiting.area : NULL;
	woken.xstate = xstate ? woken.area : NULL;
	xstate_fill(waiting.area, 1);
	xstate_fill(woken.area, 2);
	thread_begin(&woken, answer, NULL);
	smp_start_on(peer_next(this_cpu()), wait_and_switch, NULL);
}

static void leave(const struct bench_args *args)
{
	struct book *book = args->state;

	__atomic_store_n(&asked, STOP, __ATOMIC_RELEASE);
	ipi_send(args->a, VECTOR_WAKE);
	if (!smp_wait(peer_next(this_cpu()), ANSWER_US))
		book->wrong = "the other CPU did not end to wait";
	else if (woken.xstate && answered &&
		 (!xstate_holds(waiting.area, 1) || !xstate_holds(woken.area, 2)))
		book->wrong = "extended state was not what its thread had left";
}

static const char *finish(const struct bench_args *args)
{
	struct book *book = args->state;
	const char *wrong = book->wrong;

	kernel_memory_free(book, sizeof(*book));
	return wrong;
}

/* It waits again before it is woken the next time: the answer comes before it is back there. */
static void settle(const struct bench_args *args)
{
	uint64_t deadline = clock_deadline(ANSWER_US);

	while (__atomic_load_n(&parked, __ATOMIC_ACQUIRE) != answered) {
		pause();
		if (clock_passed(deadline)) {
			((struct book *)args->state)->wrong = "the other CPU does not wait";
			return;
		}
	}
}

ALWAYS_INLINE void op_store(uint64_t apic_id, uint64_t b, uint64_t looks)
{
	uint64_t before = answered;

	(void)apic_id, (void)b;
	__atomic_store_n(&asked, before + 1, __ATOMIC_RELEASE);
	ipi_wait(&answered, before, looks);
}

ALWAYS_INLINE void op_ipi(uint64_t apic_id, uint64_t b, uint64_t looks)
{
	uint64_t before = answered;

	(void)b;
	__atomic_store_n(&asked, before + 1, __ATOMIC_RELEASE);
	ipi_send(apic_id, VECTOR_WAKE);
	ipi_wait(&answered, before, looks);
}

BENCH_SAMPLER_ONCE(sample_store, settle, op_store)
BENCH_SAMPLER_ONCE(sample_ipi, settle, op_ipi)

/* None after the first that was not answered: each would take as long. */
static void sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		   size_t n)
{
	struct book *book = args->state;

	for (size_t i = 0; i < n; i++) {
		ticks[i] = 0;
		if (book->wrong)
			continue;
		if (args->at.values[AT_WAKE] == WAKE_IPI)
			sample_ipi(args, length, &ticks[i], 1);
		else
			sample_store(args, length, &ticks[i], 1);
		if (answered != asked)
			book->wrong = "the thread that was woken did not answer";
	}
}

static const struct bench other_cpu = {
	.name = "switch/other-cpu",
	.what = "waking a thread of the next CPU, until it has answered",
	.need = {.cpus = 2},
	.axes = {&wake_axis, &thread_pair_axis, &thread_xstate_axis},
	.applies = applies,
	.setup = setup,
	.finish = finish,
	.enter = enter,
	.leave = leave,
	.sample = sample,
};
BENCH(other_cpu);
