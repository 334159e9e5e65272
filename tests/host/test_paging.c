/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the walk of mm/paging.c over tables of 4 and 5 levels, built by paging_map() and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/x86/features.h"
#include "mm/paging.h"
#include "tests/host/arena.h"

#define BASE      0x100000ull
#define NR_FRAMES 64
#define RWX       (MAP_WRITE | MAP_EXECUTE)
#define HIGH      0xffff800000000000ull
#define HIGH_57   0xff00000000000000ull

static struct page_tables tables;
static void *arena;

/* In place of arch/x86/features.c: a CPU that has all. */
bool feature_has(enum feature f)
{
	(void)f;
	return true;
}

static int setup_levels(unsigned levels)
{
	arena = arena_create(BASE, NR_FRAMES);
	if (!arena)
		return 1;
	frames_add(BASE, NR_FRAMES);
	tables = (struct page_tables){frame_alloc_zeroed(), levels};
	return !tables.root;
}

static int setup_4(void **unused)
{
	(void)unused;
	return setup_levels(4);
}

static int setup_5(void **unused)
{
	(void)unused;
	return setup_levels(5);
}

static int teardown(void **unused)
{
	(void)unused;
	arena_drain();
	free(arena);
	return 0;
}

static struct paging_leaf seen[8];
static unsigned nr_seen, stop_after;

static bool see(const struct paging_leaf *leaf, void *ctx)
{
	assert_ptr_equal(ctx, seen);
	assert_true(nr_seen < 8);
	seen[nr_seen++] = *leaf;
	return nr_seen != stop_after;
}

static bool walk(void)
{
	nr_seen = 0;
	return paging_for_each(&tables, see, seen);
}

static void expect(unsigned i, uint64_t va, uint64_t phys, enum page_size size, unsigned allows)
{
	assert_int_equal(seen[i].va, va);
	assert_int_equal(seen[i].phys, phys);
	assert_int_equal(seen[i].size, size);
	assert_int_equal(seen[i].allows, allows);
}

/* The entry at `level` on the way to `va`. */
static uint64_t *entry_at(uint64_t va, unsigned level)
{
	uint64_t table = tables.root;

	for (unsigned at = tables.levels - 1;; at--) {
		uint64_t *entry = (uint64_t *)phys_to_virt(table) + (va >> (12 + 9 * at)) % 512;

		if (at == level)
			return entry;
		table = *entry & PTE_ADDR_MASK;
	}
}

static void test_nothing_is_mapped(void **unused)
{
	(void)unused;
	assert_true(walk());
	assert_int_equal(nr_seen, 0);
}

static void test_every_size_and_both_halves(void **unused)
{
	(void)unused;
	assert_true(paging_map(&tables, HIGH | 0x40000000, 0x80000000, PAGE_1G, MAP_WRITE));
	assert_true(paging_map(&tables, UINT64_MAX - 4095, 0x5000, PAGE_4K, MAP_EXECUTE));
	assert_true(paging_map(&tables, 0x200000, 0x400000, PAGE_2M, 0));
	assert_true(paging_map(&tables, 0x7ffffffff000, 0x6000, PAGE_4K, MAP_WRITE | MAP_USER));
	assert_true(walk());
	assert_int_equal(nr_seen, 4);
	expect(0, 0x200000, 0x400000, PAGE_2M, 0);
	expect(1, 0x7ffffffff000, 0x6000, PAGE_4K, MAP_WRITE | MAP_USER);
	expect(2, HIGH | 0x40000000, 0x80000000, PAGE_1G, MAP_WRITE);
	expect(3, UINT64_MAX - 4095, 0x5000, PAGE_4K, MAP_EXECUTE);
}

static void test_halves_of_57_bits(void **unused)
{
	(void)unused;
	assert_true(paging_map(&tables, 0x00fffffffffff000, 0x5000, PAGE_4K, 0));
	assert_true(paging_map(&tables, HIGH_57, 0x6000, PAGE_4K, 0));
	assert_true(paging_map(&tables, 0x0000800000000000, 0x7000, PAGE_4K, 0));
	assert_true(walk());
	assert_int_equal(nr_seen, 3);
	expect(0, 0x0000800000000000, 0x7000, PAGE_4K, 0);
	expect(1, 0x00fffffffffff000, 0x5000, PAGE_4K, 0);
	expect(2, HIGH_57, 0x6000, PAGE_4K, 0);
}

