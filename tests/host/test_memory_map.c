/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests mm/memory_map.c on the maps that odd machines have, and against a reference that looks at
 * every page by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mm/frames.h"
#include "mm/memory_map.h"
#include "tests/host/growth.h"
#include "tests/host/random.h"

#define KIB   1024ull
#define MIB   (1024 * KIB)
#define GIB   (1024 * MIB)
#define TIB   (1024 * GIB)
#define LIMIT (64 * TIB)

#define FREE    BOOT_MEM_FREE
#define RECLAIM BOOT_MEM_RECLAIM
#define ACPI    BOOT_MEM_ACPI
#define NOT_RAM BOOT_MEM_RESERVED

#define MAX_ENTRIES 5000

static struct boot_mem entries[MAX_ENTRIES];
static uint64_t nr;
static struct memory_map map;

static void add(uint64_t base, uint64_t bytes, uint32_t type)
{
	assert_true(nr < MAX_ENTRIES);
	entries[nr++] = (struct boot_mem){base, bytes / FRAME_SIZE, type, 0};
}

static int setup(void **unused)
{
	(void)unused;
	nr = 0;
	return 0;
}

static void expect_within(enum boot_mem_type type, uint64_t from, uint64_t to,
			  const struct memory_range *expected, unsigned n)
{
	struct memory_walk walk;
	struct memory_range range;

	memory_walk_begin(&walk, &map);
	for (unsigned i = 0; i < n; i++) {
		assert_true(memory_walk_next(&walk, type, from, to, &range));
		assert_int_equal(range.base, expected[i].base);
		assert_int_equal(range.end, expected[i].end);
	}
	assert_false(memory_walk_next(&walk, type, from, to, &range));
}

static void expect_ram(const struct memory_range *expected, unsigned n)
{
	struct memory_walk walk;
	struct memory_range range;

	memory_walk_begin(&walk, &map);
	for (unsigned i = 0; i < n; i++) {
		assert_true(memory_walk_next_ram(&walk, &range));
		assert_int_equal(range.base, expected[i].base);
		assert_int_equal(range.end, expected[i].end);
	}
	assert_false(memory_walk_next_ram(&walk, &range));
	assert_false(memory_walk_next_ram(&walk, &range));
}

#define RANGES(...)                                 \
	(const struct memory_range[]){__VA_ARGS__}, \
		sizeof((const struct memory_range[]){__VA_ARGS__}) / sizeof(struct memory_range)
#define EXPECT_WITHIN(type, from, to, ...) expect_within(type, from, to, RANGES(__VA_ARGS__))
#define EXPECT(type, ...)                  EXPECT_WITHIN(type, 0, UINT64_MAX, __VA_ARGS__)
#define EXPECT_RAM(...)                    expect_ram(RANGES(__VA_ARGS__))

static void begin(uint64_t limit)
{
	memory_map_init(&map, entries, nr, limit);
}

static void test_an_empty_map(void **unused)
{
	(void)unused;
	memory_map_init(&map, NULL, 0, LIMIT);
	expect_within(FREE, 0, UINT64_MAX, NULL, 0);
	expect_ram(NULL, 0);
	assert_int_equal(memory_map_low_page(&map), 0);
}

static void test_no_ram_at_all(void **unused)
{
	(void)unused;
	add(0, 4 * GIB, NOT_RAM);
	add(5 * GIB, GIB, 77);
	add(6 * GIB, GIB, BOOT_MEM_TYPE_COUNT);
	add(7 * GIB, GIB, UINT32_MAX);
	begin(LIMIT);
	expect_within(FREE, 0, UINT64_MAX, NULL, 0);
	expect_ram(NULL, 0);
	assert_int_equal(memory_map_low_page(&map), 0);
}

static void test_everything_below_one_mib(void **unused)
{
	(void)unused;
	add(640 * KIB, 384 * KIB, NOT_RAM);
	add(0, 640 * KIB, FREE);
	begin(LIMIT);
	EXPECT(FREE, {0, 640 * KIB});
	expect_within(FREE, MIB, UINT64_MAX, NULL, 0);
	EXPECT_RAM({0, 640 * KIB});
	assert_int_equal(memory_map_low_page(&map), 0x9f000);
}

