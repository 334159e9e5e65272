/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benchmarks and checks of ipi/ share: the ways to send, and double-entry book-keeping.
 *
 * The receiver's handler counts what came (cpu->pings, cpu->nmis), the sender what it sent
 * (cpu->pings_sent, cpu->nmis_sent). Whenever nothing is under way the two are equal, or an IPI was
 * lost or came twice. An APIC holds only one of a vector in service and one more pending, a third
 * merges with the second: so nobody sends a CPU the next before it has counted the last.
 */
#ifndef TESTS_BENCH_IPI_ACCOUNT_H
#define TESTS_BENCH_IPI_ACCOUNT_H

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "kernel/harness/bench.h"
#include "kernel/harness/check.h"
#include "kernel/harness/peer.h"

/*
 * Looks at a counter until an answer is given up, a second and more; and how many there are to a
 * PAUSE, of which one may take 140 cycles. The first look is followed by one.
 */
#define IPI_MAX_LOOKS       640000000ull
#define IPI_LOOKS_PER_PAUSE 64

/* Values of ipi_fence_axis. */
enum ipi_fence { IPI_FENCE_PATCHED, IPI_FENCE_NONE, IPI_FENCE_BOTH };

/* The axes of all, in this order; the third of some only. */
enum { IPI_AT_APIC, IPI_AT_FENCE, IPI_AT_RECEIVER, IPI_AT_CPUS = IPI_AT_RECEIVER };

extern const struct axis ipi_apic_axis;     /* the mode: one value in each run */
extern const struct axis ipi_fence_axis;    /* before the WRMSR; none in xAPIC mode */
extern const struct axis ipi_receiver_axis; /* enum peer_wait */

/* What makes sense in this APIC mode; with MWAIT only where the CPU has it. */
bool ipi_applies(const struct axis_point *p);
bool ipi_receiver_applies(const struct axis_point *p);

/* How ICR is written: the instructions in the section, known at compile time. */
enum ipi_way { IPI_XAPIC, IPI_PATCHED, IPI_NONE, IPI_BOTH, IPI_WAYS };

enum ipi_way ipi_way(const struct axis_point *at);

/* What stands before the WRMSR. PATCHED: weak_wrmsr_fence(), which is as fence= says. */
ALWAYS_INLINE void ipi_fence(enum ipi_way way)
{
	if (way == IPI_PATCHED)
		weak_wrmsr_fence();
	if (way == IPI_BOTH) {
		mfence();
		lfence();
	}
}

/* `icr` from ipi_icr(). */
ALWAYS_INLINE void ipi_write_icr(enum ipi_way way, uint64_t icr)
{
	if (way == IPI_XAPIC) {
		xapic_write_icr_halves(icr >> 32, (uint32_t)icr);
		return;
	}
	ipi_fence(way);
	wrmsr(MSR_X2APIC_ICR, icr);
}

ALWAYS_INLINE void ipi_write_shorthand(enum ipi_way way, uint64_t icr)
{
	if (way == IPI_XAPIC) {
		xapic_write_icr_low((uint32_t)icr);
		return;
	}
	ipi_fence(way);
	wrmsr(MSR_X2APIC_ICR, icr);
}

/* Until `*counter` is no longer `before`, or it takes too long. */
ALWAYS_INLINE void ipi_wait(const uint64_t *counter, uint64_t before, uint64_t looks)
{
	do {
		if (__atomic_load_n(counter, __ATOMIC_ACQUIRE) != before)
			break;
		if (!(looks % IPI_LOOKS_PER_PAUSE))
			pause();
	} while (--looks);
}

/* Both halves as this mode's ICR takes them. */
uint64_t ipi_icr(uint32_t destination, uint32_t low);

enum ipi_counter { IPI_PINGS, IPI_NMIS };

/* The book of one row of a benchmark. */
struct ipi_tally {
	enum ipi_counter counter;
	struct cpu *receiver; /* NULL: every online CPU but this one */
	uint64_t sent, received;
	const char *problem; /* that ends it beside a wrong count */
	bool held;
};

/*
 * Opens the book of a row that sends to `receiver`, or NULL: all others, one to each in every
 * operation; args->state is its. For bench.setup, whose reason it returns.
 */
const char *ipi_open(struct bench_args *args, enum ipi_counter counter, struct cpu *receiver);

/* bench.finish: whether sent = received. */
const char *ipi_finish(const struct bench_args *args);

/* bench.enter and leave: the receiver waits as the axis says. */
void ipi_enter(const struct bench_args *args);
void ipi_leave(const struct bench_args *args);

typedef void (*ipi_sampler)(const struct bench_args *args, enum bench_length length, int64_t *ticks,
			    size_t n);

/* n operations, each accounted for; none after the first that was not right. */
void ipi_sample(const struct bench_args *args, ipi_sampler sampler, enum bench_length length,
		int64_t *ticks, size_t n);

/* The counter that the handler of `cpu` adds to. */
uint64_t *ipi_received(struct cpu *cpu, enum ipi_counter counter);

/*
 * Between senders that don't know of each other: true, and the caller must send `cpu` one
 * VECTOR_PING, where none is under way to it.
 */
bool ipi_claim(struct cpu *cpu);

/*
 * Once senders have ended: waits up to a second for what is under way to `cpu`. Returns how many
 * more it got than it was sent, and makes the books agree again.
 */
int64_t ipi_settle(struct cpu *cpu);

/* Defines `name`, a bench.sample, of op(way, a, b, c), always inline; `prepare` as in bench.h. */
#define IPI_SAMPLER(name, prepare, op)                                                            \
	IPI_SAMPLER_WAY(name##_xapic, prepare, op, IPI_XAPIC)                                     \
	IPI_SAMPLER_WAY(name##_patched, prepare, op, IPI_PATCHED)                                 \
	IPI_SAMPLER_WAY(name##_none, prepare, op, IPI_NONE)                                       \
	IPI_SAMPLER_WAY(name##_both, prepare, op, IPI_BOTH)                                       \
	static void name(const struct bench_args *args, enum bench_length length, int64_t *ticks, \
			 size_t n)                                                                \
	{                                                                                         \
		static const ipi_sampler ways[IPI_WAYS] = {                                       \
			[IPI_XAPIC] = name##_xapic,                                               \
			[IPI_PATCHED] = name##_patched,                                           \
			[IPI_NONE] = name##_none,                                                 \
			[IPI_BOTH] = name##_both,                                                 \
		};                                                                                \
                                                                                                  \
		ipi_sample(args, ways[ipi_way(&args->at)], length, ticks, n);                     \
	}

#define IPI_SAMPLER_WAY(name, prepare, op, way)                          \
	ALWAYS_INLINE void op_##name(uint64_t a, uint64_t b, uint64_t c) \
	{                                                                \
		op(way, a, b, c);                                        \
	}                                                                \
	BENCH_SAMPLER_ONCE(name, prepare, op_##name)

#endif
