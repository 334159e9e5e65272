/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to the next CPU online and the answer: from before the fence and the write of
 * ICR until the store of the other's handler is seen. The other waits as others= says. Every IPI is
 * accounted for.
 */
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "kernel/harness/bench.h"

/* PAUSEs until an answer is given up: far over a second on any CPU. */
#define MAX_PAUSES 100000000ull

static uint64_t sent, received_before;

static struct cpu *find_target(void)
{
	for (uint32_t i = 1; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE)
			return cpus[i];
	}
	return NULL;
}

static const char *setup(struct bench_args *args)
{
	struct cpu *target = find_target();

	if (!target)
		return "no other CPU is online";
	sent = 0;
	received_before = __atomic_load_n(&target->pings, __ATOMIC_ACQUIRE);
	args->a = (uint64_t)target;
	args->b = target->apic_id;
	return NULL;
}

static const char *finish(const struct bench_args *args)
{
	struct cpu *target = (struct cpu *)args->a;
	uint64_t received = __atomic_load_n(&target->pings, __ATOMIC_ACQUIRE) - received_before;

	return received == sent ? NULL : "IPIs sent and IPIs received differ in number";
}

ALWAYS_INLINE void op_ping(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t *pings = &((struct cpu *)a)->pings;
	uint64_t before = *pings, left = MAX_PAUSES;

	(void)c;
	ipi_send(b, VECTOR_PING);
	while (__atomic_load_n(pings, __ATOMIC_ACQUIRE) == before && --left)
		pause();
}

BENCH_SAMPLER(sample_pings, op_ping)

static void sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		   size_t n)
{
	sent += n;
	sample_pings(args, length, ticks, n);
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