static void test_bounds_cut_ranges(void **unused)
{
	(void)unused;
	add(0, 2 * GIB, FREE);
	add(3 * GIB, 4 * GIB, FREE);
	begin(LIMIT);
	EXPECT_WITHIN(FREE, MIB, 4 * GIB, {MIB, 2 * GIB}, {3 * GIB, 4 * GIB});
	EXPECT_WITHIN(FREE, 4 * GIB, UINT64_MAX, {4 * GIB, 7 * GIB});
	expect_within(FREE, 2 * GIB, 3 * GIB, NULL, 0);
	expect_within(FREE, 4 * GIB, 4 * GIB, NULL, 0);
	expect_within(FREE, 7 * GIB, UINT64_MAX, NULL, 0);
	expect_within(RECLAIM, 0, UINT64_MAX, NULL, 0);
}

/* As machines with AMD's IOMMU have it: reserved up to 1 TiB, RAM beyond. */
static void test_reserved_below_one_tib_and_ram_above(void **unused)
{
	(void)unused;
	add(0xfd00000000, 12 * GIB, NOT_RAM);
	add(TIB, 512 * GIB, FREE);
	add(4 * GIB, 0xfd00000000 - 4 * GIB, FREE);
	add(MIB, 2 * GIB, FREE);
	begin(LIMIT);
	EXPECT(FREE, {MIB, MIB + 2 * GIB}, {4 * GIB, 0xfd00000000}, {TIB, TIB + 512 * GIB});
	EXPECT_RAM({MIB, MIB + 2 * GIB}, {4 * GIB, 0xfd00000000}, {TIB, TIB + 512 * GIB});
}

static void test_huge_reserved_entries(void **unused)
{
	(void)unused;
	add(MIB, GIB, FREE);
	add(TIB - 12 * GIB, UINT64_MAX - TIB, NOT_RAM);
	entries[nr++] = (struct boot_mem){TIB, (1ull << 52) - TIB / FRAME_SIZE, NOT_RAM, 0};
	add(2 * TIB, GIB, FREE);
	begin(LIMIT);
	EXPECT(FREE, {MIB, MIB + GIB});
	EXPECT_RAM({MIB, MIB + GIB}, {2 * TIB, 2 * TIB + GIB});
}

static void test_overlaps_of_one_type_join(void **unused)
{
	(void)unused;
	add(16 * MIB, 16 * MIB, FREE);
	add(24 * MIB, 16 * MIB, FREE);
	add(18 * MIB, MIB, FREE);
	add(16 * MIB, 16 * MIB, FREE);
	begin(LIMIT);
	EXPECT_RAM({16 * MIB, 40 * MIB});
	EXPECT(FREE, {16 * MIB, 18 * MIB}, {18 * MIB, 24 * MIB}, {24 * MIB, 40 * MIB});
}

static void test_overlaps_of_two_types_are_nobodys(void **unused)
{
	(void)unused;
	add(16 * MIB, 16 * MIB, FREE);
	add(24 * MIB, 16 * MIB, RECLAIM);
	add(20 * MIB, MIB, NOT_RAM);
	add(60 * MIB, MIB, FREE);
	add(48 * MIB, 16 * MIB, ACPI);
	begin(LIMIT);
	EXPECT(FREE, {16 * MIB, 20 * MIB}, {21 * MIB, 24 * MIB});
	EXPECT(RECLAIM, {32 * MIB, 40 * MIB});
	expect_within(NOT_RAM, 0, UINT64_MAX, NULL, 0);
}

static void test_ram_of_all_types_makes_one_run(void **unused)
{
	(void)unused;
	add(3 * MIB, MIB, RECLAIM);
	add(MIB, MIB, FREE);
	add(2 * MIB, MIB, BOOT_MEM_LOADER);
	add(4 * MIB, MIB, ACPI);
	add(5 * MIB, MIB, NOT_RAM);
	add(6 * MIB, MIB, FREE);
	begin(LIMIT);
	EXPECT_RAM({MIB, 5 * MIB}, {6 * MIB, 7 * MIB});
}

