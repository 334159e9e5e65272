/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues what INVLPGB asks for, and carries it out on each CPU. */
#include "arch/x86/invlpgb_model.h"

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cycles.h"
#include "arch/x86/features.h"
#include "arch/x86/tlb.h"
#include "arch/x86/trap.h"

#define MAX_PAGES 8
#define NR_ASIDS  16 /* the host's and 15 guests' */
#define SLOTS     64 /* requests of one CPU that may be under way: a bit each */
#define SYNC_US   10000000

/* A CPU, as one who issues and as one who carries out. */
struct model_cpu {
	struct invlpgb_request ring[SLOTS]; /* slot n % SLOTS is its n-th */
	uint64_t issued;
	uint64_t random;
	struct invlpgb_model_counts counts;

	bool syncing __attribute__((aligned(CACHE_LINE))); /* others must carry out all of its */
	bool kicked;    /* an NMI is on its way to it, or has come and not looked yet */
	bool busy;      /* it is at it: an NMI that comes meanwhile leaves it to that */
	bool again;     /* one has come */
	bool has_guest; /* see invlpgb_model_fill_guest() */
} __attribute__((aligned(CACHE_LINE)));

/*
 * By index of the CPU. Bits of slots: pending[to * nr_cpus + from] are set by the one who issues and
 * cleared by the one who has carried them out.
 */
static struct model_cpu *model;
static uint64_t *pending;

static uint64_t *pending_of(uint32_t to, uint32_t from)
{
	return &pending[(size_t)to * nr_cpus + from];
}

static struct model_cpu *this_model(void)
{
	return &model[this_cpu()->index];
}

/* George Marsaglia's xorshift64. */
static uint32_t draw(struct model_cpu *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random >> 32;
}

static bool is_online(uint32_t cpu)
{
	return cpu_state(cpus[cpu]) == CPU_ONLINE;
}

/* One page of one PCID, or of all. Global entries go too: no way to invalidate a page keeps them. */
static void drop_page(const struct invlpgb_request *r, uint64_t va)
{
	bool all_pcids = !(r->flags & INVLPGB_PCID);
	bool current = (read_cr3() & CR3_PCID_MASK) == r->pcid;

	if (all_pcids || current || r->flags & INVLPGB_GLOBAL)
		tlb_flush_page_local(va);
	if (current && !all_pcids)
		return;
	/* No emulator's TLB knows PCIDs: what another one made is gone. */
	if (cpu_identity.emulated || !feature_has(FEATURE_PCID))
		return;
	if (!all_pcids && feature_has(FEATURE_INVPCID))
		tlb_flush_page_pcid_local(r->pcid, va);
	else
		tlb_flush_all_local();
}

static void drop_all(const struct invlpgb_request *r)
{
	bool current = (read_cr3() & CR3_PCID_MASK) == r->pcid;

	if (r->flags & INVLPGB_GLOBAL)
		tlb_flush_all_local();
	else if (r->flags & INVLPGB_PCID && current)
		write_cr3(read_cr3());
	else if (cpu_identity.emulated || !feature_has(FEATURE_PCID))
		write_cr3(read_cr3()); /* of another PCID nothing is there, and nothing need stay */
	else if (!feature_has(FEATURE_INVPCID))
		tlb_flush_all_local();
	else if (r->flags & INVLPGB_PCID)
		tlb_flush_pcid_local(r->pcid);
	else
		tlb_flush_nonglobal_local();
}

static void carry_out(struct model_cpu *me, const struct invlpgb_request *r)
{
	uint64_t bytes = r->stride == INVLPGB_2M ? 1ull << 21 : 1ull << 12;

	if (!(r->flags & INVLPGB_ASID) || r->asid)
		me->has_guest = false;
	if (r->flags & INVLPGB_ASID && r->asid)
		return;
	if (!(r->flags & INVLPGB_VA)) {
		drop_all(r);
		return;
	}
	for (uint32_t i = 0; i < r->nr_pages; i++)
		drop_page(r, r->va + i * bytes);
}

/* From a slot that is drawn, so that they come in any order. */
static void carry_out_slots(struct model_cpu *me, uint32_t from, uint64_t slots)
{
	uint32_t first = draw(me) % SLOTS;

	for (uint32_t i = 0; slots && i < SLOTS; i++) {
		uint32_t slot = (first + i) % SLOTS;

		if (slots >> slot & 1)
			carry_out(me, &model[from].ring[slot]);
	}
	__atomic_fetch_and(pending_of(this_cpu()->index, from), ~slots, __ATOMIC_SEQ_CST);
}

/* All of those who wait, of the others' whichever are drawn. */
static void carry_out_all(struct model_cpu *me)
{
	for (uint32_t from = 0; from < nr_cpus; from++) {
		uint64_t slots =
			__atomic_load_n(pending_of(this_cpu()->index, from), __ATOMIC_SEQ_CST);

		if (!slots)
			continue;
		if (!__atomic_load_n(&model[from].syncing, __ATOMIC_SEQ_CST))
			slots &= (uint64_t)draw(me) << 32 | draw(me);
		if (slots)
			carry_out_slots(me, from, slots);
	}
}

/* Not from within itself: an NMI that comes meanwhile is made up for. */
static void look(struct model_cpu *me)
{
	if (me->busy) {
		me->again = true;
		return;
	}
	do {
		me->again = false;
		me->busy = true;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		carry_out_all(me);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		me->busy = false;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&me->again, __ATOMIC_RELAXED));
}

static void handle_nmi(struct trap_frame *frame)
{
	struct model_cpu *me = this_model();

	trap_end_wait(frame);
	if (!__atomic_exchange_n(&me->kicked, false, __ATOMIC_SEQ_CST)) {
		this_cpu()->nmis++;
		return;
	}
	look(me);
}

