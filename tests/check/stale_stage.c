/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the page tables of the staleness checks by hand, to know each frame of them. */
#include "tests/check/stale_stage.h"

#include <stddef.h>

#include "arch/x86/features.h"
#include "arch/x86/tlb.h"
#include "kernel/harness/test_page.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "mm/layout.h"

#define TOP_LEVEL 3 /* PML4: the highest with a table of its own for the slot */

/* Places in a table. P and Q are far apart: a CPU may prefetch a neighbour's translation. */
#define INDEX_UPPER 1u
#define INDEX_P     1u
#define INDEX_Q     200u

#define TABLE_BITS (PTE_PRESENT | PTE_ACCESSED)
#define OFFSET_1G  (page_bytes(PAGE_1G) - 1)
#define FRAMES_2M  (page_bytes(PAGE_2M) / FRAME_SIZE)

static uint64_t *table_at(uint64_t phys)
{
	return phys_to_virt(phys);
}

/* Nothing is written through these: read-only, and never executed. */
static uint64_t leaf(uint64_t phys, enum page_size size, bool global)
{
	return (phys & ~(page_bytes(size) - 1)) | PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY |
	       (size != PAGE_4K ? PTE_LARGE : 0) | (global ? PTE_GLOBAL : 0) |
	       (feature_has(FEATURE_NX) ? PTE_NX : 0);
}

static uint64_t new_table(struct stale_stage *s)
{
	uint64_t frame = frame_alloc_zeroed();

	if (frame)
		s->tables[s->nr_tables++] = frame;
	return frame;
}

/* The entry for P or Q that leads to memory B; 0: no memory. */
static uint64_t entry_to_b(struct stale_stage *s, enum page_size size, bool global)
{
	uint64_t table, pieces = s->frames_a / FRAMES_2M;

	if (size != PAGE_1G)
		return leaf(s->memory_b, size, global);
	table = new_table(s);
	for (uint64_t i = 0; table && i < pieces; i++)
		table_at(table)[((s->memory_a & OFFSET_1G) / page_bytes(PAGE_2M)) + i] =
			leaf(s->memory_b, PAGE_2M, global);
	return table ? table | TABLE_BITS : 0;
}

static uint64_t address_of(const struct stale_stage *s, enum page_size size, uint64_t index)
{
	uint64_t va = TEST_SLOT_BASE + index * page_bytes(size);

	for (unsigned level = size + 1; level < TOP_LEVEL; level++)
		va += INDEX_UPPER * page_bytes((enum page_size)level);
	return size == PAGE_1G ? va + (s->memory_a & OFFSET_1G) : va;
}

/* Tables down to the one with P in it; *up is the entry that points to that. 0: no memory. */
static uint64_t build_down(struct stale_stage *s, enum page_size size, uint64_t **up)
{
	uint64_t table = new_table(s);

	*up = s->top;
	for (unsigned level = TOP_LEVEL - 1; table && level > (unsigned)size; level--) {
		**up = table | TABLE_BITS;
		*up = &table_at(table)[INDEX_UPPER];
		table = new_table(s);
	}
	if (table)
		**up = table | TABLE_BITS;
	return table;
}

static bool build(struct stale_stage *s, enum page_size size, bool global, bool psc)
{
	uint64_t *up, table = build_down(s, size, &up), second, to_a, to_b;

	if (!table)
		return false;
	to_a = leaf(s->memory_a, size, global);
	to_b = entry_to_b(s, size, global);
	table_at(table)[INDEX_P] = to_a;
	s->read_first = address_of(s, size, INDEX_P);
	if (!psc) {
		s->read_then = s->read_first;
		s->entry = &table_at(table)[INDEX_P];
		s->before = to_a;
		s->after = to_b;
		return to_b;
	}
	second = new_table(s);
	if (!second)
		return false;
	table_at(table)[INDEX_Q] = to_a;
	table_at(second)[INDEX_Q] = to_b;
	s->read_then = address_of(s, size, INDEX_Q);
	s->entry = up;
	s->before = *up;
	s->after = second | TABLE_BITS;
	return to_b;
}

