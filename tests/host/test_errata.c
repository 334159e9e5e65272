/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/harness/errata.c by family, model, microcode and parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/harness/errata.h"

#define GLOBAL_4K "page=4k global=1 pcid=current cache=leaf"
#define LOCAL_4K  "page=4k global=0 pcid=current cache=leaf"

static struct errata_machine intel(uint32_t model, uint32_t microcode)
{
	return (struct errata_machine){
		.vendor = VENDOR_INTEL,
		.family = 6,
		.model = model,
		.microcode = microcode,
		.pcide = true,
		.hypervisor = "",
	};
}

/* The microcode that Intel named to Linux, one below it, and the neighbours' models. */
static void invlpg_leaves_globals_below_the_microcode(void **unused)
{
	static const struct {
		uint32_t model, fixed_in;
		const char *name;
	} cpus[] = {
		{0x97, 0x2e, "ADL063"},  {0x9a, 0x42c, "ADL063"},  {0xbe, 0x11, "ADL063"},
		{0xb7, 0x118, "RPL042"}, {0xba, 0x4117, "RPL042"}, {0xbf, 0x2e, "RPL042"},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct errata_machine old = intel(cpus[i].model, cpus[i].fixed_in - 1);
		struct errata_machine new = intel(cpus[i].model, cpus[i].fixed_in);
		const struct erratum *e = errata_find(&old, "stale/invlpg", GLOBAL_4K);

		assert_non_null(e);
		assert_string_equal(e->name, cpus[i].name);
		assert_null(errata_find(&old, "stale/invlpg",
					"page=4k global=1 pcid=current cache=psc"));
		assert_null(errata_find(&old, "stale/invlpg-other-address",
					"page=4k global=1 pcid=current cache=psc"));
		assert_ptr_equal(errata_find(&old, "stale/invlpg-whole-page", "page=2m global=1"),
				 e);
		assert_null(errata_find(&old, "stale/invlpg", LOCAL_4K));
		assert_null(errata_find(&old, "stale/invpcid-all", GLOBAL_4K));
		assert_null(errata_find(&old, "fault/invlpg-lock", ""));
		assert_null(errata_find(&new, "stale/invlpg", GLOBAL_4K));
	}
}

static void other_cpus_are_expected_to_pass(void **unused)
{
	struct errata_machine machine = intel(0x97, 1);

	(void)unused;
	assert_non_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
	machine.pcide = false;
	assert_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
	machine = intel(0x97, 1);
	machine.guest = true; /* "does not apply in VMX non-root operation" */
	assert_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
	machine = intel(0x97, 1);
	machine.family = 0x19;
	assert_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
	machine = intel(0x97, 1);
	machine.vendor = VENDOR_AMD;
	assert_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
	for (uint32_t model = 0; model < 256; model++) {
		bool listed = model == 0x97 || model == 0x9a || model == 0xbe || model == 0xb7 ||
			      model == 0xba || model == 0xbf;

		machine = intel(model, 0);
		assert_int_equal(errata_find(&machine, "stale/invlpg", GLOBAL_4K) != NULL, listed);
	}
}

static void an_emulator_is_known_by_its_name(void **unused)
{
	struct errata_machine machine = intel(0x55, 1);

	(void)unused;
	assert_null(errata_find(&machine, "fault/invpcid-type-high", ""));
	machine.hypervisor = HYPERVISOR_BOCHS;
	assert_non_null(errata_find(&machine, "fault/invpcid-type-high", ""));
	assert_null(errata_find(&machine, "fault/invpcid-type", ""));
	assert_null(errata_find(&machine, "fault/cr4-pcide-absent", ""));
	machine.hypervisor = HYPERVISOR_TCG;
	machine.guest = true;
	assert_non_null(errata_find(&machine, "fault/cr4-pcide-absent", ""));
	machine.model = 0x97; /* an emulated CPU has not got the errata of the one it plays */
	assert_null(errata_find(&machine, "stale/invlpg", GLOBAL_4K));
}

static void every_row_says_what_and_where(void **unused)
{
	unsigned n = 0;

	(void)unused;
	for (; errata_at(n); n++) {
		assert_non_null(errata_at(n)->name);
		assert_non_null(errata_at(n)->text);
		assert_non_null(errata_at(n)->checks);
	}
	assert_true(n >= 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invlpg_leaves_globals_below_the_microcode),
		cmocka_unit_test(other_cpus_are_expected_to_pass),
		cmocka_unit_test(an_emulator_is_known_by_its_name),
		cmocka_unit_test(every_row_says_what_and_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
