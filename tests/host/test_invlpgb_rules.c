/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests tests/check/invlpgb_rules.c against AMD APM vol. 3, "INVLPGB", written out form by form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/check/invlpgb_rules.h"

/*
 * rAX[5:0] as bits: 0 VA, 1 PCID, 2 ASID, 3 global, 4 final only, 5 nested. M: must be dropped, '-':
 * may survive. Columns: named; named, of a PCID that is not current; another PCID; another page;
 * global; upper levels; a guest's.
 */
static const struct {
	uint32_t rax;
	const char *cells;
} manual[] = {
	/* nothing is valid: everything, guests' too, but for globals unless asked for */
	{0x00, "MMMM-MM"},
	{0x08, "MMMMMMM"},
	{0x01, "MMM--MM"},
	{0x02, "MM-M-MM"},
	{0x03, "MM---MM"},
	/* an ASID: those of that ASID only */
	{0x04, "MMMM-M-"},
	{0x0c, "MMMMMM-"},
	{0x05, "MMM--M-"},
	{0x06, "MM-M-M-"},
	{0x07, "MM---M-"},
	{0x0f, "MM--MM-"},
	/* final translations only: upper levels may stay */
	{0x11, "MMM---M"},
	{0x17, "MM-----"},
	{0x1f, "MM--M--"},
	/* what is nested makes no difference to the host's own */
	{0x27, "MM---M-"},
};

static void agrees_with_the_manual(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(manual) / sizeof(manual[0]); i++) {
		for (unsigned e = 0; e < INVLPGB_ENTRIES; e++) {
			bool must = manual[i].cells[e] == 'M';

			if (invlpgb_must_drop(manual[i].rax, (enum invlpgb_entry)e) != must)
				fail_msg("rAX = %#x, column %u: not as the manual says",
					 manual[i].rax, e);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