static void test_entries_without_pages(void **unused)
{
	(void)unused;
	add(MIB, 0, FREE);
	add(2 * MIB, MIB, FREE);
	add(2 * MIB + 64 * KIB, 0, NOT_RAM);
	begin(LIMIT);
	EXPECT(FREE, {2 * MIB, 3 * MIB});
}

/* RAM that is not on a page is left alone; what is no RAM takes each page that it touches. */
static void test_entries_off_a_page(void **unused)
{
	(void)unused;
	add(MIB + 1, MIB, FREE);
	add(4 * MIB, MIB, FREE);
	add(4 * MIB + 0x1800, 0x1000, NOT_RAM);
	begin(LIMIT);
	EXPECT(FREE, {4 * MIB, 4 * MIB + 0x1000}, {4 * MIB + 0x3000, 5 * MIB});
	EXPECT_RAM({4 * MIB, 5 * MIB});
}

static void test_entries_that_wrap(void **unused)
{
	const uint64_t all = 1ull << 52; /* pages */

	(void)unused;
	entries[nr++] = (struct boot_mem){MIB, all - MIB / FRAME_SIZE + 1, FREE, 0};
	entries[nr++] = (struct boot_mem){MIB, UINT64_MAX, NOT_RAM, 0};
	entries[nr++] = (struct boot_mem){MIB + 1, all - MIB / FRAME_SIZE, NOT_RAM, 0};
	entries[nr++] = (struct boot_mem){UINT64_MAX, 1, NOT_RAM, 0};
	entries[nr++] = (struct boot_mem){UINT64_MAX - 4095, 1, FREE, 0};
	entries[nr++] = (struct boot_mem){2 * MIB, 1, FREE, 0};
	begin(LIMIT);
	EXPECT(FREE, {2 * MIB, 2 * MIB + FRAME_SIZE});
	EXPECT_RAM({2 * MIB, 2 * MIB + FRAME_SIZE});
}

static void test_the_physical_limit_cuts(void **unused)
{
	(void)unused;
	add(32 * GIB, 64 * GIB, FREE);
	add(64 * GIB, GIB, FREE);
	add(60 * GIB, 64 * GIB, NOT_RAM);
	entries[nr++] = (struct boot_mem){GIB, (1ull << 52) - GIB / FRAME_SIZE, RECLAIM, 0};
	begin(64 * GIB);
	EXPECT(RECLAIM, {GIB, 32 * GIB});
	EXPECT_RAM({GIB, 64 * GIB});
	begin(36 * GIB);
	EXPECT_WITHIN(RECLAIM, 0, 36 * GIB, {GIB, 32 * GIB});
}

static void test_low_page_is_the_highest_that_is_free(void **unused)
{
	(void)unused;
	add(0, 0x9f000, FREE);
	add(0x9f000, 0x61000, NOT_RAM);
	begin(LIMIT);
	assert_int_equal(memory_map_low_page(&map), 0x9e000);
	add(0x90000, 0xf000, ACPI);
	begin(LIMIT);
	assert_int_equal(memory_map_low_page(&map), 0x8f000);
	add(0x2000, 0x9d000, NOT_RAM);
	begin(LIMIT);
	assert_int_equal(memory_map_low_page(&map), 0x1000);
	add(0x1000, 0x1000, NOT_RAM);
	begin(LIMIT);
	assert_int_equal(memory_map_low_page(&map), 0); /* page 0 is no use */
}

static void test_low_page_may_be_reclaimed_memory(void **unused)
{
	(void)unused;
	add(0, 4 * KIB, FREE);
	add(4 * KIB, 4 * MIB, RECLAIM);
	begin(LIMIT);
	assert_int_equal(memory_map_low_page(&map), 0x9f000);
}

static uint64_t count_pages(enum boot_mem_type type)
{
	struct memory_walk walk;
	struct memory_range range;
	uint64_t pages = 0;

	memory_walk_begin(&walk, &map);
	while (memory_walk_next(&walk, type, 0, UINT64_MAX, &range))
		pages += (range.end - range.base) / FRAME_SIZE;
	return pages;
}

