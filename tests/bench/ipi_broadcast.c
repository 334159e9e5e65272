/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPI from CPU 0 to every other CPU online, until the last has answered: by the shorthand, by
 * one write of ICR for each, and by one for each x2APIC cluster. The others wait as others= says.
 * The sender reads one counter after the other, each on a line of its own, so the figure has as
 * many reads of foreign lines in it as there are receivers.
 */
#include "kernel/smp.h"
#include "mm/kernel_space.h"
#include "tests/bench/ipi_account.h"

#define ANSWER_US 1000000

struct answer {
	const uint64_t *counter;
	uint64_t before;
};

/* What is written and who must answer. All rows share it; the counts are of before each section. */
struct addressees {
	uint32_t nr_cpus, nr_clusters;
	struct answer *answers;
	uint64_t *by_cpu, *by_cluster; /* for ICR */
};

static struct addressees all;

/* One of several writes. */
struct writes {
	const uint64_t *icr;
	uint64_t nr;
};

static struct writes cpu_writes, cluster_writes;

static bool allocate(void)
{
	all.answers = kernel_memory_alloc(nr_cpus * sizeof(*all.answers));
	all.by_cpu = kernel_memory_alloc(nr_cpus * sizeof(*all.by_cpu));
	all.by_cluster = kernel_memory_alloc(nr_cpus * sizeof(*all.by_cluster));
	return all.answers && all.by_cpu && all.by_cluster;
}

/* Those of one kind share it, so it is made once. */
static bool find_addressees(void)
{
	if (all.nr_cpus)
		return true;
	if (!allocate())
		return false;
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));) {
		all.answers[all.nr_cpus].counter = &cpu->pings;
		all.by_cpu[all.nr_cpus] = ipi_icr(cpu->apic_id, ICR_FIXED | VECTOR_PING);
		all.nr_cpus++;
	}
	cpu_writes = (struct writes){all.by_cpu, all.nr_cpus};
	return true;
}

static void read_ldr(void *value)
{
	*(uint32_t *)value = rdmsr(MSR_X2APIC_LDR);
}

/*
 * LDR: the cluster in the upper half, a bit for the CPU in the lower; one write reaches them all.
 */
static void add_to_cluster(uint32_t ldr)
{
	uint64_t icr = ipi_icr(ldr, ICR_FIXED | ICR_LOGICAL | VECTOR_PING);

	for (uint32_t i = 0; i < all.nr_clusters; i++) {
		if (all.by_cluster[i] >> 48 == ldr >> 16) {
			all.by_cluster[i] |= icr;
			return;
		}
	}
	all.by_cluster[all.nr_clusters++] = icr;
}

static const char *find_clusters(void)
{
	if (all.nr_clusters)
		return NULL;
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));) {
		static uint32_t ldr;

		smp_start_on(cpu, read_ldr, &ldr);
		if (!smp_wait(cpu, ANSWER_US))
			return "a CPU did not tell its logical ID";
		add_to_cluster(ldr);
	}
	cluster_writes = (struct writes){all.by_cluster, all.nr_clusters};
	return NULL;
}

static const char *setup(struct bench_args *args)
{
	if (!find_addressees())
		return "no memory for a list of CPUs";
	args->a = (uint64_t)&all;
	args->c = IPI_MAX_LOOKS;
	return ipi_open(args, IPI_PINGS, NULL);
}

static const char *setup_shorthand(struct bench_args *args)
{
	args->b = ipi_icr(0, ICR_FIXED | ICR_OTHERS | VECTOR_PING);
	return setup(args);
}

static const char *setup_loop(struct bench_args *args)
{
	args->b = (uint64_t)&cpu_writes;
	return setup(args);
}

static const char *setup_cluster(struct bench_args *args)
{
	const char *why = setup(args);

	args->b = (uint64_t)&cluster_writes;
	return why ? why : find_clusters();
}

static void prepare(const struct bench_args *args)
{
	(void)args;
	for (uint32_t i = 0; i < all.nr_cpus; i++)
		all.answers[i].before = __atomic_load_n(all.answers[i].counter, __ATOMIC_ACQUIRE);
}

/* The bound is for each, so that there is one register to keep. */
ALWAYS_INLINE void wait_for_all(uint64_t addressees, uint64_t looks)
{
	const struct addressees *to = (const struct addressees *)addressees;

	for (uint32_t i = 0; i < to->nr_cpus; i++)
		ipi_wait(to->answers[i].counter, to->answers[i].before, looks);
}

ALWAYS_INLINE void op_shorthand(enum ipi_way way, uint64_t to, uint64_t icr, uint64_t looks)
{
	ipi_write_shorthand(way, icr);
	wait_for_all(to, looks);
}

ALWAYS_INLINE void op_list(enum ipi_way way, uint64_t to, uint64_t writes, uint64_t looks)
{
	const struct writes *list = (const struct writes *)writes;

	for (uint64_t i = 0; i < list->nr; i++)
		ipi_write_icr(way, list->icr[i]);
	wait_for_all(to, looks);
}

IPI_SAMPLER(sample_shorthand, prepare, op_shorthand)
IPI_SAMPLER(sample_list, prepare, op_list)

static const struct bench shorthand = {
	.name = "ipi/broadcast-shorthand",
	.what = "one write of ICR with the shorthand `all but self`, until all have answered",
	.need = {.cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_shorthand,
	.finish = ipi_finish,
	.sample = sample_shorthand,
};
BENCH(shorthand);

static const struct bench loop = {
	.name = "ipi/broadcast-loop",
	.what = "a write of ICR for each other CPU, until all have answered",
	.need = {.cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_loop,
	.finish = ipi_finish,
	.sample = sample_list,
};
BENCH(loop);

static const struct bench cluster = {
	.name = "ipi/broadcast-cluster",
	.what = "a write of ICR for each x2APIC cluster, until all have answered",
	.need = {.features = NEED(FEATURE_X2APIC), .cpus = 2},
	.axes = {&ipi_apic_axis, &ipi_fence_axis},
	.applies = ipi_applies,
	.setup = setup_cluster,
	.finish = ipi_finish,
	.sample = sample_list,
};
BENCH(cluster);
