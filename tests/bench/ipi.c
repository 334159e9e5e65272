/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to the next CPU online and the answer: from before the fence and the write of
 * ICR until the store of the other's handler is seen. By its APIC ID, by its logical ID, and as an
 * NMI. How the other waits is an axis. Its way back out of the handler, and its EOI, come after.
 */
#include "kernel/harness/conclusion.h"
#include "kernel/harness/report.h"
#include "kernel/smp.h"
#include "tests/bench/ipi_account.h"

#define ANSWER_US 1000000

static const char *setup_counter(struct bench_args *args, enum ipi_counter counter, uint32_t low)
{
	struct cpu *target = peer_next(this_cpu());

	if (!target)
		return "no other CPU is online";
	args->a = (uint64_t)ipi_received(target, counter);
	args->b = ipi_icr(target->apic_id, low);
	args->c = IPI_MAX_LOOKS;
	return ipi_open(args, counter, target);
}

static const char *setup(struct bench_args *args)
{
	return setup_counter(args, IPI_PINGS, ICR_FIXED | VECTOR_PING);
}

static const char *setup_nmi(struct bench_args *args)
{
	return setup_counter(args, IPI_NMIS, ICR_NMI);
}

static void read_ldr(void *value)
{
	*(uint32_t *)value = rdmsr(MSR_X2APIC_LDR);
}

static const char *setup_logical(struct bench_args *args)
{
	static uint32_t ldr;
	struct cpu *target = peer_next(this_cpu());

	if (!target)
		return "no other CPU is online";
	smp_start_on(target, read_ldr, &ldr);
	if (!smp_wait(target, ANSWER_US))
		return "the receiver did not tell its logical ID";
	(void)setup(args);
	args->b = ipi_icr(ldr, ICR_FIXED | ICR_LOGICAL | VECTOR_PING);
	return args->state ? NULL : "no memory to keep account";
}

ALWAYS_INLINE void op(enum ipi_way way, uint64_t counter, uint64_t icr, uint64_t looks)
{
	uint64_t before = *(const uint64_t *)counter;

	ipi_write_icr(way, icr);
	ipi_wait((const uint64_t *)counter, before, looks);
}

IPI_SAMPLER(sample, bench_touch, op)

static const struct bench unicast_rtt = {
	.name = "ipi/unicast-rtt",
	.what = "IPI to one other CPU, by its APIC ID, and its answer",
	.need = {.cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis, &ipi_receiver_axis},
	.applies = ipi_receiver_applies,
	.setup = setup,
	.finish = ipi_finish,
	.enter = ipi_enter,
	.leave = ipi_leave,
	.sample = sample,
};
BENCH(unicast_rtt);

static const struct bench unicast_logical = {
	.name = "ipi/unicast-logical",
	.what = "the same by the logical ID that the receiver reads in its LDR",
	.need = {.features = NEED(FEATURE_X2APIC), .cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_logical,
	.finish = ipi_finish,
	.sample = sample,
};
BENCH(unicast_logical);

static const struct bench nmi = {
	.name = "ipi/nmi",
	.what = "NMI to one other CPU and its answer",
	.need = {.cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis, &ipi_receiver_axis},
	.applies = ipi_receiver_applies,
	.setup = setup_nmi,
	.finish = ipi_finish,
	.enter = ipi_enter,
	.leave = ipi_leave,
	.sample = sample,
};
BENCH(nmi);

/* The row of unicast-rtt that is sent like that to a CPU that polls. */
static const struct measurement *find_way(const struct measurement *m, size_t n, enum ipi_way way)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].bench == &unicast_rtt && m[i].n && ipi_way(&m[i].args.at) == way &&
		    m[i].args.at.values[IPI_AT_RECEIVER] == PEER_POLL)
			return &m[i];
	}
	return NULL;
}

/* The question of the patch that took the fence away on AMD. */
static bool draw(const struct measurement *m, size_t n)
{
	const struct report_comparison c = {
		.one = find_way(m, n, IPI_NONE),
		.other = find_way(m, n, IPI_BOTH),
		.text = "round trip without and with fence",
		.published = "published, Zen 4: 1117 and 1172 ns, 1.05x",
	};

	if (!c.one || !c.other)
		return false;
	report_comparison(&c);
	return true;
}

static const struct conclusion fence_price = {.group = "ipi", .draw = draw};
CONCLUSION(fence_price);