static uint64_t count_runs(void)
{
	struct memory_walk walk;
	struct memory_range range;
	uint64_t runs = 0;

	memory_walk_begin(&walk, &map);
	while (memory_walk_next_ram(&walk, &range))
		runs++;
	return runs;
}

static void shuffle(void)
{
	for (uint64_t i = nr; i > 1; i--) {
		uint64_t j = random64() % i;
		struct boot_mem swapped = entries[i - 1];

		entries[i - 1] = entries[j];
		entries[j] = swapped;
	}
}

/* RAM in n pieces of one page with a reserved page after each, from `base` on. */
static void fill_pieces(uint64_t base, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		add(base + i * 2 * FRAME_SIZE, FRAME_SIZE, i % 2 ? FREE : RECLAIM);
		add(base + (i * 2 + 1) * FRAME_SIZE, FRAME_SIZE, NOT_RAM);
	}
}

static void check_many(unsigned n)
{
	nr = 0;
	fill_pieces(MIB, n / 2);
	fill_pieces(TIB, n / 2);
	shuffle();
	begin(LIMIT);
	assert_int_equal(count_pages(FREE), n / 4);
	assert_int_equal(count_pages(RECLAIM), n / 4);
	assert_int_equal(count_runs(), n / 2);
}

static void test_hundreds_and_thousands_of_entries(void **unused)
{
	(void)unused;
	check_many(320);
	check_many(5000);
	assert_true(growth_is_below_square(check_many, 600));
}

/* What makes walks slow: all overlap, all begin together, or they come sorted or reversed. */
static void check_overlaps(unsigned n)
{
	nr = 0;
	for (uint64_t i = 0; i < n; i++)
		add(16 * MIB, (i + 1) * FRAME_SIZE, FREE);
	begin(LIMIT);
	EXPECT_RAM({16 * MIB, 16 * MIB + n * FRAME_SIZE});
	nr = 0;
	for (uint64_t i = 0; i < n; i++)
		add(GIB - i * FRAME_SIZE, (2 * i + 1) * FRAME_SIZE, FREE);
	begin(LIMIT);
	EXPECT_RAM({GIB - (n - 1) * FRAME_SIZE, GIB + n * FRAME_SIZE});
}

static void test_thousands_of_entries_on_top_of_each_other(void **unused)
{
	(void)unused;
	check_overlaps(MAX_ENTRIES);
	assert_true(growth_is_below_square(check_overlaps, 600));
}

/* The reference: for each page the set of types that claim it, in 128-bit arithmetic. */
#define SMALL_PAGES 176 /* a little more than 640 KiB */

static unsigned claims[SMALL_PAGES];

static void claim(const struct boot_mem *m, uint64_t pages)
{
	uint32_t type = m->type < BOOT_MEM_TYPE_COUNT ? m->type : BOOT_MEM_RESERVED;
	__extension__ typedef unsigned __int128 wide;
	wide start = m->base, end = start + (wide)m->nr_pages * FRAME_SIZE;
	bool misaligned = m->base % FRAME_SIZE;

	if ((misaligned && type != BOOT_MEM_RESERVED) || end > (wide)UINT64_MAX + 1 ||
	    (misaligned && end > (wide)UINT64_MAX + 1 - FRAME_SIZE))
		return;
	for (uint64_t page = 0; page < pages; page++) {
		wide from = (wide)page * FRAME_SIZE, to = from + FRAME_SIZE;

		if (start < to && from < end && start < end)
			claims[page] |= 1u << type;
	}
}

static void make_small_map(uint64_t pages)
{
	static const uint64_t absurd[] = {1ull << 52, UINT64_MAX, (1ull << 52) - 20, 1ull << 63};

	nr = random64() % 14;
	memset(claims, 0, sizeof(claims));
	for (uint64_t i = 0; i < nr; i++) {
		struct boot_mem *m = &entries[i];

		*m = (struct boot_mem){random64() % (pages + 8) * FRAME_SIZE, random64() % 40,
				       random64() % (BOOT_MEM_TYPE_COUNT + 2), 0};
		if (random64() % 16 == 0)
			m->base += 1 + random64() % (FRAME_SIZE - 1);
		if (random64() % 16 == 0)
			m->nr_pages = absurd[random64() % 4];
		claim(m, pages);
	}
}

