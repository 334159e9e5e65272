/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to the next CPU online and the answer: from before the fence and the write of
 * ICR until the store of the other's handler is seen. The other waits as others= says. Every IPI is
 * accounted for: a lost one is a failed check.
 */
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "kernel/harness/bench.h"

/* PAUSEs until an answer is given up: 10 to 140 cycles each, so some 50 ms and more. */
#define MAX_PAUSES 10000000ull

static uint64_t sent, received_before;
static bool lost;

static struct cpu *find_target(void)
{
	for (uint32_t i = 1; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE)
			return cpus[i];
	}
	return NULL;
}

static uint64_t received(const struct cpu *target)
{
	return __atomic_load_n(&target->pings, __ATOMIC_ACQUIRE) - received_before;
}

static const char *setup(struct bench_args *args)
{
	struct cpu *target = find_target();

	if (!target)
		return "no other CPU is online";
	sent = 0;
	lost = false;
	received_before = 0;
	received_before = received(target);
	args->a = (uint64_t)&target->pings;
	args->b = target->apic_id;
	args->c = MAX_PAUSES;
	return NULL;
}

static const char *finish(const struct bench_args *args)
{
	(void)args;
	if (lost)
		return "an IPI was sent and no answer came";
	return received(find_target()) == sent ? NULL : "more IPIs were received than sent";
}

ALWAYS_INLINE void wait_for_answer(const uint64_t *pings, uint64_t before, uint64_t left)
{
	while (__atomic_load_n(pings, __ATOMIC_ACQUIRE) == before && --left)
		pause();
}

ALWAYS_INLINE void op_ping_x2apic(uint64_t pings, uint64_t apic_id, uint64_t pauses)
{
	uint64_t before = *(const uint64_t *)pings;

	x2apic_write_icr(apic_id, ICR_FIXED | ICR_ASSERT | VECTOR_PING);
	wait_for_answer((const uint64_t *)pings, before, pauses);
}

ALWAYS_INLINE void op_ping_xapic(uint64_t pings, uint64_t apic_id, uint64_t pauses)
{
	uint64_t before = *(const uint64_t *)pings;

	xapic_write_icr(apic_id, ICR_FIXED | ICR_ASSERT | VECTOR_PING);
	wait_for_answer((const uint64_t *)pings, before, pauses);
}

BENCH_SAMPLER_ONCE(sample_x2apic, bench_touch, op_ping_x2apic)
BENCH_SAMPLER_ONCE(sample_xapic, bench_touch, op_ping_xapic)

/* Stops sending at the first loss: the figures are worth nothing then, and each loss costs time. */
static void sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ticks[i] = 0;
		if (lost)
			continue;
		sent++;
		if (apic_mode() == APIC_X2APIC)
			sample_x2apic(args, length, &ticks[i], 1);
		else
			sample_xapic(args, length, &ticks[i], 1);
		lost = received(find_target()) < sent;
	}
}

static const struct bench unicast_rtt = {
	.name = "ipi/unicast-rtt",
	.what = "IPI to one other CPU and its answer",
	.need = {.cpus = 2},
	.setup = setup,
	.finish = finish,
	.sample = sample,
};
BENCH(unicast_rtt);
