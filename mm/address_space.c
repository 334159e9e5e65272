/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes, changes and switches address spaces. tests/host/space_model.h takes the steps of a switch
 * in the same order.
 */
#include "mm/address_space.h"

#include "arch/x86/features.h"
#include "arch/x86/insn.h"
#include "arch/x86/mem.h"
#include "mm/broadcast.h"
#include "mm/cpu_set.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "mm/tlb_state.h"

#define TOP_ENTRIES 512

static uint64_t last_id;

static uint64_t *top_table(uint64_t root)
{
	return phys_to_virt(root);
}

static bool create_root(uint64_t *root)
{
	*root = frame_alloc_zeroed();
	if (!*root)
		return false;
	/* kernel_space_init() filled the upper half for good: what is added there lies below it. */
	memcpy(top_table(*root) + TOP_ENTRIES / 2, top_table(kernel_tables.root) + TOP_ENTRIES / 2,
	       FRAME_SIZE / 2);
	return true;
}

bool address_space_create(struct address_space *space, const struct flush_policy *policy, bool pti)
{
	uint32_t words = cpu_set_words(nr_cpus);
	uint64_t *sets = kernel_memory_alloc(2 * words * sizeof(*sets));

	*space = (struct address_space){
		.users = {.id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED),
			  .generation = 1,
			  .active = sets,
			  .words = words,
			  .owner = OWNER_NONE},
		.global = {.settled = sets ? sets + words : NULL},
		.policy = policy,
		.tables = {.levels = kernel_tables.levels},
	};
	if (!sets || !create_root(&space->tables.root) ||
	    (pti && !create_root(&space->user_root))) {
		address_space_destroy(space);
		return false;
	}
	if (policy->from_start)
		broadcast_give_asid(space);
	return true;
}

static void free_tables(uint64_t table, unsigned level, unsigned entries)
{
	const uint64_t *entry = phys_to_virt(table);

	for (unsigned i = 0; level && i < entries; i++) {
		if (entry[i] & PTE_PRESENT && !(entry[i] & PTE_LARGE))
			free_tables(entry[i] & PTE_ADDR_MASK, level - 1, TOP_ENTRIES);
	}
	frames_free(table, 1);
}

void address_space_destroy(struct address_space *space)
{
	broadcast_take_asid_back(space);
	if (space->tables.root)
		free_tables(space->tables.root, space->tables.levels - 1, TOP_ENTRIES / 2);
	if (space->user_root)
		frames_free(space->user_root, 1);
	kernel_memory_free(space->users.active, 2 * space->users.words * sizeof(uint64_t));
	*space = (struct address_space){.policy = NULL};
}

bool address_space_map(struct address_space *space, uint64_t va, uint64_t phys, enum page_size size,
		       unsigned flags)
{
	uint64_t irqs;
	bool mapped;

	if (va >= ADDRESS_SPACE_END || flags & MAP_GLOBAL)
		return false;
	irqs = spin_lock_irqsave(&space->lock);
	mapped = paging_map(&space->tables, va, phys, size, flags);
	if (space->user_root) {
		unsigned top = va >> (12 + 9 * (space->tables.levels - 1)) & (TOP_ENTRIES - 1);

		top_table(space->user_root)[top] = top_table(space->tables.root)[top];
	}
	spin_unlock_irqrestore(&space->lock, irqs);
	return mapped;
}

uint64_t address_space_exchange(struct address_space *space, uint64_t va, uint64_t entry)
{
	uint64_t *at = paging_entry(&space->tables, va, NULL);

	return at ? __atomic_exchange_n(at, entry, __ATOMIC_SEQ_CST) : 0;
}

uint64_t address_space_detach_table(struct address_space *space, uint64_t va)
{
	uint64_t *entry = paging_entry_at(&space->tables, va, PAGE_2M), table;

	if (!entry || !(*entry & PTE_PRESENT) || *entry & PTE_LARGE)
		return 0;
	table = *entry & PTE_ADDR_MASK;
	__atomic_store_n(entry, 0, __ATOMIC_SEQ_CST);
	return table;
}

struct address_space *address_space_current(void)
{
	return tlb_state()->space;
}

static bool is_faulty(enum shootdown_fault fault)
{
	return __builtin_expect(shootdown_faults & fault, 0);
}

/* Whether what the ASID holds must go before it is used. */
static bool needs_flush(struct tlb_state *t, enum asid_state was)
{
	switch (was) {
	case ASID_BEHIND:
		t->counts.behind++;
		return !is_faulty(SHOOTDOWN_SKIP_GENERATION);
	case ASID_FOREIGN:
		t->counts.foreign++;
		return !is_faulty(SHOOTDOWN_STALE_ASID);
	default:
		return false;
	}
}

/* Bit 63 keeps what the PCID holds; without PCIDs every load of CR3 invalidates. */
static void load_root(uint64_t root, uint64_t pcid, bool flush)
{
	if (!feature_has(FEATURE_PCID))
		write_cr3(root);
	else
		write_cr3(root | pcid | (flush ? 0 : CR3_NOFLUSH));
}

/* What it holds of the space is never out of date: every flush of that is broadcast. */
void address_space_load_global(struct tlb_state *t, struct address_space *space, uint32_t asid)
{
	t->space = space;
	t->asid = asid;
	load_root(space->tables.root, PCID_OF(asid), false);
	space_global_settle(&space->global, t->index);
}

static void load_dynamic(struct tlb_state *t, struct address_space *space)
{
	uint64_t generation = space_users_generation(&space->users);
	struct asid_choice choice = asid_choose(&t->asids, space->users.id, generation);
	bool flush = needs_flush(t, choice.was);

	if (flush)
		t->user_behind |= 1u << choice.asid;
	else
		t->counts.kept++;
	t->space = space;
	t->asid = choice.asid;
	load_root(space->tables.root, PCID_OF(choice.asid), flush);
}

static void load_space(struct tlb_state *t, struct address_space *space)
{
	uint32_t global = space_global_asid(&space->global);

	if (global == GLOBAL_ASID_NONE) {
		load_dynamic(t, space);
		return;
	}
	t->counts.kept++;
	address_space_load_global(t, space, global);
}

/* Of its own, so that staying costs nothing of what it takes to go. */
static __attribute__((noinline)) void go_to(struct address_space *space)
{
	uint64_t irqs = irq_save();
	struct tlb_state *t = tlb_state();
	struct address_space *before = t->space;

	t->counts.switches++;
	if (!space) {
		load_root(kernel_tables.root, 0, false);
		t->space = NULL;
	} else {
		if (!is_faulty(SHOOTDOWN_LATE_SET))
			space_users_enter(&space->users, t->index);
		load_space(t, space);
	}
	/* Only now can no entry of it be made any more. */
	if (before)
		space_users_leave(&before->users, t->index);
	irq_restore(irqs);
}

/* No interrupt handler changes which it is. */
void address_space_switch(struct address_space *space)
{
	if (space != tlb_state()->space)
		go_to(space);
}

void address_space_enter_user(void)
{
	struct tlb_state *t = tlb_state();
	bool behind = false;

	if (is_dynamic(t)) {
		behind = t->user_behind >> t->asid & 1;
		t->user_behind &= ~(1u << t->asid);
	}
	load_root(t->space->user_root, PCID_USER_OF(t->asid), behind);
}

void address_space_leave_user(void)
{
	struct tlb_state *t = tlb_state();

	load_root(t->space->tables.root, PCID_OF(t->asid), false);
}
