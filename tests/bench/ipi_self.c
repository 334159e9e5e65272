/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to itself: from before the fence until the handler has returned. Interrupts are
 * off before, so the section opens them after the write and closes them when the count is seen.
 */
#include "tests/bench/ipi_account.h"

static const char *setup_icr(struct bench_args *args, uint64_t icr)
{
	args->a = (uint64_t)&this_cpu()->pings;
	args->b = icr;
	args->c = IPI_MAX_LOOKS;
	return ipi_open(args, IPI_PINGS, this_cpu());
}

static const char *setup_physical(struct bench_args *args)
{
	return setup_icr(args, ipi_icr(this_cpu()->apic_id, ICR_FIXED | VECTOR_PING));
}

static const char *setup_shorthand(struct bench_args *args)
{
	return setup_icr(args, ipi_icr(0, ICR_FIXED | ICR_SELF | VECTOR_PING));
}

static const char *setup_msr(struct bench_args *args)
{
	return setup_icr(args, VECTOR_PING);
}

ALWAYS_INLINE void take(uint64_t counter, uint64_t before, uint64_t looks)
{
	sti();
	ipi_wait((const uint64_t *)counter, before, looks);
	cli();
}

ALWAYS_INLINE void op_icr(enum ipi_way way, uint64_t counter, uint64_t icr, uint64_t looks)
{
	uint64_t before = *(const uint64_t *)counter;

	ipi_write_icr(way, icr);
	take(counter, before, looks);
}

ALWAYS_INLINE void op_shorthand(enum ipi_way way, uint64_t counter, uint64_t icr, uint64_t looks)
{
	uint64_t before = *(const uint64_t *)counter;

	ipi_write_shorthand(way, icr);
	take(counter, before, looks);
}

ALWAYS_INLINE void op_msr(enum ipi_way way, uint64_t counter, uint64_t vector, uint64_t looks)
{
	uint64_t before = *(const uint64_t *)counter;

	ipi_fence(way);
	wrmsr(MSR_X2APIC_SELF, vector);
	take(counter, before, looks);
}

IPI_SAMPLER(sample_icr, bench_touch, op_icr)
IPI_SAMPLER(sample_shorthand, bench_touch, op_shorthand)
IPI_SAMPLER(sample_msr, bench_touch, op_msr)

static const struct bench self_icr = {
	.name = "ipi/self-icr",
	.what = "IPI to oneself by ICR and the own APIC ID",
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_physical,
	.finish = ipi_finish,
	.sample = sample_icr,
};
BENCH(self_icr);

static const struct bench self_shorthand = {
	.name = "ipi/self-shorthand",
	.what = "IPI to oneself by ICR and the shorthand `self`",
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_shorthand,
	.finish = ipi_finish,
	.sample = sample_shorthand,
};
BENCH(self_shorthand);

static const struct bench self_msr = {
	.name = "ipi/self-msr",
	.what = "IPI to oneself by MSR 83Fh, x2APIC's SELF IPI register",
	.need = {.features = NEED(FEATURE_X2APIC)},
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_msr,
	.finish = ipi_finish,
	.sample = sample_msr,
};
BENCH(self_msr);
