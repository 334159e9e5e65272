/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The round trip of an IPI between every two CPUs, both ways: the sender measures it on itself as
 * ipi/unicast-rtt does, while the receiver waits in HLT or polls; CPU 0 polls in either case. A few
 * samples for each pair give a median; the text sums pairs up by how near they are. Up to 64 CPUs
 * all pairs are taken; of more, those among the first 32 and 32 that are spread evenly over the
 * rest. Where that takes too long (two CPUs that spin on one host CPU), pairs all over the matrix
 * are left out and null. Every IPI is accounted for.
 */
#include "arch/x86/clock.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/report.h"
#include "kernel/harness/stats.h"
#include "kernel/inject.h"
#include "kernel/smp.h"
#include "mm/kernel_space.h"
#include "tests/bench/ipi_account.h"

#define CPUS_MAX  64
#define SAMPLES   15
#define WARM_UP   2
#define FEWEST    3        /* with the time of a pair up */
#define PAIR_US   20000    /* after that no further sample of a pair */
#define ANSWER_US 10000000 /* for the whole work of a sender, whatever happens */
#define BUDGET_US 20000000 /* for all columns, which share it evenly */
#define KINDS     (CORE_EFFICIENT + 1)

_Static_assert(CPUS_MAX <= MATRIX_MAX, "a row is one record");

/* What the sender is given and what it gives back. */
struct pair {
	struct cpu *to;
	uint64_t icr;
	uint64_t tries; /* IPIs sent */
	uint32_t nr;
	int64_t ticks[SAMPLES + WARM_UP];
};

struct matrix {
	uint32_t nr;
	struct cpu *cpus[CPUS_MAX];
	uint32_t columns[CPUS_MAX]; /* their places in the table */
	int64_t ticks[CPUS_MAX][CPUS_MAX];
	int64_t scratch[CPUS_MAX * CPUS_MAX];
	uint64_t sent, received;
	uint32_t pairs;
	bool mute;
};

static struct matrix matrix;
static struct pair pair;

static void choose_cpus(void)
{
	uint32_t others = smp.online > CPUS_MAX ? smp.online - CPUS_MAX / 2 : 0, number = 0;

	matrix.nr = 0;
	for (uint32_t i = 0; i < nr_cpus && matrix.nr < CPUS_MAX; i++) {
		uint32_t wanted = matrix.nr;

		if (cpu_state(cpus[i]) != CPU_ONLINE)
			continue;
		if (others && wanted >= CPUS_MAX / 2)
			wanted = CPUS_MAX / 2 + (wanted - CPUS_MAX / 2) * others / (CPUS_MAX / 2);
		if (number++ < wanted)
			continue;
		matrix.columns[matrix.nr] = i;
		matrix.cpus[matrix.nr++] = cpus[i];
	}
}

ALWAYS_INLINE int64_t time_one(enum ipi_way way, const struct pair *p)
{
	const uint64_t *counter = &p->to->pings;
	uint64_t before = __atomic_load_n(counter, __ATOMIC_ACQUIRE), icr = p->icr;
	struct cycles begin;

	__asm__ volatile("" : "+r"(icr), "+r"(counter), "+r"(before));
	begin = cycles_begin();
	ipi_write_icr(way, icr);
	ipi_wait(counter, before, IPI_MAX_LOOKS);
	return (int64_t)cycles_end(begin);
}

/* On the sender, interrupts off. The first that is not answered ends it. */
static void measure(void *unused)
{
	uint64_t deadline = clock_deadline(PAIR_US);

	(void)unused;
	while (pair.nr < SAMPLES + WARM_UP) {
		if (pair.nr >= FEWEST + WARM_UP && clock_passed(deadline))
			return;
		if (!ipi_claim(pair.to))
			return;
		pair.tries++;
		if (apic_mode() == APIC_X2APIC)
			pair.ticks[pair.nr++] = time_one(IPI_PATCHED, &pair);
		else
			pair.ticks[pair.nr++] = time_one(IPI_XAPIC, &pair);
	}
}

/* Once, in the first pair; outside the timed part. Interrupts off, on CPU 0. */
static void inject(struct cpu *to)
{
	uint64_t before = __atomic_load_n(&to->pings, __ATOMIC_ACQUIRE);

	if (inject_is(INJECT_LOSE_IPI) && ipi_claim(to))
		pair.tries++;
	if (inject_is(INJECT_DUP_IPI)) {
		ipi_send(to->apic_id, VECTOR_PING);
		ipi_wait(&to->pings, before, IPI_MAX_LOOKS);
	}
}

static bool run_on(struct cpu *from)
{
	uint64_t flags;

	if (from != this_cpu()) {
		smp_start_on(from, measure, NULL);
		return smp_wait(from, ANSWER_US);
	}
	flags = irq_save();
	if (!matrix.sent)
		inject(pair.to);
	measure(NULL);
	irq_restore(flags);
	return true;
}

static int64_t measure_pair(struct cpu *from, struct cpu *to)
{
	struct stats s;

	pair = (struct pair){
		.to = to,
		.icr = ipi_icr(to->apic_id, ICR_FIXED | VECTOR_PING),
	};
	if (!run_on(from)) {
		matrix.mute = true;
		return MATRIX_NONE;
	}
	matrix.sent += pair.tries;
	matrix.received += pair.tries + ipi_settle(to);
	if (pair.nr < FEWEST + WARM_UP)
		return MATRIX_NONE;
	matrix.pairs++;
	stats_sort(pair.ticks + WARM_UP, pair.nr - WARM_UP);
	stats_compute(pair.ticks + WARM_UP, pair.nr - WARM_UP, &s);
	return s.p50;
}

