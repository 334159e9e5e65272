/* SPDX-License-Identifier: BSD-2-Clause */
/* Axes and books of ipi/. */
#include "tests/bench/ipi_account.h"

#include "arch/x86/clock.h"
#include "kernel/format.h"
#include "kernel/inject.h"
#include "mm/kernel_space.h"

#define SETTLE_US 1000000

static const char *const apic_names[] = {[APIC_XAPIC] = "xapic", [APIC_X2APIC] = "x2apic"};
static const char *const fence_axis_names[] = {"patched", "none", "both"};

const struct axis ipi_apic_axis = {
	.key = "apic",
	.names = apic_names,
	.nr = 2,
	.values = {APIC_XAPIC, APIC_X2APIC},
};

const struct axis ipi_fence_axis = {
	.key = "fence",
	.names = fence_axis_names,
	.nr = 3,
	.values = {IPI_FENCE_PATCHED, IPI_FENCE_NONE, IPI_FENCE_BOTH},
};

const struct axis ipi_receiver_axis = {
	.key = "receiver",
	.names = peer_wait_names,
	.nr = PEER_WAITS,
	.values = {PEER_HLT, PEER_POLL, PEER_MWAIT, PEER_BUSY},
};

bool ipi_applies(const struct axis_point *p)
{
	if (p->values[IPI_AT_APIC] != apic_mode())
		return false;
	return apic_mode() == APIC_X2APIC || p->values[IPI_AT_FENCE] == IPI_FENCE_NONE;
}

bool ipi_receiver_applies(const struct axis_point *p)
{
	if (p->values[IPI_AT_RECEIVER] == PEER_MWAIT && !feature_has(FEATURE_MWAIT))
		return false;
	return ipi_applies(p);
}

enum ipi_way ipi_way(const struct axis_point *at)
{
	static const enum ipi_way ways[] = {
		[IPI_FENCE_PATCHED] = IPI_PATCHED,
		[IPI_FENCE_NONE] = IPI_NONE,
		[IPI_FENCE_BOTH] = IPI_BOTH,
	};

	return apic_mode() == APIC_XAPIC ? IPI_XAPIC : ways[at->values[IPI_AT_FENCE]];
}

uint64_t ipi_icr(uint32_t destination, uint32_t low)
{
	uint32_t high = apic_mode() == APIC_XAPIC ? destination << 24 : destination;

	return (uint64_t)high << 32 | ICR_ASSERT | low;
}

uint64_t *ipi_received(struct cpu *cpu, enum ipi_counter counter)
{
	return counter == IPI_NMIS ? &cpu->nmis : &cpu->pings;
}

static uint64_t *ledger(struct cpu *cpu, enum ipi_counter counter)
{
	return counter == IPI_NMIS ? &cpu->nmis_sent : &cpu->pings_sent;
}

static uint64_t count(struct cpu *cpu, enum ipi_counter counter)
{
	return __atomic_load_n(ipi_received(cpu, counter), __ATOMIC_ACQUIRE);
}

const char *ipi_open(struct bench_args *args, enum ipi_counter counter, struct cpu *receiver)
{
	struct ipi_tally *t = kernel_memory_alloc(sizeof(*t));

	if (!t)
		return "no memory to keep account";
	*t = (struct ipi_tally){.counter = counter, .receiver = receiver};
	args->state = t;
	return NULL;
}

const char *ipi_finish(const struct bench_args *args)
{
	static char why[CHECK_TEXT_MAX];
	struct ipi_tally *t = args->state;
	const char *problem = t->problem;

	if (!problem && t->sent != t->received) {
		format(why, sizeof(why), "%lu IPIs sent, %lu received", t->sent, t->received);
		problem = why;
	}
	kernel_memory_free(t, sizeof(*t));
	return problem;
}

void ipi_enter(const struct bench_args *args)
{
	struct ipi_tally *t = args->state;

	if (t->problem)
		return;
	t->held = peer_hold(t->receiver, args->at.values[IPI_AT_RECEIVER]);
	if (!t->held)
		t->problem = "the receiver did not begin to wait";
}

void ipi_leave(const struct bench_args *args)
{
	struct ipi_tally *t = args->state;

	if (t->held && !peer_release(t->receiver))
		t->problem = "the receiver did not end its wait";
	t->held = false;
}

/* Walks the receivers: *i from 0 on; NULL at the end. */
static struct cpu *next_receiver(const struct ipi_tally *t, uint32_t *i)
{
	if (t->receiver)
		return (*i)++ ? NULL : t->receiver;
	while (*i < nr_cpus) {
		struct cpu *cpu = cpus[(*i)++];

		if (cpu != this_cpu() && cpu_state(cpu) == CPU_ONLINE)
			return cpu;
	}
	return NULL;
}

static void book_sent(struct ipi_tally *t)
{
	struct cpu *cpu;

	for (uint32_t i = 0; (cpu = next_receiver(t, &i));) {
		++*ledger(cpu, t->counter);
		t->sent++;
	}
}

/*
 * What came since the ledgers were level, which is also what came late from an earlier operation or
 * another row: it belongs to nobody's account and must show.
 */
static void book_received(struct ipi_tally *t)
{
	struct cpu *cpu;

	for (uint32_t i = 0; (cpu = next_receiver(t, &i));) {
		uint64_t *sent = ledger(cpu, t->counter), came = count(cpu, t->counter);

		t->received += came - (*sent - 1);
		*sent = came;
	}
}

/* inject=dup-ipi: one more to the first receiver, who has taken the first. Interrupts off. */
static void send_again(const struct ipi_tally *t)
{
	uint32_t first = 0;
	struct cpu *cpu = next_receiver(t, &first);
	uint64_t before = count(cpu, t->counter), deadline = clock_deadline(SETTLE_US);

	if (t->counter == IPI_NMIS)
		ipi_send_nmi(cpu->apic_id);
	else
		ipi_send(cpu->apic_id, VECTOR_PING);
	sti(); /* it may be this CPU */
	while (count(cpu, t->counter) == before && !clock_passed(deadline))
		pause();
	cli();
}

void ipi_sample(const struct bench_args *args, ipi_sampler sampler, enum bench_length length,
		int64_t *ticks, size_t n)
{
	struct ipi_tally *t = args->state;

	for (size_t i = 0; i < n; i++) {
		bool first = !t->sent;

		ticks[i] = 0;
		/* A loss costs the whole wait, and the figures are worth nothing already. */
		if (t->problem || t->sent != t->received)
			continue;
		book_sent(t);
		if (!first || !inject_is(INJECT_LOSE_IPI))
			sampler(args, length, &ticks[i], 1);
		if (first && inject_is(INJECT_DUP_IPI))
			send_again(t);
		book_received(t);
	}
}

bool ipi_claim(struct cpu *cpu)
{
	uint64_t sent = __atomic_load_n(&cpu->pings_sent, __ATOMIC_RELAXED);

	/* Where more came than was sent, two more could be under way at once, merge and hide that. */
	if (count(cpu, IPI_PINGS) != sent)
		return false;
	return __atomic_compare_exchange_n(&cpu->pings_sent, &sent, sent + 1, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

int64_t ipi_settle(struct cpu *cpu)
{
	uint64_t sent = __atomic_load_n(&cpu->pings_sent, __ATOMIC_ACQUIRE);
	uint64_t deadline = clock_deadline(SETTLE_US);
	int64_t excess;

	while ((excess = (int64_t)(count(cpu, IPI_PINGS) - sent)) < 0 && !clock_passed(deadline))
		pause();
	__atomic_store_n(&cpu->pings_sent, sent + excess, __ATOMIC_RELEASE);
	return excess;
}
