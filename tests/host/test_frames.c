/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests mm/frames.c against a bitmap, frame by frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mm/frames.h"
#include "tests/host/arena.h"
#include "tests/host/growth.h"
#include "tests/host/random.h"

#define BASE      0x40000000ull /* aligned to far more than the arena has */
#define NR_FRAMES 512
#define NR_BLOCKS 64
#define STEPS     30000
#define AT(frame) (BASE + (frame)*FRAME_SIZE)

static void *arena;
static bool used[NR_FRAMES];

static int setup(void **unused)
{
	(void)unused;
	arena = arena_create(BASE, NR_FRAMES);
	memset(used, 0, sizeof(used));
	return !arena;
}

static int teardown(void **unused)
{
	(void)unused;
	arena_drain();
	free(arena);
	return 0;
}

static void test_nothing_to_give(void **unused)
{
	(void)unused;
	assert_int_equal(frames_free_count(), 0);
	assert_int_equal(frames_alloc(1, 1, 0), FRAME_NONE);
	assert_int_equal(frame_alloc_zeroed(), FRAME_NONE);
	frames_add(AT(3), 0);
	assert_int_equal(frames_free_count(), 0);
}

static void test_lowest_first_aligned_and_below_the_limit(void **unused)
{
	(void)unused;
	frames_add(AT(1), 100);
	assert_int_equal(frames_alloc(1, 1, 0), AT(1));
	assert_int_equal(frames_alloc(2, 16, 0), AT(16));
	assert_int_equal(frames_alloc(14, 1, 0), AT(2));
	assert_int_equal(frames_alloc(4, 1, AT(21)), FRAME_NONE);
	assert_int_equal(frames_alloc(4, 1, AT(22)), AT(18));
	assert_int_equal(frames_alloc(1, 64, AT(64)), FRAME_NONE);
	assert_int_equal(frames_alloc(1, 64, AT(65)), AT(64));
	assert_int_equal(frames_free_count(), 100 - 1 - 2 - 14 - 4 - 1);
}

static void test_frame_zero_is_never_given(void **unused)
{
	(void)unused;
	free(arena);
	arena = arena_create(0, NR_FRAMES);
	frames_add(0, 1);
	assert_int_equal(frames_free_count(), 0);
	frames_add(0, 3);
	assert_int_equal(frames_free_count(), 2);
	assert_int_equal(frames_alloc(1, 1, 0), FRAME_SIZE);
	assert_int_equal(frames_alloc(1, 1, 0), 2 * FRAME_SIZE);
	assert_int_equal(frames_alloc(1, 1, 0), FRAME_NONE);
}

static void test_absurd_sizes_are_refused(void **unused)
{
	(void)unused;
	frames_add(AT(0), NR_FRAMES);
	assert_int_equal(frames_alloc(0, 1, 0), FRAME_NONE);
	assert_int_equal(frames_alloc(NR_FRAMES + 1, 1, 0), FRAME_NONE);
	assert_int_equal(frames_alloc(1ull << 40, 1, 0), FRAME_NONE);
	assert_int_equal(frames_alloc(1ull << 52, 1, 0), FRAME_NONE);
	assert_int_equal(frames_alloc(UINT64_MAX, 1, 0), FRAME_NONE);
	assert_int_equal(frames_alloc(NR_FRAMES, 1, 0), AT(0));
}

static void test_a_zeroed_frame_is_zeroed(void **unused)
{
	static const uint8_t zeros[FRAME_SIZE];

	(void)unused;
	memset(arena, 0xa5, NR_FRAMES * FRAME_SIZE);
	frames_add(AT(7), 2);
	assert_int_equal(frame_alloc_zeroed(), AT(7));
	assert_memory_equal(phys_to_virt(AT(7)), zeros, FRAME_SIZE);
}

