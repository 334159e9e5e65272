/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests mm/global_asid.c by itself; what CPUs do with it at the same time is
 * tests/host/test_global_asid_model.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mm/global_asid.h"
#include "tests/host/random.h"

#define LARGEST (GLOBAL_ASID_LAST + 1)

static struct global_asids asids;

static void every_one_is_given_once(void **unused)
{
	static bool pcid_in_use[2 * PCID_USER];

	(void)unused;
	pcid_in_use[0] = true;
	for (unsigned asid = 0; asid < ASIDS_DYNAMIC; asid++)
		pcid_in_use[PCID_OF(asid)] = pcid_in_use[PCID_USER_OF(asid)] = true;
	global_asids_init(&asids, GLOBAL_ASIDS_MAX);
	for (unsigned i = 0; i < GLOBAL_ASIDS_MAX; i++) {
		uint32_t asid = global_asid_take(&asids);

		assert_in_range(asid, GLOBAL_ASID_FIRST, GLOBAL_ASID_LAST);
		assert_false(pcid_in_use[PCID_OF(asid)]);
		assert_false(pcid_in_use[PCID_USER_OF(asid)]);
		pcid_in_use[PCID_OF(asid)] = pcid_in_use[PCID_USER_OF(asid)] = true;
	}
	assert_int_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
	assert_int_equal(GLOBAL_ASIDS_MAX, 2041);
}

static void no_more_than_asked_for(void **unused)
{
	static const uint32_t numbers[] = {1, 2, 3, 63, 64, 65, GLOBAL_ASIDS_MAX - 1};

	(void)unused;
	for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		global_asids_init(&asids, numbers[n]);
		for (uint32_t i = 0; i < numbers[n]; i++)
			assert_int_not_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
		assert_int_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
	}
}

static void none_is_left_for_a_rollover_to_free(void **unused)
{
	(void)unused;
	global_asids_init(&asids, 2);
	assert_false(global_asids_must_roll_over(&asids));
	global_asid_take(&asids);
	global_asid_take(&asids);
	assert_false(global_asids_must_roll_over(&asids));
	/* It would free none, and takes none from who has one. */
	global_asids_rolled_over(&asids);
	assert_int_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
}

static void one_is_used_again_after_a_rollover_only(void **unused)
{
	uint32_t first, second, third;

	(void)unused;
	global_asids_init(&asids, 3);
	first = global_asid_take(&asids);
	second = global_asid_take(&asids);
	global_asid_give_back(&asids, first);
	/* There is another, so no broadcast is needed yet. */
	assert_false(global_asids_must_roll_over(&asids));
	third = global_asid_take(&asids);
	assert_int_not_equal(third, first);
	assert_true(global_asids_must_roll_over(&asids));
	assert_int_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
	global_asids_rolled_over(&asids);
	assert_false(global_asids_must_roll_over(&asids));
	assert_int_equal(global_asid_take(&asids), first);
	/* The others are still somebody's. */
	assert_int_equal(global_asid_take(&asids), GLOBAL_ASID_NONE);
	assert_false(global_asids_must_roll_over(&asids));
	global_asid_give_back(&asids, third);
	global_asid_give_back(&asids, second);
	assert_true(global_asids_must_roll_over(&asids));
	global_asids_rolled_over(&asids);
	assert_int_equal(global_asid_take(&asids), second);
	assert_int_equal(global_asid_take(&asids), third);
}

/* Against a table of what each ASID is. */
static void any_order(void **unused)
{
	enum { FREE, TAKEN, GIVEN_BACK } is[LARGEST] = {FREE};

	(void)unused;
	for (unsigned round = 0; round < 20; round++) {
		uint32_t nr = round % 2 ? GLOBAL_ASIDS_MAX : 1 + random64() % 130;
		unsigned nr_free = nr, nr_given_back = 0;

		memset(is, 0, sizeof(is));
		global_asids_init(&asids, nr);
		for (unsigned i = 0; i < 20000; i++) {
			uint32_t asid = GLOBAL_ASID_FIRST + random64() % nr;
			bool due = !nr_free && nr_given_back;

			assert_int_equal(global_asids_must_roll_over(&asids), due);
			if (due) {
				global_asids_rolled_over(&asids);
				for (unsigned a = 0; a < LARGEST; a++)
					is[a] = is[a] == TAKEN ? TAKEN : FREE;
				nr_free = nr_given_back;
				nr_given_back = 0;
			}
			if (random64() % 2 && is[asid] == TAKEN) {
				global_asid_give_back(&asids, asid);
				is[asid] = GIVEN_BACK;
				nr_given_back++;
				continue;
			}
			asid = global_asid_take(&asids);
			if (!nr_free) {
				assert_int_equal(asid, GLOBAL_ASID_NONE);
				continue;
			}
			assert_in_range(asid, GLOBAL_ASID_FIRST, GLOBAL_ASID_FIRST + nr - 1);
			assert_int_equal(is[asid], FREE);
			is[asid] = TAKEN;
			nr_free--;
		}
	}
}

