/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests arch/x86/pmu.c: what it plans for CPUs of every kind, and what it believes of counters that
 * count, stand still, lie and fault. The counters are those of a model of a CPU, which count only
 * while their controls and the global one let them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/pmu.h"
#include "arch/x86/pmu_work.h"
#include "arch/x86/safe.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What CPUID answers of counters. */
struct answers {
	uint32_t largest;        /* of leaf 0 */
	struct cpuid monitoring; /* leaf 0Ah */
	uint32_t largest_extended;
	bool perf_ctr_ext_core, perf_mon_v2;
};

static struct answers answers;

static struct cpuid query(uint32_t leaf, uint32_t subleaf)
{
	assert_int_equal(subleaf, 0);
	switch (leaf) {
	case 0:
		return (struct cpuid){.eax = answers.largest};
	case 0x0a:
		assert_true(answers.largest >= leaf);
		return answers.monitoring;
	case 0x80000000:
		return (struct cpuid){.eax = answers.largest_extended};
	case 0x80000001:
		assert_true(answers.largest_extended >= leaf);
		return (struct cpuid){.ecx = (uint32_t)answers.perf_ctr_ext_core << 23};
	case 0x80000022:
		assert_true(answers.largest_extended >= leaf);
		return (struct cpuid){.eax = answers.perf_mon_v2};
	default:
		fail();
		return (struct cpuid){0};
	}
}

struct machine {
	const char *name;
	enum cpu_vendor vendor;
	uint32_t family, model;
	bool efficient;
	struct answers answers;

	const char *core; /* expected: the counters' names, NULL: none; and of the walks, what */
	const char *walk;
	enum pmu_unit unit;
	uint64_t select; /* event, unit mask and counter mask */
	uint32_t global; /* MSR */
};

#define INTEL_V4                                                                       \
	{                                                                              \
		.largest = 0x16, .monitoring = {.eax = 0x07300404, .edx = 0x00000603 } \
	}
#define INTEL_V5                                                                               \
	{                                                                                      \
		.largest = 0x1f, .monitoring = {.eax = 0x08300805, .ecx = 0xf, .edx = 0x8604 } \
	}
#define AMD_V1                                                                            \
	{                                                                                 \
		.largest = 0xd, .largest_extended = 0x8000001f, .perf_ctr_ext_core = true \
	}
#define AMD_V2                                                                              \
	{                                                                                   \
		.largest = 0x10, .largest_extended = 0x80000026, .perf_ctr_ext_core = true, \
		.perf_mon_v2 = true                                                         \
	}
#define FIXED1    "IA32_FIXED_CTR1"
#define AMD76     "AMD PerfCtr0 event 76h"
#define ACTIVE    "DTLB_LOAD_MISSES.WALK_ACTIVE"
#define COMPLETED "DTLB_LOAD_MISSES.WALK_COMPLETED"
#define ZEN1_WALK "l2_dtlb_misses"
#define ZEN4_WALK "ls_l1_d_tlb_miss.all_l2_miss"

static const struct machine haswell = {
	"Haswell",  VENDOR_INTEL, 6,      0x3c,
	false,      INTEL_V4,     FIXED1, "DTLB_LOAD_MISSES.WALK_DURATION",
	PMU_CYCLES, 0x1008,       0x38f};
static const struct machine skylake = {"Skylake",  VENDOR_INTEL, 6,      0x5e,
				       false,      INTEL_V4,     FIXED1, ACTIVE,
				       PMU_CYCLES, 0x1001008,    0x38f};
static const struct machine alder_lake = {"Alder Lake, P", VENDOR_INTEL, 6,      0x97,
					  false,           INTEL_V5,     FIXED1, ACTIVE,
					  PMU_CYCLES,      0x1001012,    0x38f};
static const struct machine zen2 = {"Zen 2", VENDOR_AMD, 0x17,      0x31,   false, AMD_V1,
				    AMD76,   ZEN1_WALK,  PMU_WALKS, 0xf045, 0};
static const struct machine zen4 = {"Zen 4", VENDOR_AMD, 0x19,      0x61,   false,     AMD_V2,
				    AMD76,   ZEN4_WALK,  PMU_WALKS, 0xf045, 0xc0000301};