/* Frees every frame once, in an order that jumps about; gaps close on both sides. */
static void test_what_touches_becomes_one(void **unused)
{
	(void)unused;
	for (unsigned step = 1; step < NR_FRAMES; step += 2) {
		for (unsigned i = 0; i < NR_FRAMES; i++)
			frames_free(AT(i * step % NR_FRAMES), 1);
		assert_int_equal(frames_free_count(), NR_FRAMES);
		assert_int_equal(frames_alloc(NR_FRAMES, 1, 0), AT(0));
	}
}

/* The lowest place where the bitmap has room; NR_FRAMES: none. */
static uint64_t find_room(uint64_t n, uint64_t align, uint64_t limit)
{
	for (uint64_t at = 0; at + n <= limit; at += align) {
		uint64_t i = 0;

		while (i < n && !used[at + i])
			i++;
		if (i == n)
			return at;
	}
	return NR_FRAMES;
}

struct block {
	uint64_t at, n;
};

static uint8_t pattern(uint64_t frame)
{
	return frame * 37 + 11;
}

static void take(struct block *b)
{
	uint64_t align = 1ull << random64() % 6, limit = random64() % (NR_FRAMES + 1), expected;

	b->n = 1 + random64() % 24;
	if (random64() % 2)
		limit = NR_FRAMES;
	expected = find_room(b->n, align, limit);
	b->at = frames_alloc(b->n, align, AT(limit));
	if (expected == NR_FRAMES) {
		assert_int_equal(b->at, FRAME_NONE);
		b->n = 0;
		return;
	}
	assert_int_equal(b->at, AT(expected));
	b->at = expected;
	for (uint64_t i = b->at; i < b->at + b->n; i++) {
		used[i] = true;
		memset(phys_to_virt(AT(i)), pattern(i), FRAME_SIZE);
	}
}

/* What was taken must be as it was left: the allocator writes to free frames only. */
static void give_back(struct block *b)
{
	for (uint64_t i = b->at; i < b->at + b->n; i++) {
		const uint8_t *frame = phys_to_virt(AT(i));

		used[i] = false;
		for (unsigned byte = 0; byte < FRAME_SIZE; byte++)
			assert_int_equal(frame[byte], pattern(i));
	}
	frames_free(AT(b->at), b->n);
	b->n = 0;
}

static void test_random_use_agrees_with_a_bitmap(void **unused)
{
	static struct block blocks[NR_BLOCKS];
	uint64_t in_use = 0;

	(void)unused;
	frames_add(AT(0), NR_FRAMES);
	for (unsigned step = 0; step < STEPS; step++) {
		struct block *b = &blocks[random64() % NR_BLOCKS];

		in_use -= b->n;
		if (b->n)
			give_back(b);
		else
			take(b);
		in_use += b->n;
		assert_int_equal(frames_free_count(), NR_FRAMES - in_use);
	}
	for (unsigned i = 0; i < NR_BLOCKS; i++) {
		if (blocks[i].n)
			give_back(&blocks[i]);
	}
	assert_int_equal(frames_alloc(NR_FRAMES, 1, 0), AT(0));
}

/* Memory in n pieces, which come in two passes over it. */
static void add_pieces(unsigned n)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < n; i++)
			frames_add(AT(4 * i + 2 * pass), 1);
	}
	assert_int_equal(frames_free_count(), 2 * n);
	assert_int_equal(frames_alloc(2, 1, 0), FRAME_NONE);
	arena_drain();
}

/* Up to about as many extents as a map may have descriptors. */
static void test_many_pieces_are_added_quickly(void **unused)
{
	(void)unused;
	free(arena);
	arena = arena_create(BASE, 4 * 8 * 600);
	assert_true(growth_is_below_square(add_pieces, 600));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_to_give, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lowest_first_aligned_and_below_the_limit,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_frame_zero_is_never_given, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absurd_sizes_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_zeroed_frame_is_zeroed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_touches_becomes_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_use_agrees_with_a_bitmap, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_many_pieces_are_added_quickly, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
