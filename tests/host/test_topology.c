/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arch/x86/topology.c with the CPUID answers of machines of every kind, and of none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/insn.h"
#include "arch/x86/topology.h"
#include "tests/host/random.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define THREAD_LEVEL  0x100
#define CORE_LEVEL    0x200
#define MODULE_LEVEL  0x300
#define DIE_LEVEL     0x500
#define HTT           (1u << 28)
#define HYBRID        (1u << 15)
#define TOPOEXT       (1u << 22)

struct answer {
	uint32_t leaf, subleaf;
	struct cpuid c;
};

/* The machine asked: its answers, into which the CPU's own APIC ID goes where CPUID gives it. */
static const struct answer *answers;
static size_t nr_answers;
static uint32_t apic_id;

static struct cpuid query(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = {0};

	for (size_t i = 0; i < nr_answers; i++) {
		if (answers[i].leaf == leaf && answers[i].subleaf == subleaf)
			c = answers[i].c;
	}
	if (leaf == 1)
		c.ebx = (c.ebx & 0xffffff) | apic_id << 24;
	if (leaf == 0x0b || leaf == 0x1f)
		c.edx = apic_id;
	return c;
}

static struct topology ask(uint32_t id)
{
	struct topology t;

	memset(&t, 0xa5, sizeof(t));
	apic_id = id;
	topology_read(&t, query);
	return t;
}

static void use(const struct answer *machine, size_t n)
{
	answers = machine;
	nr_answers = n;
}

#define USE(machine) use(machine, ARRAY_SIZE(machine))

/* Every ID below `end` splits into fields of these widths, `llc` bits of it below the cache. */
static void assert_widths(uint32_t end, unsigned core, unsigned package, unsigned llc)
{
	for (uint32_t id = 0; id < end; id++) {
		struct topology t = ask(id);

		assert_int_equal(t.apic_id, id);
		assert_int_equal(t.thread, id % (1u << core));
		assert_int_equal(t.core, id % (1u << package) >> core);
		assert_int_equal(t.package, id >> package);
		assert_int_equal(t.llc, id - id % (1u << llc));
		assert_int_equal(t.kind, CORE_UNKNOWN);
	}
}

static void leaf_0b(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x16, 0, 0, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL | 0, 0}},
		{0x0b, 1, {4, 16, CORE_LEVEL | 1, 0}},
		{0x0b, 2, {0, 0, 2, 0}},
		{4, 0, {0x121 | 1 << 14, 0, 0, 0}},
		{4, 1, {0x122 | 1 << 14, 0, 0, 0}},
		{4, 2, {0x143 | 1 << 14, 0, 0, 0}},
		{4, 3, {0x163 | 15 << 14, 0, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(1000, 1, 4, 4);
}

static void wide_ids(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x0b, 0, 0, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {8, 192, CORE_LEVEL | 1, 0}},
	};
	struct topology t;

	(void)unused;
	USE(machine);
	t = ask(0xabcd1235);
	assert_int_equal(t.apic_id, 0xabcd1235);
	assert_int_equal(t.package, 0xabcd12);
	assert_int_equal(t.core, 0x1a);
	assert_int_equal(t.thread, 1);
	assert_int_equal(t.llc, 0xabcd1200);
}

static void no_threads_in_a_core(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x0b, 0, 0, 0}},
		{0x0b, 0, {0, 1, THREAD_LEVEL, 0}},
		{0x0b, 1, {3, 8, CORE_LEVEL | 1, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(64, 0, 3, 3);
}

static void leaf_1f_before_0b(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x1f, 0, 0, 0}},
		{0x1f, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x1f, 1, {3, 8, CORE_LEVEL | 1, 0}},
		{0x1f, 2, {4, 16, MODULE_LEVEL | 2, 0}},
		{0x1f, 3, {6, 64, DIE_LEVEL | 3, 0}},
		{0x0b, 0, {2, 4, THREAD_LEVEL, 0}},
		{0x0b, 1, {7, 128, CORE_LEVEL | 1, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(512, 1, 6, 6);
}

/* A level of type 0 ends the list, and so does one without CPUs. */
static void leaf_1f_empty(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x20, 0, 0, 0}},
		{0x1f, 0, {5, 1, 0, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {2, 4, CORE_LEVEL | 1, 0}},
		{0x0b, 2, {9, 0, MODULE_LEVEL | 2, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(64, 1, 2, 2);
}

static void leaf_0b_beyond_the_last_leaf(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x0a, 0, 0, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {2, 4, CORE_LEVEL | 1, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(4, 0, 0, 0);
}

static void legacy_intel(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x0a, 0, 0, 0}},
		{0x80000000, 0, {0x80000008, 0, 0, 0}},
		{1, 0, {0, 8 << 16, 0, HTT}},
		{4, 0, {0x121 | 1 << 14 | 3u << 26, 0, 0, 0}},
		{4, 1, {0x143 | 3 << 14 | 3u << 26, 0, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(256, 1, 3, 2);
}

static void threads_without_leaf_4(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {2, 0, 0, 0}},
		{1, 0, {0, 6 << 16, 0, HTT}},
	};

	(void)unused;
	USE(machine);
	assert_widths(256, 0, 3, 3);
}

static void count_without_htt(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {2, 0, 0, 0}},
		{1, 0, {0, 4 << 16, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(256, 0, 0, 0);
}

static void legacy_amd(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {5, 0, 0, 0}},
		{0x80000000, 0, {0x80000008, 0, 0, 0}},
		{0x80000008, 0, {0, 0, 3 | 2 << 12, 0}},
		{1, 0, {0, 4 << 16, 0, HTT}},
	};

	(void)unused;
	USE(machine);
	assert_widths(256, 0, 2, 2);
}