static const struct machine machines[] = {
	{"Broadwell-EP", VENDOR_INTEL, 6, 0x4f, false, INTEL_V4, FIXED1,
	 "DTLB_LOAD_MISSES.WALK_DURATION", PMU_CYCLES, 0x1008, 0x38f},
	{"Skylake-SP", VENDOR_INTEL, 6, 0x55, false, INTEL_V4, FIXED1, ACTIVE, PMU_CYCLES,
	 0x1001008, 0x38f},
	{"Ice Lake-SP", VENDOR_INTEL, 6, 0x6a, false, INTEL_V5, FIXED1, ACTIVE, PMU_CYCLES,
	 0x1001008, 0x38f},
	{"Sapphire Rapids", VENDOR_INTEL, 6, 0x8f, false, INTEL_V5, FIXED1, ACTIVE, PMU_CYCLES,
	 0x1001012, 0x38f},
	{"Granite Rapids", VENDOR_INTEL, 6, 0xad, false, INTEL_V5, FIXED1, COMPLETED, PMU_WALKS,
	 0x0e12, 0x38f},
	{"Alder Lake, E", VENDOR_INTEL, 6, 0x97, true, INTEL_V5, FIXED1, COMPLETED, PMU_WALKS,
	 0x0e08, 0x38f},
	{"Meteor Lake, E", VENDOR_INTEL, 6, 0xaa, true, INTEL_V5, FIXED1, NULL, 0, 0, 0x38f},
	{"Ivy Bridge", VENDOR_INTEL, 6, 0x3a, false, INTEL_V4, FIXED1, NULL, 0, 0, 0x38f},
	{"family 15 of Intel", VENDOR_INTEL, 15, 0x5e, false, INTEL_V4, FIXED1, NULL, 0, 0, 0x38f},
	{"the fixed counter by its bit",
	 VENDOR_INTEL,
	 6,
	 0x97,
	 false,
	 {.largest = 0x1f, .monitoring = {.eax = 0x08300805, .ecx = 2, .edx = 0x8601}},
	 FIXED1,
	 ACTIVE,
	 PMU_CYCLES,
	 0x1001012,
	 0x38f},
	{"one fixed counter",
	 VENDOR_INTEL,
	 6,
	 0x5e,
	 false,
	 {.largest = 0x16, .monitoring = {.eax = 0x07300404, .ecx = 2, .edx = 0x0601}},
	 NULL,
	 ACTIVE,
	 PMU_CYCLES,
	 0x1001008,
	 0x38f},
	{"no general counter",
	 VENDOR_INTEL,
	 6,
	 0x5e,
	 false,
	 {.largest = 0x16, .monitoring = {.eax = 0x07300004, .edx = 0x0603}},
	 FIXED1,
	 NULL,
	 0,
	 0,
	 0x38f},
	{"version 1",
	 VENDOR_INTEL,
	 6,
	 0x5e,
	 false,
	 {.largest = 0x16, .monitoring = {.eax = 0x07280201, .edx = 0x0603}},
	 NULL,
	 NULL,
	 0,
	 0,
	 0},
	{"a guest of KVM without counters",
	 VENDOR_INTEL,
	 6,
	 0x55,
	 false,
	 {.largest = 0x16},
	 NULL,
	 NULL,
	 0,
	 0,
	 0},
	{"leaf 0Ah is not there",
	 VENDOR_INTEL,
	 6,
	 0x55,
	 false,
	 {.largest = 9, .monitoring = {.eax = 0x07300404, .edx = 0x0603}},
	 NULL,
	 NULL,
	 0,
	 0,
	 0},
	{"Zen 1", VENDOR_AMD, 0x17, 0x01, false, AMD_V1, AMD76, ZEN1_WALK, PMU_WALKS, 0xf045, 0},
	{"Zen 3", VENDOR_AMD, 0x19, 0x21, false, AMD_V1, AMD76, ZEN1_WALK, PMU_WALKS, 0xf045, 0},
	{"Zen 3, server", VENDOR_AMD, 0x19, 0x01, false, AMD_V1, AMD76, ZEN1_WALK, PMU_WALKS,
	 0xf045, 0},
	{"Zen 4, server", VENDOR_AMD, 0x19, 0x11, false, AMD_V2, AMD76, ZEN4_WALK, PMU_WALKS,
	 0xf045, 0xc0000301},
	{"Zen 5", VENDOR_AMD, 0x1a, 0x44, false, AMD_V2, AMD76, ZEN4_WALK, PMU_WALKS, 0xf045,
	 0xc0000301},
	{"Zen 6: its list is not looked up", VENDOR_AMD, 0x1a, 0x50, false, AMD_V2, AMD76, NULL, 0,
	 0, 0xc0000301},
	{"Hygon", VENDOR_HYGON, 0x18, 0x01, false, AMD_V1, AMD76, NULL, 0, 0, 0},
	{"a guest of KVM or an emulator",
	 VENDOR_AMD,
	 0x19,
	 0x11,
	 false,
	 {.largest = 0xd, .largest_extended = 0x8000001f},
	 NULL,
	 NULL,
	 0,
	 0,
	 0},
	{"no extended leaves",
	 VENDOR_AMD,
	 0x17,
	 0x01,
	 false,
	 {.largest = 0xd, .largest_extended = 0, .perf_ctr_ext_core = true},
	 NULL,
	 NULL,
	 0,
	 0,
	 0},
	{"PerfMonV2 in a leaf that is not there",
	 VENDOR_AMD,
	 0x19,
	 0x61,
	 false,
	 {.largest = 0xd,
	  .largest_extended = 0x80000021,
	  .perf_ctr_ext_core = true,
	  .perf_mon_v2 = true},
	 AMD76,
	 ZEN4_WALK,
	 PMU_WALKS,
	 0xf045,
	 0},
	{"another vendor", VENDOR_OTHER, 6, 0x5e, false, INTEL_V4, NULL, NULL, 0, 0, 0},
};