/* Steps that lead from one CPU to all others, near and far in turn, whatever their number. */
static uint32_t find_stride(uint32_t n)
{
	uint32_t stride = n * 5 / 8, a, b;

	do {
		stride++;
		for (a = n, b = stride; b;) {
			uint32_t rest = a % b;

			a = b;
			b = rest;
		}
	} while (a != 1);
	return stride;
}

/* Every sender to one receiver, which waits all the time, its neighbour first. */
static void measure_column(uint32_t column, enum peer_wait how, uint64_t deadline)
{
	struct cpu *to = matrix.cpus[column];
	bool hold = to != this_cpu();
	uint32_t n = matrix.nr, stride = find_stride(n), row = (column + 1) % n;

	if (hold && !peer_hold(to, how)) {
		matrix.mute = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++, row = (row + stride) % n) {
		bool wanted = row != column && !clock_passed(deadline) && !matrix.mute &&
			      matrix.sent == matrix.received;

		if (wanted)
			matrix.ticks[row][column] = measure_pair(matrix.cpus[row], to);
	}
	if (hold && !peer_release(to))
		matrix.mute = true;
}

static const struct axis receiver_axis = {
	.key = "receiver",
	.names = peer_wait_names,
	.nr = 2,
	.values = {PEER_HLT, PEER_POLL},
};

#define RTT_AXES                               \
	{                                      \
		&ipi_apic_axis, &receiver_axis \
	}

enum { AT_APIC, AT_RECEIVER };

static bool applies(const struct axis_point *p)
{
	return p->values[AT_APIC] == apic_mode();
}

static void report_rows(const struct axis_point *at)
{
	static const struct axis *const axes[AXES_MAX] = RTT_AXES;

	for (uint32_t row = 0; row < matrix.nr; row++)
		report_matrix_row(&(struct report_matrix_row){
			.name = "ipi/rtt",
			.axes = axes,
			.at = *at,
			.row = matrix.columns[row],
			.columns = matrix.columns,
			.p50 = matrix.ticks[row],
			.nr = matrix.nr,
		});
}

/* How near a sender and a receiver are, and on a hybrid machine of which kinds. */
struct class
{
	enum topology_relation relation;
	enum core_kind from, to;
};

static bool is_in(const struct class *c, uint32_t row, uint32_t column)
{
	const struct topology *from = &matrix.cpus[row]->topology;
	const struct topology *to = &matrix.cpus[column]->topology;

	return row != column && matrix.ticks[row][column] != MATRIX_NONE && from->kind == c->from &&
	       to->kind == c->to && topology_relate(from, to) == c->relation;
}

static void print_class(const struct class *c, const char *receiver)
{
	static const char *const kinds[KINDS] = {
		[CORE_UNKNOWN] = "",
		[CORE_PERFORMANCE] = "performance",
		[CORE_EFFICIENT] = "efficient",
	};
	bool hybrid = c->from != CORE_UNKNOWN || c->to != CORE_UNKNOWN;
	uint32_t n = 0;

	for (uint32_t row = 0; row < matrix.nr; row++) {
		for (uint32_t column = 0; column < matrix.nr; column++) {
			if (is_in(c, row, column))
				matrix.scratch[n++] = matrix.ticks[row][column];
		}
	}
	if (!n)
		return;
	stats_sort(matrix.scratch, n);
	printk("  ipi/rtt receiver=%s: %s%s%s%s%s %ld ticks (%u pairs, %ld-%ld)\n", receiver,
	       topology_relation_names[c->relation], hybrid ? ", " : "", kinds[c->from],
	       hybrid ? " to " : "", kinds[c->to], matrix.scratch[(n - 1) / 2], n,
	       matrix.scratch[0], matrix.scratch[n - 1]);
}

static void print_classes(const char *receiver)
{
	for (unsigned relation = 0; relation < TOPOLOGY_RELATIONS; relation++) {
		for (unsigned kinds = 0; kinds < KINDS * KINDS; kinds++) {
			const struct class c = {relation, kinds / KINDS, kinds % KINDS};

			print_class(&c, receiver);
		}
	}
}

static void measure_all(enum peer_wait how)
{
	uint64_t begin = cycles_now(), share;

	matrix.sent = matrix.received = matrix.pairs = 0;
	matrix.mute = false;
	choose_cpus();
	for (uint32_t row = 0; row < matrix.nr; row++) {
		for (uint32_t column = 0; column < matrix.nr; column++)
			matrix.ticks[row][column] = MATRIX_NONE;
	}
	share = clock.tsc_hz / 1000000 * BUDGET_US / matrix.nr;
	for (uint32_t i = 0; i < matrix.nr; i++)
		/* CPU 0 sends first, for inject=. */
		measure_column(matrix.nr - 1 - i, how, begin + share * (i + 1));
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	measure_all(at->values[AT_RECEIVER]);
	if (matrix.mute)
		return check_end(report, CHECK_FAIL, "a CPU did not begin or end in time");
	if (matrix.sent != matrix.received)
		return check_end(report, CHECK_FAIL, "%lu IPIs sent, %lu received", matrix.sent,
				 matrix.received);
	report_rows(at);
	print_classes(peer_wait_names[at->values[AT_RECEIVER]]);
	return check_end(report, CHECK_PASS, "%u of %u pairs, %lu IPIs sent and received",
			 matrix.pairs, matrix.nr * (matrix.nr - 1), matrix.sent);
}

static const struct check rtt = {
	.name = "ipi/rtt",
	.what = "IPIs and answers between every two CPUs, each exactly once",
	.need = {.cpus = 2},
	.axes = RTT_AXES,
	.applies = applies,
	.run = run,
};
CHECK(rtt);
