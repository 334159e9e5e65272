/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to the next CPU online, one way: from before the fence and the write of ICR
 * until the other's handler reads its TSC, its entry path included. The other's TSC is set against
 * CPU 0's by the offset measured before; the check ipi/tsc-offset reports it and how sure it is,
 * which is how sure this is. A figure can be negative where the offset is not known better than
 * that.
 */
#include "mm/kernel_space.h"
#include "tests/bench/ipi_account.h"
#include "tests/bench/tsc_offset.h"

/* The surest of those that the rows have measured; all use it, or they could not be compared. */
static struct tsc_offset offset = {.error = INT64_MAX};

static const char *setup(struct bench_args *args)
{
	struct cpu *target = peer_next(this_cpu());
	struct tsc_offset found;

	if (!target)
		return "no other CPU is online";
	if (!tsc_offset_measure(target, &found))
		return "the other CPU's TSC could not be set against CPU 0's";
	if (found.error < offset.error)
		offset = found;
	args->error = offset.error;
	args->a = (uint64_t)target;
	args->b = ipi_icr(target->apic_id, ICR_FIXED | VECTOR_STAMP);
	return ipi_open(args, IPI_PINGS, target);
}

/* As bench_time(), but that the end is read elsewhere. */
ALWAYS_INLINE int64_t time_oneway(enum ipi_way way, const struct bench_args *args)
{
	const struct cpu *target = (const struct cpu *)args->a;
	uint64_t before = __atomic_load_n(&target->pings, __ATOMIC_ACQUIRE), icr = args->b;
	struct cycles begin;

	__asm__ volatile("" : "+r"(icr));
	begin = cycles_begin();
	ipi_write_icr(way, icr);
	ipi_wait(&target->pings, before, IPI_MAX_LOOKS);
	return (int64_t)(target->stamp - (begin.hi << 32 | begin.lo) - offset.ticks);
}

#define SAMPLE_ONEWAY(name, way)                                                                  \
	static void name(const struct bench_args *args, enum bench_length length, int64_t *ticks, \
			 size_t n)                                                                \
	{                                                                                         \
		(void)length;                                                                     \
		for (size_t i = 0; i < n; i++)                                                    \
			ticks[i] = time_oneway(way, args);                                        \
	}

SAMPLE_ONEWAY(sample_xapic, IPI_XAPIC)
SAMPLE_ONEWAY(sample_patched, IPI_PATCHED)
SAMPLE_ONEWAY(sample_none, IPI_NONE)
SAMPLE_ONEWAY(sample_both, IPI_BOTH)

static void sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		   size_t n)
{
	static const ipi_sampler ways[IPI_WAYS] = {
		[IPI_XAPIC] = sample_xapic,
		[IPI_PATCHED] = sample_patched,
		[IPI_NONE] = sample_none,
		[IPI_BOTH] = sample_both,
	};

	ipi_sample(args, ways[ipi_way(&args->at)], length, ticks, n);
}

static const struct bench oneway = {
	.name = "ipi/unicast-oneway",
	.what = "IPI to one other CPU until its handler runs, by both CPUs' TSCs",
	.need = {.cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis, &ipi_receiver_axis},
	.applies = ipi_receiver_applies,
	.setup = setup,
	.finish = ipi_finish,
	.enter = ipi_enter,
	.leave = ipi_leave,
	.tsc_only = true,
	.sample = sample,
};
BENCH(oneway);