static struct pmu_cpu use(const struct machine *m)
{
	answers = m->answers;
	return (struct pmu_cpu){m->vendor, m->family, m->model, m->efficient, query};
}

static void assert_planned(const struct pmu_counter *c, const char *name)
{
	if (!name) {
		assert_null(c->name);
		assert_non_null(c->why);
		assert_int_equal(c->nr_writes, 0);
		return;
	}
	assert_null(c->why);
	assert_string_equal(c->name, name);
	assert_int_equal(c->mask, (1ull << 48) - 1);
	assert_true(c->nr_writes > 0 && c->nr_writes <= PMU_WRITES_MAX);
}

static void test_plans(void **state)
{
	const struct machine *named[] = {&haswell, &skylake, &alder_lake, &zen2, &zen4};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines) + ARRAY_SIZE(named); i++) {
		const struct machine *m =
			i < ARRAY_SIZE(machines) ? &machines[i] : named[i - ARRAY_SIZE(machines)];
		struct pmu_cpu cpu = use(m);
		struct pmu plan;

		memset(&plan, 0xa5, sizeof(plan));
		pmu_plan(&cpu, &plan);
		assert_planned(&plan.counters[PMU_CORE], m->core);
		assert_planned(&plan.counters[PMU_WALK], m->walk);
		assert_int_equal(plan.global_control, m->global);
		if (!m->walk)
			continue;
		assert_int_equal(plan.counters[PMU_WALK].unit, m->unit);
		/* Ring 0 only, on, no interrupt. */
		assert_int_equal(plan.counters[PMU_WALK].writes[2].value,
				 m->select | 1 << 17 | 1 << 22);
	}
}

/* The model of a CPU's counters: the core's and the walks'. */
enum behaviour {
	COUNTS,
	STUCK,
	STOPS,    /* after some reads */
	PER_READ, /* advances by reading only */
	CONSTANT, /* too fast: whatever the work, as if it were a host's clock */
	TOO_SLOW,
	EVERYTHING, /* the walks': cycles of any kind */
	LOADS,      /* the walks': loads, whether they walk or not */
	READ_FAULTS,
};

static struct {
	const struct machine *machine;
	enum behaviour behaviour[PMU_EVENTS];
	uint64_t msrs[0x400], amd_msrs[0x10], amd_global;
	uint64_t value[PMU_EVENTS];
	unsigned reads[PMU_EVENTS];
	uint32_t faults; /* MSR */
} model;

#define STOP_AFTER 5

static uint64_t *find_msr(uint32_t msr)
{
	bool intel = model.machine->vendor == VENDOR_INTEL;

	if (intel && (msr == 0x186 || msr == 0x38d || msr == 0x38f))
		return &model.msrs[msr];
	if (intel && msr == 0x30a)
		return &model.value[PMU_CORE];
	if (intel && msr == 0xc1)
		return &model.value[PMU_WALK];
	if (!intel && msr == 0xc0010201)
		return &model.value[PMU_CORE];
	if (!intel && msr == 0xc0010203)
		return &model.value[PMU_WALK];
	if (!intel && (msr == 0xc0010200 || msr == 0xc0010202))
		return &model.amd_msrs[msr - 0xc0010200];
	if (!intel && msr == 0xc0000301 && model.machine->answers.perf_mon_v2)
		return &model.amd_global;
	return NULL;
}

fault_t wrmsr_safe(uint32_t msr, uint64_t value)
{
	uint64_t *at = find_msr(msr);

	if (!at || msr == model.faults)
		return FAULT(13, 0);
	*at = value;
	return FAULT_NONE;
}