/* A leaf that allows all, and one level after the other that does not. */
static void test_every_level_narrows(void **unused)
{
	const uint64_t va = HIGH | 0x12345000;

	(void)unused;
	assert_true(paging_map(&tables, va, 0x5000, PAGE_4K, MAP_WRITE | MAP_USER));
	*entry_at(va, 0) &= ~PTE_NX;
	assert_true(walk());
	expect(0, va, 0x5000, PAGE_4K, RWX | MAP_USER);
	for (unsigned level = 0; level < tables.levels; level++) {
		uint64_t *entry = entry_at(va, level), whole = *entry;

		*entry = whole & ~PTE_WRITE;
		assert_true(walk());
		expect(0, va, 0x5000, PAGE_4K, MAP_EXECUTE | MAP_USER);
		*entry = whole | PTE_NX;
		assert_true(walk());
		expect(0, va, 0x5000, PAGE_4K, MAP_WRITE | MAP_USER);
		*entry = whole & ~PTE_USER;
		assert_true(walk());
		expect(0, va, 0x5000, PAGE_4K, RWX);
		*entry = whole & ~PTE_PRESENT;
		assert_true(walk());
		assert_int_equal(nr_seen, 0);
		*entry = whole;
	}
}

/* Bit 12 of a large page's entry is PAT, not address. */
static void test_the_frame_of_a_large_page_is_aligned(void **unused)
{
	(void)unused;
	assert_true(paging_map(&tables, 0x200000, 0x400000, PAGE_2M, 0));
	*entry_at(0x200000, 1) |= 1ull << 12;
	assert_true(walk());
	expect(0, 0x200000, 0x400000, PAGE_2M, 0);
}

static void test_an_entry_is_found_at_its_level(void **unused)
{
	const uint64_t small = HIGH | 0x12345000, large = HIGH | 0x40000000;

	(void)unused;
	assert_true(paging_map(&tables, small, 0x5000, PAGE_4K, 0));
	assert_true(paging_map(&tables, large, 0x400000, PAGE_2M, 0));
	for (unsigned level = 0; level < tables.levels; level++)
		assert_ptr_equal(paging_entry_at(&tables, small, level), entry_at(small, level));
	assert_null(paging_entry_at(&tables, small, tables.levels));
	assert_null(paging_entry_at(&tables, large, 0)); /* no table below a large page */
	assert_ptr_equal(paging_entry_at(&tables, large, 1), entry_at(large, 1));
	/* Present or not, where the table is there; none where it is not. */
	assert_non_null(paging_entry_at(&tables, 0x5000, tables.levels - 1));
	assert_null(paging_entry_at(&tables, 0x5000, tables.levels - 2));
}

static void test_the_visitor_may_end_it(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 3; i++)
		assert_true(paging_map(&tables, i << 30, 0x5000, PAGE_4K, 0));
	stop_after = 2;
	assert_false(walk());
	stop_after = 0;
	assert_int_equal(nr_seen, 2);
}

#define TEST(test, levels) cmocka_unit_test_setup_teardown(test, setup_##levels, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_is_mapped, 4),
		TEST(test_nothing_is_mapped, 5),
		TEST(test_every_size_and_both_halves, 4),
		TEST(test_every_size_and_both_halves, 5),
		TEST(test_halves_of_57_bits, 5),
		TEST(test_every_level_narrows, 4),
		TEST(test_every_level_narrows, 5),
		TEST(test_the_frame_of_a_large_page_is_aligned, 4),
		TEST(test_an_entry_is_found_at_its_level, 4),
		TEST(test_an_entry_is_found_at_its_level, 5),
		TEST(test_the_visitor_may_end_it, 4),
		TEST(test_the_visitor_may_end_it, 5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
