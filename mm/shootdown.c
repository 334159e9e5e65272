/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks CPUs to invalidate, by IPI, and answers those who ask.
 *
 * Each CPU has one request, which stands where others can read it while its CPU waits for answers,
 * and a set of those whose requests it has to answer. One who waits answers too, so two CPUs that
 * ask each other with interrupts off do not wait for ever. tests/host/space_model.h takes the steps
 * of a flush in the same order.
 */
#include "mm/shootdown.h"

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/features.h"
#include "arch/x86/tlb.h"
#include "arch/x86/trap.h"
#include "mm/broadcast.h"
#include "mm/cpu_set.h"
#include "mm/kernel_space.h"
#include "mm/tlb_state.h"

/* One who waits looks so often for each PAUSE, for which an emulator leaves its fast path. */
#define LOOKS_PER_PAUSE 64
#define AWAKE_US        20         /* then it may halt */
#define REST_COUNT      (1u << 27) /* of the APIC's timer: 0.1 s in QEMU, seconds elsewhere */
#define CLUSTER_BITS    4          /* x2APIC logical IDs: 16 CPUs to a cluster */
#define CLUSTER_CPUS    (1u << CLUSTER_BITS)

unsigned shootdown_faults;

static struct tlb_state *states; /* by index of the CPU */
static uint64_t *online;         /* the CPUs that answer */
static uint32_t words;           /* of each set of CPUs */
static uint64_t ceiling;

/* The user half of the page or of everything: by INVPCID, or when it is entered next. */
static void flush_user(struct tlb_state *t, const uint64_t *va)
{
	uint64_t pcid = PCID_USER_OF(t->asid);

	if (t->user_behind >> t->asid & 1)
		return;
	if (!feature_has(FEATURE_PCID) || !feature_has(FEATURE_INVPCID))
		t->user_behind |= 1u << t->asid;
	else if (va)
		tlb_flush_page_pcid_local(pcid, *va);
	else
		tlb_flush_pcid_local(pcid);
}

static void flush_range(struct tlb_state *t, const struct flush_request *request)
{
	bool pti = t->space->user_root;

	for (uint64_t va = request->start; va != request->end; va += request->stride) {
		tlb_flush_page_local(va);
		if (pti)
			flush_user(t, &va);
		t->counts.pages++;
	}
}

/* Interrupts off, and the space, if this CPU runs it, under a dynamic ASID. What it holds of it under
 * other ASIDs it sees to when it switches. */
static void invalidate(struct tlb_state *t, struct address_space *space,
		       const struct flush_request *request)
{
	if (t->space != space)
		return;
	switch (flush_request_plan(request, space_users_generation(&space->users),
				   &t->asids.slots[t->asid].generation)) {
	case FLUSH_NOTHING:
		break;
	case FLUSH_RANGE:
		flush_range(t, request);
		break;
	case FLUSH_ALL:
		/* Bit 63 reads as 0, so it invalidates the PCID that is there (never a global entry). */
		write_cr3(read_cr3());
		if (space->user_root)
			flush_user(t, NULL);
		t->counts.alls++;
		break;
	}
}

/*
 * Interrupts off. What runs under a global ASID has nothing of the space that a broadcast does not
 * reach, or that is older than the ASID: the change that is asked about comes before the asking.
 */
static void answer(struct tlb_state *t, struct address_space *space,
		   const struct flush_request *request)
{
	uint32_t global;

	if (t->space != space || !is_dynamic(t))
		return;
	global = space_global_asid(&space->global);
	if (global == GLOBAL_ASID_NONE)
		invalidate(t, space, request);
	else
		address_space_load_global(t, space, global);
}

/* One who asked has one answer more. The count is a full barrier: see rest(). */
static void count_answer(struct tlb_state *from)
{
	if (__atomic_sub_fetch(&from->pending, 1, __ATOMIC_SEQ_CST) == 0 &&
	    __atomic_load_n(&from->resting, __ATOMIC_SEQ_CST))
		ipi_send(cpus[from->index]->apic_id, VECTOR_SHOOTDOWN);
}

/*
 * SHOOTDOWN_EARLY_ACK: what was answered before is carried out now; what is asked now is put off.
 * It is copied, as the other may ask for something else by then.
 */
static void answer_early(struct tlb_state *t, const struct tlb_state *from)
{
	struct flush_request request = from->request;

	if (t->put_off_space)
		answer(t, t->put_off_space, &t->put_off);
	t->put_off = request;
	t->put_off_space = from->request_space;
}