static void two_core_complexes(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x10, 0, 0, 0}},
		{0x80000000, 0, {0x8000001e, 0, 0, 0}},
		{0x80000001, 0, {0, 0, TOPOEXT, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {4, 16, CORE_LEVEL | 1, 0}},
		{0x8000001d, 0, {0x121 | 1 << 14, 0, 0, 0}},
		{0x8000001d, 1, {0x122 | 1 << 14, 0, 0, 0}},
		{0x8000001d, 2, {0x143 | 1 << 14, 0, 0, 0}},
		{0x8000001d, 3, {0x163 | 7 << 14, 0, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_int_equal(ask(0).llc, ask(7).llc);
	assert_int_equal(ask(8).llc, ask(15).llc);
	assert_int_not_equal(ask(7).llc, ask(8).llc);
	assert_int_equal(ask(7).package, ask(8).package);
	assert_widths(64, 1, 4, 3);
}

/* Three cores of two threads share a cache: their IDs still stand on a power of two. */
static void odd_core_complex(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x10, 0, 0, 0}},
		{0x80000000, 0, {0x8000001e, 0, 0, 0}},
		{0x80000001, 0, {0, 0, TOPOEXT, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {4, 12, CORE_LEVEL | 1, 0}},
		{0x8000001d, 0, {0x163 | 5 << 14, 0, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(64, 1, 4, 3);
}

static void caches_without_topology_extensions(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {0x0b, 0, 0, 0}},
		{0x80000000, 0, {0x8000001e, 0, 0, 0}},
		{0x0b, 0, {1, 2, THREAD_LEVEL, 0}},
		{0x0b, 1, {4, 16, CORE_LEVEL | 1, 0}},
		{0x8000001d, 0, {0x163 | 7 << 14, 0, 0, 0}},
		{4, 0, {0x163 | 3 << 14, 0, 0, 0}},
	};

	(void)unused;
	USE(machine);
	assert_widths(64, 1, 4, 2);
}

/* AMD's levels say where the complex ends, whatever the count of those that share the cache. */
static void levels_of_8000_0026(void **unused)
{
	static const struct answer machine[] = {
		{0, 0, {.eax = 0x10}},
		{0x80000000, 0, {.eax = 0x80000026}},
		{0x80000001, 0, {.ecx = TOPOEXT}},
		{0x0b, 0, {.eax = 1, .ebx = 2, .ecx = THREAD_LEVEL}},
		{0x0b, 1, {.eax = 7, .ebx = 96, .ecx = CORE_LEVEL | 1}},
		{0x8000001d, 0, {.eax = 5 << 14 | 3 << 5 | 3}}, /* L3 of 6 threads */
		{0x80000026, 0, {.eax = 1u << 30 | 1, .ebx = 2, .ecx = 0x100}},
		{0x80000026, 1, {.eax = 4, .ebx = 12, .ecx = 0x201}},
		{0x80000026, 2, {.eax = 5, .ebx = 24, .ecx = 0x302}},
		{0x80000026, 3, {.eax = 7, .ebx = 96, .ecx = 0x403}},
	};
	static struct answer efficient[ARRAY_SIZE(machine)];

	(void)unused;
	use(machine, ARRAY_SIZE(machine));
	assert_int_equal(ask(15).llc, 0);
	assert_int_equal(ask(16).llc, 16);
	assert_int_equal(ask(16).package, 0);
	assert_int_equal(ask(129).package, 1);
	assert_int_equal(ask(3).core, 1);
	assert_int_equal(ask(3).kind, CORE_PERFORMANCE);
	memcpy(efficient, machine, sizeof(machine));
	efficient[6].c.ebx |= 1u << 28;
	use(efficient, ARRAY_SIZE(machine));
	assert_int_equal(ask(3).kind, CORE_EFFICIENT);
	efficient[6].c.eax &= ~(1u << 30);
	assert_int_equal(ask(3).kind, CORE_UNKNOWN);
}

static void relations(void **unused)
{
	const struct topology one = {.package = 1, .llc = 16, .core = 8, .thread = 0};
	struct topology other = one;

	(void)unused;
	other.thread = 1;
	assert_int_equal(topology_relate(&one, &other), TOPOLOGY_SAME_CORE);
	other.core = 9;
	assert_int_equal(topology_relate(&one, &other), TOPOLOGY_SAME_LLC);
	other.llc = 32;
	assert_int_equal(topology_relate(&one, &other), TOPOLOGY_SAME_PACKAGE);
	assert_int_equal(topology_relate(&other, &one), TOPOLOGY_SAME_PACKAGE);
	/* Numbers of cores and caches mean something within a package only. */
	other = one;
	other.package = 0;
	assert_int_equal(topology_relate(&one, &other), TOPOLOGY_OTHER_PACKAGE);
	for (unsigned i = 0; i < TOPOLOGY_RELATIONS; i++)
		assert_non_null(topology_relation_names[i]);
}

static void hybrid_kinds(void **unused)
{
	static const struct {
		uint32_t max, leaf_7_edx, leaf_1a_eax;
		enum core_kind expected;
	} cases[] = {
		{0x1a, HYBRID, 0x40000001, CORE_PERFORMANCE},
		{0x20, HYBRID, 0x20000001, CORE_EFFICIENT},
		{0x20, HYBRID, 0, CORE_UNKNOWN},
		{0x20, HYBRID, 0x10000000, CORE_UNKNOWN},
		{0x20, 0, 0x40000001, CORE_UNKNOWN},
		{0x19, HYBRID, 0x40000001, CORE_UNKNOWN},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct answer machine[] = {
			{0, 0, {cases[i].max, 0, 0, 0}},
			{7, 0, {0, 0, 0, cases[i].leaf_7_edx}},
			{0x1a, 0, {cases[i].leaf_1a_eax, 0, 0, 0}},
		};

		USE(machine);
		assert_int_equal(ask(0).kind, cases[i].expected);
	}
}

static void no_leaf_at_all(void **unused)
{
	const struct topology zero = {0};
	struct topology t;

	(void)unused;
	use(NULL, 0);
	t = ask(0);
	assert_memory_equal(&t, &zero, sizeof(t));
}

static struct cpuid all_ones(uint32_t leaf, uint32_t subleaf)
{
	(void)leaf;
	(void)subleaf;
	return (struct cpuid){~0u, ~0u, ~0u, ~0u};
}

static void hostile_ones(void **unused)
{
	struct topology t;

	(void)unused;
	topology_read(&t, all_ones);
	assert_int_equal(t.apic_id, ~0u);
	assert_int_equal(t.kind, CORE_UNKNOWN);
}

static struct cpuid at_random(uint32_t leaf, uint32_t subleaf)
{
	uint32_t mask = (uint32_t)random64() & 1 ? ~0u : 0x1f1f1f1f;

	(void)subleaf;
	if (!leaf || leaf == 0x80000000)
		return (struct cpuid){leaf + (uint32_t)random64() % 0x28, 0, 0, 0};
	return (struct cpuid){(uint32_t)random64() & mask, (uint32_t)random64() & mask,
			      (uint32_t)random64() & mask, (uint32_t)random64() & mask};
}

static void hostile_random(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		struct topology t;

		topology_read(&t, at_random);
		assert_true(t.llc <= t.apic_id && t.package <= t.apic_id);
		assert_true(t.core <= t.apic_id && t.thread <= t.apic_id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaf_0b),
		cmocka_unit_test(wide_ids),
		cmocka_unit_test(no_threads_in_a_core),
		cmocka_unit_test(leaf_1f_before_0b),
		cmocka_unit_test(leaf_1f_empty),
		cmocka_unit_test(leaf_0b_beyond_the_last_leaf),
		cmocka_unit_test(legacy_intel),
		cmocka_unit_test(threads_without_leaf_4),
		cmocka_unit_test(count_without_htt),
		cmocka_unit_test(legacy_amd),
		cmocka_unit_test(two_core_complexes),
		cmocka_unit_test(odd_core_complex),
		cmocka_unit_test(caches_without_topology_extensions),
		cmocka_unit_test(levels_of_8000_0026),
		cmocka_unit_test(relations),
		cmocka_unit_test(hybrid_kinds),
		cmocka_unit_test(no_leaf_at_all),
		cmocka_unit_test(hostile_ones),
		cmocka_unit_test(hostile_random),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