static void a_flush_in_so_many_is_sampled(void **unused)
{
	(void)unused;
	for (uint32_t every = 1; every <= 33; every++) {
		uint32_t count = 0, sampled = 0;

		for (unsigned i = 1; i <= 10 * every; i++) {
			sampled += global_asid_is_sampled(&count, every);
			assert_int_equal(sampled, i / every);
		}
	}
}

static void more_cpus_than_so_many(void **unused)
{
	uint64_t active[3] = {0};
	struct space_users users = {.active = active, .words = 3};

	(void)unused;
	assert_false(global_asid_is_due(&users, 0));
	active[2] = 1ull << 63;
	assert_true(global_asid_is_due(&users, 0));
	assert_false(global_asid_is_due(&users, 1));
	active[0] = 1;
	active[1] = 1ull << 63;
	assert_false(global_asid_is_due(&users, GLOBAL_ASID_CPUS));
	active[1] |= 1;
	assert_true(global_asid_is_due(&users, GLOBAL_ASID_CPUS));
	memset(active, 0xff, sizeof(active));
	assert_true(global_asid_is_due(&users, 191));
	assert_false(global_asid_is_due(&users, 192));
}

/* CPUs 0, 64 and 130 run the space when it is given an ASID. */
static void a_transition_ends_when_all_have_settled(void **unused)
{
	uint64_t active[3] = {1, 1, 4}, settled[3] = {0}, targets[3] = {9, 9, 9};
	struct space_users users = {.active = active, .words = 3};
	struct space_global global = {.settled = settled};

	(void)unused;
	assert_int_equal(space_global_asid(&global), GLOBAL_ASID_NONE);
	assert_int_equal(space_global_stragglers(&global, &users, 0, targets), 0);
	assert_int_equal(targets[0], 9);
	space_global_assign(&global, 7);
	assert_int_equal(space_global_asid(&global), 7);
	assert_true(global.transition);

	/* Never the caller, but while it has not settled the transition goes on. */
	assert_int_equal(space_global_stragglers(&global, &users, 130, targets), 2);
	assert_int_equal(targets[0], 1);
	assert_int_equal(targets[1], 1);
	assert_int_equal(targets[2], 0);
	space_global_settle(&global, 0);
	space_global_settle(&global, 64);
	assert_int_equal(space_global_stragglers(&global, &users, 130, targets), 0);
	assert_true(global.transition);
	space_global_settle(&global, 130);
	space_global_settle(&global, 130);

	/* Those of the first word alone. */
	settled[0] = 0;
	assert_int_equal(space_global_stragglers(&global, &users, 0, targets), 0);
	assert_true(global.transition);
	space_global_settle(&global, 0);

	/* One more that has not. */
	active[1] |= 2;
	assert_int_equal(space_global_stragglers(&global, &users, 130, targets), 1);
	assert_int_equal(targets[1], 2);
	active[1] = 1;
	assert_int_equal(space_global_stragglers(&global, &users, 130, targets), 0);
	assert_false(global.transition);
	assert_int_equal(space_global_asid(&global), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_one_is_given_once),
		cmocka_unit_test(no_more_than_asked_for),
		cmocka_unit_test(none_is_left_for_a_rollover_to_free),
		cmocka_unit_test(one_is_used_again_after_a_rollover_only),
		cmocka_unit_test(any_order),
		cmocka_unit_test(a_flush_in_so_many_is_sampled),
		cmocka_unit_test(more_cpus_than_so_many),
		cmocka_unit_test(a_transition_ends_when_all_have_settled),
	};

	return cmocka_run_group_tests_name("global_asid", tests, NULL, NULL);
}