/*
 * AMD family 10h, erratum 383: a page that is split while the TLB holds it can raise a machine
 * check (Linux, arch/x86/kvm/svm/svm.c, amd_erratum_383).
 */
static bool split_is_safe(void)
{
	return cpu_identity.vendor != VENDOR_AMD || cpu_identity.family != 0x10;
}

/*
 * One entry maps the whole GiB that it is in, so that must be RAM throughout: a page of several
 * memory types is undefined (Intel SDM vol. 3A, "MTRR Considerations in MP Systems", large pages),
 * and the lowest always has several.
 */
static bool is_plain_gib(uint64_t phys)
{
	uint64_t gib = phys & ~OFFSET_1G;

	return gib && kernel_is_all_ram(gib, page_bytes(PAGE_1G));
}

#define MAX_TRIES 2048u

/* The allocator gives the lowest memory first: what does not do is held until one does. */
static uint64_t alloc_in_plain_gib(uint64_t frames)
{
	static uint64_t held[MAX_TRIES];
	uint64_t phys = FRAME_NONE;
	unsigned n = 0;

	while (n < MAX_TRIES) {
		phys = frames_alloc(frames, frames, 0);
		if (!phys || is_plain_gib(phys))
			break;
		held[n++] = phys;
		phys = FRAME_NONE;
	}
	while (n > 0)
		frames_free(held[--n], frames);
	return phys;
}

const char *stale_stage_set(struct stale_stage *s, enum page_size size, bool global, bool psc,
			    unsigned pieces)
{
	uint64_t frames = size == PAGE_4K ? 1 : FRAMES_2M;

	*s = (struct stale_stage){.frames_a = frames * pieces, .frames_b = frames};
	if (size == PAGE_1G && !psc && !split_is_safe())
		return "splitting a page in use can raise a machine check here (AMD erratum 383)";
	s->top = paging_entry_at(&kernel_tables, TEST_SLOT_BASE, TOP_LEVEL);
	s->unrelated = test_page_map(0);
	s->memory_a = size == PAGE_1G ? alloc_in_plain_gib(s->frames_a)
				      : frames_alloc(s->frames_a, s->frames_a, 0);
	if (size == PAGE_1G && !s->memory_a)
		return "no memory in a GiB above the first that is RAM throughout";
	s->memory_b = frames_alloc(s->frames_b, s->frames_b, 0);
	if (!s->top || !s->unrelated || !s->memory_a || !s->memory_b ||
	    !build(s, size, global, psc))
		return size == PAGE_4K ? "no memory for its pages"
				       : "no memory for its pages: it takes 2 MiB in a row";
	return NULL;
}

void stale_stage_strike(struct stale_stage *s)
{
	if (s->top)
		*s->top = 0;
	tlb_flush_all_local();
	test_page_unmap(s->unrelated);
	if (s->memory_a)
		frames_free(s->memory_a, s->frames_a);
	if (s->memory_b)
		frames_free(s->memory_b, s->frames_b);
	for (unsigned i = 0; i < s->nr_tables; i++)
		frames_free(s->tables[i], 1);
}

void stale_stage_tag(const struct stale_stage *s, uint64_t offset)
{
	*(uint64_t *)phys_to_virt(s->memory_a + offset) = STALE_TAG_A;
	*(uint64_t *)phys_to_virt(s->memory_b + offset % (s->frames_b * FRAME_SIZE)) = STALE_TAG_B;
}

/*
 * Without the last instruction a walk could run ahead of the write, and what it found would pass
 * for a stale entry. Of the serializing instructions this one touches no TLB and, in a guest,
 * causes no exit (Intel SDM vol. 3A, "Serializing Instructions").
 */
void stale_stage_point(const struct stale_stage *s, uint64_t value)
{
	__atomic_store_n(s->entry, value, __ATOMIC_SEQ_CST);
	write_cr2(read_cr2());
}