/* Answers all who have asked by now. Interrupts off. */
static void serve(struct tlb_state *t)
{
	for (uint32_t i = 0; i < words; i++) {
		uint64_t asking = 0;

		if (__atomic_load_n(&t->requested_by[i], __ATOMIC_RELAXED))
			asking = __atomic_exchange_n(&t->requested_by[i], 0, __ATOMIC_ACQUIRE);
		for (; asking; asking &= asking - 1) {
			struct tlb_state *from = &states[i * 64 + __builtin_ctzll(asking)];

			t->counts.served++;
			if (__builtin_expect(shootdown_faults & SHOOTDOWN_EARLY_ACK, 0))
				answer_early(t, from);
			else
				answer(t, from->request_space, &from->request);
			count_answer(from);
		}
	}
}

static void handle_shootdown(struct trap_frame *frame)
{
	(void)frame;
	/* First, so that one who asks from here on gets an interrupt of its own. */
	apic_eoi();
	serve(tlb_state());
}

static void write_icr(struct tlb_state *t, uint32_t destination, uint32_t low)
{
	t->counts.icr_writes++;
	if (apic_mode() == APIC_X2APIC)
		x2apic_write_icr(destination, low | ICR_ASSERT);
	else
		xapic_write_icr(destination, low | ICR_ASSERT);
}

/* One cluster's: by its logical ID where it is more than one CPU. */
static void send_cluster(struct tlb_state *t, uint32_t apic_id, uint32_t members)
{
	uint32_t cluster = apic_id >> CLUSTER_BITS;

	if (members & (members - 1))
		write_icr(t, cluster << CLUSTER_CPUS | members,
			  ICR_FIXED | ICR_LOGICAL | VECTOR_SHOOTDOWN);
	else if (members)
		write_icr(t, apic_id, ICR_FIXED | VECTOR_SHOOTDOWN);
}

/* Interrupts off. `cpu_set` is not empty. In xAPIC mode every CPU is a cluster. */
static void send(struct tlb_state *t, const uint64_t *cpu_set)
{
	uint32_t shift = apic_mode() == APIC_X2APIC ? CLUSTER_BITS : 0;
	uint32_t last = 0, members = 0;

	for (uint32_t i = 0; i < words; i++) {
		for (uint64_t word = cpu_set[i]; word; word &= word - 1) {
			uint32_t id = cpus[i * 64 + __builtin_ctzll(word)]->apic_id;

			if (members && id >> shift != last >> shift) {
				send_cluster(t, last, members);
				members = 0;
			}
			members |= 1u << (shift ? id % CLUSTER_CPUS : 0);
			last = id;
		}
	}
	send_cluster(t, last, members);
}

/* inject=skip-remote */
static uint32_t drop_last(uint64_t *cpu_set, uint32_t nr)
{
	for (uint32_t i = words; i-- > 0;) {
		if (!cpu_set[i])
			continue;
		cpu_set[i] &= ~(1ull << (63 - __builtin_clzll(cpu_set[i])));
		return nr - 1;
	}
	return nr;
}

/*
 * Halts until somebody asks or the last answer is there: a hypervisor may have put the CPUs that are
 * waited for aside to run this one. Only where the caller had interrupts on, and off on entry and
 * return. Either the last one to answer sees `resting`, or this one sees its answer; if nobody
 * answers, the timer ends it.
 */
static void rest(struct tlb_state *t)
{
	apic_timer_enable(APIC_TIMER_ONE_SHOT, VECTOR_SHOOTDOWN);
	apic_timer_write_count(REST_COUNT);
	__atomic_store_n(&t->resting, true, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&t->pending, __ATOMIC_SEQ_CST))
		sti_hlt();
	cli();
	__atomic_store_n(&t->resting, false, __ATOMIC_RELAXED);
	apic_timer_disable();
}

/* Interrupts off. */
static bool wait_for_answers(struct tlb_state *t, bool may_rest)
{
	uint64_t deadline = 0, rest_at = 0;

	for (uint64_t i = 0; __atomic_load_n(&t->pending, __ATOMIC_ACQUIRE); i++) {
		serve(t);
		if (i % LOOKS_PER_PAUSE)
			continue;
		pause();
		if (!i)
			continue; /* mostly they have answered by now, and the clock is not needed */
		if (!deadline) {
			deadline = clock_deadline(SHOOTDOWN_ANSWER_US);
			rest_at = clock_deadline(AWAKE_US);
		} else if (clock_passed(deadline)) {
			return false;
		} else if (may_rest && clock_passed(rest_at)) {
			rest(t);
		}
	}
	return true;
}