static bool is_on(enum pmu_event event)
{
	uint64_t on = 1 << 17 | 1 << 22;

	if (model.machine->vendor != VENDOR_INTEL) {
		uint64_t wanted = event == PMU_CORE ? 0x76 : model.machine->select;
		bool global = !model.machine->answers.perf_mon_v2 || model.amd_global >> event & 1;

		return global && model.amd_msrs[2 * event] == (wanted | on);
	}
	if (event == PMU_CORE)
		return model.msrs[0x38d] == 0x10 && model.msrs[0x38f] >> 33 & 1;
	return model.msrs[0x186] == (model.machine->select | on) && model.msrs[0x38f] & 1;
}

static void advance(enum pmu_event event, uint64_t n)
{
	enum behaviour b = model.behaviour[event];

	if (!is_on(event) || b == STUCK || b == PER_READ)
		return;
	if (b == STOPS && model.reads[event] > STOP_AFTER)
		return;
	if (b == TOO_SLOW)
		n /= 16;
	if (b == CONSTANT)
		n *= 1000;
	model.value[event] = (model.value[event] + n) & ((1ull << 48) - 1);
}

fault_t rdpmc_safe(uint32_t index, uint64_t *value)
{
	bool intel = model.machine->vendor == VENDOR_INTEL;
	enum pmu_event event = index == (intel ? 1u << 30 | 1 : 0) ? PMU_CORE : PMU_WALK;

	if (event == PMU_WALK)
		assert_int_equal(index, intel ? 0 : 1);
	*value = 0;
	if (model.behaviour[event] == READ_FAULTS)
		return FAULT(13, 0);
	model.reads[event]++;
	if (model.behaviour[event] == PER_READ)
		model.value[event] += 100000;
	*value = model.value[event];
	return FAULT_NONE;
}

void pmu_work_multiply(uint64_t n)
{
	assert_int_equal(n % 16, 0);
	advance(PMU_CORE, 3 * n + 40);
	if (model.behaviour[PMU_WALK] == EVERYTHING)
		advance(PMU_WALK, 3 * n + 40);
}

void pmu_work_load(uint64_t n, const uint64_t *from, bool flush)
{
	uint64_t cycles = n * (flush ? 900 : 30);

	assert_non_null(from);
	advance(PMU_CORE, cycles);
	if (model.behaviour[PMU_WALK] == EVERYTHING)
		advance(PMU_WALK, cycles);
	else if (model.behaviour[PMU_WALK] == LOADS)
		advance(PMU_WALK, 3 * n);
	else if (flush)
		advance(PMU_WALK, n * (model.machine->unit == PMU_WALKS ? 2 : 70));
}

static void init_with(const struct machine *m, enum behaviour core, enum behaviour walk,
		      uint32_t faults)
{
	struct pmu_cpu cpu = use(m);

	memset(&model, 0, sizeof(model));
	model.machine = m;
	model.behaviour[PMU_CORE] = core;
	model.behaviour[PMU_WALK] = walk;
	model.faults = faults;
	pmu_init(&cpu);
}

static void init(const struct machine *m)
{
	init_with(m, COUNTS, COUNTS, 0);
}

static const struct machine *const modelled[] = {&haswell, &skylake, &alder_lake, &zen2, &zen4};

static void assert_all_count(void)
{
	assert_true(pmu_counts(PMU_CORE) && pmu_counts(PMU_WALK));
}

static void test_counters_that_count_are_believed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modelled); i++) {
		init(modelled[i]);
		assert_all_count();
		assert_int_equal(pmu.counters[PMU_CORE].counted, 3 * PMU_PROBE_MULTIPLICATIONS);
		pmu_probe();
		assert_all_count();
	}
}

static void test_what_firmware_left_on_is_turned_off(void **state)
{
	struct pmu_cpu cpu = use(&skylake);

	(void)state;
	memset(&model, 0, sizeof(model));
	model.machine = &skylake;
	model.msrs[0x38f] = 0x70000000f;
	model.msrs[0x38d] = 0x333;
	pmu_init(&cpu);
	assert_true(pmu_counts(PMU_CORE));
	assert_int_equal(model.msrs[0x38f], 1ull << 33 | 1);
	assert_int_equal(model.msrs[0x38d], 0x10);
}

static void assert_refused(enum pmu_event event, const char *why)
{
	assert_false(pmu_counts(event));
	assert_non_null(pmu.counters[event].name);
	assert_string_equal(pmu.counters[event].why, why);
}