static void compare_type(uint32_t type, uint64_t from, uint64_t to)
{
	bool seen[SMALL_PAGES] = {false};
	struct memory_walk walk;
	struct memory_range range;
	uint64_t end = 0;

	memory_walk_begin(&walk, &map);
	while (memory_walk_next(&walk, type, from * FRAME_SIZE, to * FRAME_SIZE, &range)) {
		assert_true(range.base >= end && range.base < range.end);
		end = range.end;
		for (uint64_t at = range.base; at < end; at += FRAME_SIZE)
			seen[at / FRAME_SIZE] = true;
	}
	for (uint64_t page = 0; page < map.limit / FRAME_SIZE; page++)
		assert_int_equal(seen[page],
				 page >= from && page < to && claims[page] == 1u << type);
}

static bool is_ram(uint64_t page)
{
	return claims[page] & ~(1u << BOOT_MEM_RESERVED);
}

static void compare_ram(uint64_t pages)
{
	struct memory_walk walk;
	struct memory_range range;
	uint64_t page = 0;

	memory_walk_begin(&walk, &map);
	while (memory_walk_next_ram(&walk, &range)) {
		for (; page < range.base / FRAME_SIZE; page++)
			assert_false(is_ram(page));
		for (; page < range.end / FRAME_SIZE; page++)
			assert_true(is_ram(page));
		assert_true(page == pages || !is_ram(page));
	}
	for (; page < pages; page++)
		assert_false(is_ram(page));
}

static void compare_low_page(uint64_t pages)
{
	uint64_t page = pages < 160 ? pages : 160;

	while (--page && claims[page] != 1u << FREE && claims[page] != 1u << RECLAIM)
		;
	assert_int_equal(memory_map_low_page(&map), page * FRAME_SIZE);
}

static void test_random_maps_agree_page_by_page(void **unused)
{
	(void)unused;
	for (unsigned round = 0; round < 5000; round++) {
		uint64_t pages = 1 + random64() % SMALL_PAGES;

		make_small_map(pages);
		begin(pages * FRAME_SIZE);
		for (uint32_t type = 0; type < BOOT_MEM_TYPE_COUNT; type++) {
			compare_type(type, 0, pages);
			compare_type(type, random64() % SMALL_PAGES, random64() % SMALL_PAGES);
		}
		compare_ram(pages);
		compare_low_page(pages);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_an_empty_map, setup),
		cmocka_unit_test_setup(test_no_ram_at_all, setup),
		cmocka_unit_test_setup(test_everything_below_one_mib, setup),
		cmocka_unit_test_setup(test_bounds_cut_ranges, setup),
		cmocka_unit_test_setup(test_reserved_below_one_tib_and_ram_above, setup),
		cmocka_unit_test_setup(test_huge_reserved_entries, setup),
		cmocka_unit_test_setup(test_overlaps_of_one_type_join, setup),
		cmocka_unit_test_setup(test_overlaps_of_two_types_are_nobodys, setup),
		cmocka_unit_test_setup(test_ram_of_all_types_makes_one_run, setup),
		cmocka_unit_test_setup(test_entries_without_pages, setup),
		cmocka_unit_test_setup(test_entries_off_a_page, setup),
		cmocka_unit_test_setup(test_entries_that_wrap, setup),
		cmocka_unit_test_setup(test_the_physical_limit_cuts, setup),
		cmocka_unit_test_setup(test_low_page_is_the_highest_that_is_free, setup),
		cmocka_unit_test_setup(test_low_page_may_be_reclaimed_memory, setup),
		cmocka_unit_test_setup(test_hundreds_and_thousands_of_entries, setup),
		cmocka_unit_test_setup(test_thousands_of_entries_on_top_of_each_other, setup),
		cmocka_unit_test_setup(test_random_maps_agree_page_by_page, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