/* Interrupts off. */
static bool ask(struct tlb_state *t, struct address_space *space, uint32_t nr, bool may_rest)
{
	t->request_space = space;
	t->counts.ipis += nr;
	__atomic_store_n(&t->pending, nr, __ATOMIC_RELAXED);
	/* The atomic changes of the sets publish all of that to who reads them. */
	for (uint32_t i = 0; i < words; i++) {
		for (uint64_t word = t->targets[i]; word; word &= word - 1)
			cpu_set_add(states[i * 64 + __builtin_ctzll(word)].requested_by, t->index);
	}
	send(t, t->targets);
	return wait_for_answers(t, may_rest);
}

/* Fills the targets with those who do not run the space under its global ASID yet. How many. */
static uint32_t begin_broadcast(struct tlb_state *t, struct address_space *space, uint32_t global)
{
	if (t->space == space && is_dynamic(t))
		address_space_load_global(t, space, global);
	broadcast_issue(t, space, global, &t->request);
	if (__builtin_expect(shootdown_faults & SHOOTDOWN_NO_FINISH, 0))
		return 0;
	return space_global_stragglers(&space->global, &space->users, t->index, t->targets);
}

bool address_space_flush_range(struct address_space *space, uint64_t start, uint64_t end,
			       uint64_t stride, bool freed_tables)
{
	struct tlb_state *t = tlb_state();
	const struct flush_policy *policy = __atomic_load_n(&space->policy, __ATOMIC_RELAXED);
	uint64_t irqs;
	uint32_t global, nr;

	if (t->broken)
		return false;
	if (!flush_request_make(&t->request, start, end, stride, freed_tables, ceiling))
		return true;
	if (__builtin_expect(shootdown_faults & SHOOTDOWN_SHORT_RANGE, 0))
		t->request.end -= t->request.stride;
	irqs = irq_save();
	t->counts.flushes++;
	t->request.generation = space_users_advance(&space->users);
	global = space_global_asid(&space->global);
	if (global == GLOBAL_ASID_NONE) {
		invalidate(t, space, &t->request);
		nr = space_users_targets(&space->users, policy, online, t->index, t->targets);
	} else {
		nr = begin_broadcast(t, space, global);
	}
	if (nr && __builtin_expect(shootdown_faults & SHOOTDOWN_SKIP_REMOTE, 0))
		nr = drop_last(t->targets, nr);
	if (nr)
		t->broken = !ask(t, space, nr, irqs & RFLAGS_IF && feature_has(FEATURE_HYPERVISOR));
	if (global != GLOBAL_ASID_NONE)
		broadcast_wait(t);
	else if (policy->owner && t->request.all && t->space == space)
		space_users_own(&space->users, t->index);
	else if (policy->broadcast)
		broadcast_consider(t, space, policy);
	irq_restore(irqs);
	return !t->broken;
}

uint64_t shootdown_ceiling(void)
{
	return ceiling;
}

const struct shootdown_counts *shootdown_counts(uint32_t cpu)
{
	return &states[cpu].counts;
}

struct shootdown_counts shootdown_counts_total(void)
{
	struct shootdown_counts total = {.flushes = 0};
	uint64_t *sum = (uint64_t *)&total;

	for (uint32_t i = 0; i < nr_cpus; i++) {
		const uint64_t *of = (const uint64_t *)shootdown_counts(i);

		for (unsigned k = 0; k < sizeof(total) / sizeof(*sum); k++)
			sum[k] += of[k];
	}
	return total;
}

void shootdown_join(uint32_t cpu)
{
	cpu_set_add(online, cpu);
}

bool shootdown_init(uint64_t pages, unsigned faults)
{
	ceiling = pages;
	shootdown_faults = faults;
	words = cpu_set_words(nr_cpus);
	states = kernel_memory_alloc(nr_cpus * sizeof(*states));
	/* The sets of all CPUs, and that of those online. */
	online = kernel_memory_alloc((2ull * nr_cpus + 1) * words * sizeof(uint64_t));
	if (!states || !online)
		return false;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		states[i].index = i;
		states[i].asids.nr = feature_has(FEATURE_PCID) ? ASIDS_DYNAMIC : 1;
		states[i].targets = online + (1 + 2ull * i) * words;
		states[i].requested_by = online + (2 + 2ull * i) * words;
		cpus[i]->tlb = &states[i];
	}
	trap_set_handler(VECTOR_SHOOTDOWN, handle_shootdown);
	return true;
}