static void test_core_counters_that_are_not_believed(void **state)
{
	static const struct {
		enum behaviour behaviour;
		const char *why;
	} refused[] = {
		{STUCK, "does not advance"},       {STOPS, "stops"},
		{PER_READ, "advances too slowly"}, {CONSTANT, "advances too fast"},
		{TOO_SLOW, "advances too slowly"}, {READ_FAULTS, "RDPMC faults"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modelled); i++) {
		for (size_t r = 0; r < ARRAY_SIZE(refused); r++) {
			init_with(modelled[i], refused[r].behaviour, COUNTS, 0);
			assert_refused(PMU_CORE, refused[r].why);
			pmu_probe();
			assert_true(pmu_counts(PMU_WALK)); /* one does not take the other along */
		}
	}
}

static void test_walk_counters_that_are_not_believed(void **state)
{
	static const struct {
		enum behaviour behaviour;
		const char *why;
	} refused[] = {
		{STUCK, "does not advance"},
		{STOPS, "stops"},
		{PER_READ, "advances where nothing walks"},
		{EVERYTHING, "advances where nothing walks"},
		{LOADS, "does not see the walks after a flush"},
		{READ_FAULTS, "RDPMC faults"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modelled); i++) {
		for (size_t r = 0; r < ARRAY_SIZE(refused); r++) {
			init_with(modelled[i], COUNTS, refused[r].behaviour, 0);
			assert_refused(PMU_WALK, refused[r].why);
			assert_true(pmu_counts(PMU_CORE));
		}
		init_with(modelled[i], COUNTS, CONSTANT, 0);
		assert_refused(PMU_WALK, "advances too fast");
	}
}

static void test_a_fault_means_there_is_none(void **state)
{
	static const struct {
		const struct machine *machine;
		uint32_t msr;
		bool core, walk; /* in use all the same */
	} faults[] = {
		{&skylake, 0x38d, false, true},    {&skylake, 0x30a, false, true},
		{&skylake, 0x186, true, false},    {&skylake, 0xc1, true, false},
		{&skylake, 0x38f, false, false},   {&zen4, 0xc0010200, false, true},
		{&zen4, 0xc0010201, false, true},  {&zen4, 0xc0010202, true, false},
		{&zen4, 0xc0000301, false, false}, {&zen2, 0xc0010203, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		init_with(faults[i].machine, COUNTS, COUNTS, faults[i].msr);
		assert_int_equal(pmu_counts(PMU_CORE), faults[i].core);
		assert_int_equal(pmu_counts(PMU_WALK), faults[i].walk);
		for (unsigned e = 0; e < PMU_EVENTS; e++) {
			if (pmu_counts(e))
				continue;
			assert_string_equal(pmu.counters[e].why, "WRMSR faults");
			assert_int_equal(pmu.counters[e].faulted, faults[i].msr);
		}
	}
}

static void test_a_counter_that_stops_later_is_given_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modelled); i++) {
		init(modelled[i]);
		model.behaviour[PMU_CORE] = STUCK;
		pmu_probe();
		assert_refused(PMU_CORE, "does not advance");
		assert_true(pmu_counts(PMU_WALK));
		model.behaviour[PMU_CORE] = COUNTS;
		pmu_probe();
		assert_false(pmu_counts(PMU_CORE)); /* for good */
	}
}

static void test_a_counter_may_wrap(void **state)
{
	(void)state;
	init(&skylake);
	/* In the middle of the probe's work. */
	model.value[PMU_CORE] = (1ull << 48) - 5000;
	model.value[PMU_WALK] = (1ull << 48) - 100;
	pmu_probe();
	assert_all_count();
	assert_true(model.value[PMU_CORE] < 1ull << 40);
	assert_int_equal(pmu.counters[PMU_CORE].counted, 3 * PMU_PROBE_MULTIPLICATIONS);
}

static void test_nothing_is_written_where_nothing_is_planned(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machines[i].core || machines[i].walk)
			continue;
		init(&machines[i]);
		assert_false(pmu_counts(PMU_CORE) || pmu_counts(PMU_WALK));
		assert_int_equal(model.reads[PMU_CORE] + model.reads[PMU_WALK], 0);
		assert_int_equal(model.msrs[0x38f] | model.amd_global, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_counters_that_count_are_believed),
		cmocka_unit_test(test_what_firmware_left_on_is_turned_off),
		cmocka_unit_test(test_core_counters_that_are_not_believed),
		cmocka_unit_test(test_walk_counters_that_are_not_believed),
		cmocka_unit_test(test_a_fault_means_there_is_none),
		cmocka_unit_test(test_a_counter_that_stops_later_is_given_up),
		cmocka_unit_test(test_a_counter_may_wrap),
		cmocka_unit_test(test_nothing_is_written_where_nothing_is_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
