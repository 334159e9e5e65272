/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests tests/check/stale_rules.c against the manual, written out cell by cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/check/stale_rules.h"

/*
 * M: must be dropped, '-': may survive. Columns: TLB entry, current and other PCID; global TLB
 * entry made under the current and under the other PCID; the same four for the paging-structure
 * caches on the way to a page, non-global and global.
 */
static const struct {
	enum stale_primitive primitive;
	const char *cells;
} manual[] = {
	/* "any TLB entries that are for a page number corresponding to the linear address and
	   that are associated with the current PCID"; "any global TLB entries with that page
	   number, regardless of PCID"; "all entries in all paging-structure caches associated
	   with the current PCID, regardless of the linear addresses" */
	{STALE_INVLPG, "M-MM M-M-"},
	{STALE_INVLPG_OTHER, "---- M-M-"},
	/* "mappings, except global translations, associated with the PCID specified in the
	   descriptor and that would be used to translate the linear address specified" */
	{STALE_INVPCID_ADDR, "MM-- MMMM"},
	/* "all mappings, except global translations, associated with the PCID specified" */
	{STALE_INVPCID_CONTEXT, "MM-- MMMM"},
	/* "all mappings, including global translations, associated with all PCIDs" */
	{STALE_INVPCID_ALL, "MMMM MMMM"},
	/* "all mappings, except global translations, associated with all PCIDs" */
	{STALE_INVPCID_ALL_NONGLOBAL, "MM-- MMMM"},
	/* PCIDE = 1, bit 63 = 0: "all TLB entries associated with the PCID specified in bits 11:0
	   of the source operand except those for global pages", and the caches of that PCID */
	{STALE_CR3_RELOAD, "M--- M-M-"},
	{STALE_CR3_SWITCH, "-M-- -M-M"},
	/* bit 63 = 1: "not required to invalidate any" */
	{STALE_CR3_NOFLUSH, "---- ----"},
	/* "all TLB entries (including global entries) and all entries in all paging-structure
	   caches (for all PCIDs) if it changes CR4.PGE or the value of CR4.PCIDE from 1 to 0" */
	{STALE_CR4_PGE, "MMMM MMMM"},
	{STALE_CR4_PCIDE, "MMMM MMMM"},
	{STALE_CR4_REWRITE, "---- ----"},
	/* INVPCID type 2 or a change of CR4.PGE */
	{STALE_FLUSH_ALL, "MMMM MMMM"},
};

static void the_rules_are_the_manuals(void **unused)
{
	(void)unused;
	assert_int_equal(sizeof(manual) / sizeof(manual[0]), STALE_PRIMITIVES);
	for (unsigned i = 0; i < STALE_PRIMITIVES; i++) {
		const char *cell = manual[i].cells;

		for (unsigned bits = 0; bits < 8; bits++) {
			struct stale_cell c = {
				.psc = bits & 4, .global = bits & 2, .other_pcid = bits & 1};

			if (*cell == ' ')
				cell++;
			if (stale_must_drop(manual[i].primitive, c) != (*cell == 'M'))
				fail_msg("primitive %u, cell %u: not '%c'", manual[i].primitive,
					 bits, *cell);
			cell++;
		}
	}
}

/* That `rounds` reads are all fresh, where each is stale with a probability of stale / rounds. */
static double by_chance(unsigned stale, unsigned rounds)
{
	double all_fresh = 1;

	for (unsigned i = 0; i < rounds; i++)
		all_fresh *= 1 - (double)stale / rounds;
	return all_fresh;
}

static void a_control_that_will_do_leaves_no_room_for_chance(void **unused)
{
	(void)unused;
	for (unsigned rounds = STALE_MIN_CONTROL; rounds <= 1000; rounds++) {
		for (unsigned stale = STALE_MIN_CONTROL; stale <= rounds; stale += 7)
			assert_true(by_chance(stale, rounds) < 1e-6);
	}
	/* One less would not do. */
	assert_true(by_chance(STALE_MIN_CONTROL - 1, 1000) > 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_are_the_manuals),
		cmocka_unit_test(a_control_that_will_do_leaves_no_room_for_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