static void kick(uint32_t cpu)
{
	if (!__atomic_exchange_n(&model[cpu].kicked, true, __ATOMIC_SEQ_CST))
		ipi_send_nmi(cpus[cpu]->apic_id);
}

static bool is_pending(uint32_t to, uint64_t slots)
{
	return __atomic_load_n(pending_of(to, this_cpu()->index), __ATOMIC_SEQ_CST) & slots;
}

/* Until no CPU has any of this one's left. False: one does not answer. */
static bool sync(struct model_cpu *me)
{
	uint32_t mine = this_cpu()->index;
	uint64_t deadline = clock_deadline(SYNC_US);
	bool done = true;

	__atomic_store_n(&me->syncing, true, __ATOMIC_SEQ_CST);
	for (uint32_t to = 0; to < nr_cpus; to++) {
		if (to != mine && is_pending(to, UINT64_MAX))
			kick(to);
	}
	look(me);
	for (uint32_t to = 0; to < nr_cpus && done; to++) {
		while (is_pending(to, UINT64_MAX) && done) {
			pause();
			done = !clock_passed(deadline);
		}
	}
	__atomic_store_n(&me->syncing, false, __ATOMIC_SEQ_CST);
	return done;
}

/* The slot's last request is under way no longer. */
static bool free_slot(struct model_cpu *me, uint64_t slot)
{
	for (uint32_t to = 0; to < nr_cpus; to++) {
		if (is_pending(to, slot))
			return sync(me);
	}
	return true;
}

static bool issue(struct model_cpu *me, const struct invlpgb_request *r)
{
	uint32_t n = me->issued++ % SLOTS, some = draw(me);

	if (!free_slot(me, 1ull << n))
		return false;
	me->ring[n] = *r;
	for (uint32_t to = 0; to < nr_cpus; to++) {
		if (is_online(to))
			__atomic_fetch_or(pending_of(to, this_cpu()->index), 1ull << n,
					  __ATOMIC_SEQ_CST);
	}
	me->counts.invlpgbs++;
	me->counts.alls += !(r->flags & INVLPGB_VA);
	/* One CPU in four times so soon, or this one. */
	if (some % 4 == 0 && is_online((some >> 8) % nr_cpus) &&
	    (some >> 8) % nr_cpus != this_cpu()->index)
		kick((some >> 8) % nr_cpus);
	else if (some % 4 == 1)
		look(me);
	return true;
}

/* What becomes of operands that the CPU would refuse: #GP(0), for whoever waits for it. */
static bool refuse(struct trap_frame *frame)
{
	frame->vector = VECTOR_GP;
	frame->error = 0;
	return false;
}

static bool do_invlpgb(struct trap_frame *frame)
{
	const struct invlpgb_operands operands = {frame->rax, (uint32_t)frame->rcx,
						  (uint32_t)frame->rdx};
	struct invlpgb_limits limits = invlpgb_model_limits();
	struct invlpgb_request request;

	if (invlpgb_decode(&operands, frame->cs & 3, &limits, &request))
		return refuse(frame);
	return issue(this_model(), &request);
}

static bool do_tlbsync(struct trap_frame *frame)
{
	if (frame->cs & 3)
		return refuse(frame);
	this_model()->counts.tlbsyncs++;
	return sync(this_model());
}

/* True: done, and the instruction is behind. Otherwise the frame says which exception it is. */
static bool emulate(struct trap_frame *frame)
{
	uint64_t begun = cycles_now();
	enum invlpgb_insn insn = invlpgb_insn_at((const uint8_t *)frame->rip);
	bool done = false;

	if (insn == INSN_INVLPGB)
		done = do_invlpgb(frame);
	else if (insn == INSN_TLBSYNC)
		done = do_tlbsync(frame);
	if (done) {
		frame->rip += INVLPGB_BYTES;
		this_model()->counts.ticks += cycles_now() - begun;
	}
	return done;
}

struct invlpgb_limits invlpgb_model_limits(void)
{
	uint64_t cr4 = read_cr4();

	return (struct invlpgb_limits){
		.max_pages = MAX_PAGES,
		.nr_asids = NR_ASIDS,
		.nested = false,
		.pcide = cr4 & CR4_PCIDE,
		.va_bits = cr4 & CR4_LA57 ? 57 : 48,
	};
}

size_t invlpgb_model_bytes(uint32_t n)
{
	return n * sizeof(*model) + (size_t)n * n * sizeof(*pending);
}

void invlpgb_model_start(void *memory, uint64_t seed)
{
	model = memory;
	pending = (uint64_t *)(model + nr_cpus);
	for (uint32_t i = 0; i < nr_cpus; i++)
		model[i].random = (seed + i + 1) * 0x9e3779b97f4a7c15ull;
	trap_set_handler(VECTOR_NMI, handle_nmi);
	trap_set_emulator(emulate);
}

bool invlpgb_model_is_on(void)
{
	return model;
}

struct invlpgb_model_counts invlpgb_model_counts(void)
{
	struct invlpgb_model_counts total = {.invlpgbs = 0};

	for (uint32_t i = 0; model && i < nr_cpus; i++) {
		total.invlpgbs += model[i].counts.invlpgbs;
		total.alls += model[i].counts.alls;
		total.tlbsyncs += model[i].counts.tlbsyncs;
		total.ticks += model[i].counts.ticks;
	}
	return total;
}

uint64_t invlpgb_model_total(void)
{
	struct invlpgb_model_counts counts = invlpgb_model_counts();

	return counts.invlpgbs + counts.tlbsyncs;
}

void invlpgb_model_fill_guest(void)
{
	this_model()->has_guest = true;
}

bool invlpgb_model_has_guest(void)
{
	return this_model()->has_guest;
}
