/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans, sets up and probes the performance counters. */
#include "arch/x86/pmu.h"

#include <stddef.h>

#include "arch/x86/pmu_work.h"
#include "arch/x86/safe.h"

#define PROBE_ROUNDS 4
#define PROBE_SHORT  1024 /* multiplications whose price comes off that of so many more */

/*
 * What is believed. No CPU multiplies in less than a cycle, and none takes 64. After a flush at
 * least every second load walks (prefetchers may have walked for the other), and no flush costs
 * more than some loads' walks, each of which is four reads of memory at most: 24 in a guest. While
 * nothing but registers is used, next to nothing walks: less than one in so many multiplications.
 */
#define CYCLES_PER_MULTIPLICATION_MIN 1
#define CYCLES_PER_MULTIPLICATION_MAX 64
#define WALKS_PER_FLUSH_MAX           64
#define WALK_CYCLES_PER_FLUSH_MAX     16384
#define IDLE_PART                     16

#define WIDTH_DEFAULT 40 /* where CPUID gives none: the narrowest that there is */
#define AMD_WIDTH     48 /* AMD APM vol. 2, "PerfCtr": 47:0 */

struct pmu pmu;

/* An event that tells of page walks for loads, and the models whose list has it. */
struct walk_event {
	const char *name;
	enum pmu_unit unit;
	uint64_t select;
	bool efficient;
	uint16_t models[10];
};

/*
 * Linux, tools/perf/pmu-events/arch/x86/LIST/virtual-memory.json; the models by its mapfile.csv.
 * Where a list has no event of cycles, that of completed walks. A model that is not here has a list
 * that was not looked up, or none of these events.
 */
static const struct walk_event intel_walks[] = {
	/* haswell, haswellx; broadwell, broadwellx, broadwellde (erratum BDM69, says the list) */
	{
		.name = "DTLB_LOAD_MISSES.WALK_DURATION",
		.unit = PMU_CYCLES,
		.select = PERFEVTSEL(0x08, 0x10),
		.models = {0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56},
	},
	/* skylake, skylakex, cascadelakex; the walks of a host's tables are not in it, says the list */
	{
		.name = "DTLB_LOAD_MISSES.WALK_ACTIVE",
		.unit = PMU_CYCLES,
		.select = PERFEVTSEL(0x08, 0x10) | PERFEVTSEL_CMASK(1),
		.models = {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x55},
	},
	/* icelake, icelakex, tigerlake, rocketlake */
	{
		.name = "DTLB_LOAD_MISSES.WALK_ACTIVE",
		.unit = PMU_CYCLES,
		.select = PERFEVTSEL(0x08, 0x10) | PERFEVTSEL_CMASK(1),
		.models = {0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7},
	},
	/* alderlake (Raptor Lake too), sapphirerapids, emeraldrapids, arrowlake: another code */
	{
		.name = "DTLB_LOAD_MISSES.WALK_ACTIVE",
		.unit = PMU_CYCLES,
		.select = PERFEVTSEL(0x12, 0x10) | PERFEVTSEL_CMASK(1),
		.models = {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0x8f, 0xcf, 0xc5, 0xc6},
	},
	/* meteorlake, graniterapids, lunarlake */
	{
		.name = "DTLB_LOAD_MISSES.WALK_COMPLETED",
		.unit = PMU_WALKS,
		.select = PERFEVTSEL(0x12, 0x0e),
		.models = {0xaa, 0xac, 0xb5, 0xad, 0xae, 0xbd},
	},
	/* alderlake, lunarlake: cpu_atom */
	{
		.name = "DTLB_LOAD_MISSES.WALK_COMPLETED",
		.unit = PMU_WALKS,
		.select = PERFEVTSEL(0x08, 0x0e),
		.efficient = true,
		.models = {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xbd},
	},
};

static const struct walk_event *find_intel_walk(const struct pmu_cpu *cpu)
{
	for (size_t i = 0; i < sizeof(intel_walks) / sizeof(intel_walks[0]); i++) {
		const struct walk_event *e = &intel_walks[i];

		if (cpu->family != 6 || e->efficient != cpu->efficient)
			continue;
		for (size_t m = 0; m < sizeof(e->models) / sizeof(e->models[0]); m++) {
			if (e->models[m] && e->models[m] == cpu->model)
				return e;
		}
	}
	return NULL;
}

/*
 * AMD's lists have no event of walk cycles. This one counts loads and stores that missed both TLBs,
 * for which walks are requested, speculative ones too. The same code under two names: amdzen1,
 * amdzen2 and amdzen3/recommended.json; amdzen4/memory.json and amdzen5/load-store.json.
 */
static const char *find_amd_walk(const struct pmu_cpu *cpu)
{
	uint32_t series = cpu->model >> 4;

	if (cpu->vendor != VENDOR_AMD)
		return NULL;
	if (cpu->family == 0x17)
		return "l2_dtlb_misses";
	if (cpu->family == 0x19)
		return !series || series == 2 || series == 4 || series == 5
			       ? "l2_dtlb_misses"
			       : "ls_l1_d_tlb_miss.all_l2_miss";
	if (cpu->family == 0x1a && series <= 7 && series != 3 && series != 5)
		return "ls_l1_d_tlb_miss.all_l2_miss";
	return NULL;
}

static uint64_t mask_of(uint32_t width)
{
	if (width < 32 || width > 63)
		width = WIDTH_DEFAULT;
	return (1ull << width) - 1;
}

/* A control register set to 0, the counter too, and then the control to its value. */
static void plan_writes(struct pmu_counter *c, uint32_t control, uint64_t value, uint32_t counter)
{
	c->writes[0] = (struct pmu_write){control, 0};
	c->writes[1] = (struct pmu_write){counter, 0};
	c->writes[2] = (struct pmu_write){control, value};
	c->nr_writes = 3;
}

static void plan_intel_core(struct pmu_counter *c, struct cpuid leaf)
{
	uint32_t version = leaf.eax & 0xff;

	/* SDM vol. 2A, CPUID: ECX has the fixed counters one by one from version 5 on. */
	if ((leaf.edx & 0x1f) < 2 && !(version >= 5 && (leaf.ecx & 2))) {
		c->why = "CPUID.0Ah:EDX[4:0] < 2: no fixed counter 1";
		return;
	}
	c->name = "IA32_FIXED_CTR1";
	c->index = RDPMC_FIXED(1);
	c->mask = mask_of(leaf.edx >> 5 & 0xff);
	c->global_bit = PERF_GLOBAL_CTRL_FIXED1;
	plan_writes(c, MSR_FIXED_CTR_CTRL, FIXED_CTR_CTRL_1_OS, MSR_FIXED_CTR1);
}

static void plan_intel_walk(struct pmu_counter *c, struct cpuid leaf, const struct walk_event *e)
{
	if (!(leaf.eax >> 8 & 0xff)) {
		c->why = "CPUID.0Ah:EAX[15:8] = 0: no general counter";
		return;
	}
	if (!e) {
		c->why = "no event is known for this model";
		return;
	}
	c->name = e->name;
	c->unit = e->unit;
	c->index = 0;
	c->mask = mask_of(leaf.eax >> 16 & 0xff);
	c->global_bit = PERF_GLOBAL_CTRL_PMC0;
	plan_writes(c, MSR_PERFEVTSEL0, e->select | PERFEVTSEL_OS | PERFEVTSEL_EN, MSR_PMC0);
}

static void refuse_all(struct pmu *plan, const char *why)
{
	for (unsigned e = 0; e < PMU_EVENTS; e++)
		plan->counters[e].why = why;
}

static void plan_intel(const struct pmu_cpu *cpu, struct pmu *plan)
{
	struct cpuid leaf = {0};

	/* A leaf above the largest answers with the largest's. */
	if (cpu->query(0, 0).eax >= 0x0a)
		leaf = cpu->query(0x0a, 0);
	if (!(leaf.eax & 0xff)) {
		refuse_all(plan, "CPUID.0Ah:EAX[7:0] = 0: no performance monitoring");
		return;
	}
	if ((leaf.eax & 0xff) < 2) {
		refuse_all(plan, "CPUID.0Ah:EAX[7:0] = 1: no fixed counters, no global control");
		return;
	}
	plan->global_control = MSR_PERF_GLOBAL_CTRL;
	plan_intel_core(&plan->counters[PMU_CORE], leaf);
	plan_intel_walk(&plan->counters[PMU_WALK], leaf, find_intel_walk(cpu));
}

static void plan_amd_counter(struct pmu_counter *c, const char *name, uint32_t number,
			     uint64_t event)
{
	c->name = name;
	c->index = number;
	c->mask = mask_of(AMD_WIDTH);
	c->global_bit = 1ull << number;
	plan_writes(c, MSR_AMD_PERF_CTL0 + 2 * number, event | PERFEVTSEL_OS | PERFEVTSEL_EN,
		    MSR_AMD_PERF_CTR0 + 2 * number);
}

static void plan_amd(const struct pmu_cpu *cpu, struct pmu *plan)
{
	uint32_t largest = cpu->query(0x80000000, 0).eax;
	const char *walk = find_amd_walk(cpu);

	if (largest < 0x80000001 || !(cpu->query(0x80000001, 0).ecx >> 23 & 1)) {
		refuse_all(plan, "CPUID 8000_0001:ECX[23] PerfCtrExtCore = 0");
		return;
	}
	/* PerfMonV2: counters run where both their own control and the global one let them. */
	if (largest >= 0x80000022 && cpu->query(0x80000022, 0).eax & 1)
		plan->global_control = MSR_AMD_PERF_GLOBAL_CTL;
	plan_amd_counter(&plan->counters[PMU_CORE], "AMD PerfCtr0 event 76h", 0,
			 PERFEVTSEL(0x76, 0));
	if (walk)
		plan_amd_counter(&plan->counters[PMU_WALK], walk, 1, PERFEVTSEL(0x45, 0xf0));
	else
		plan->counters[PMU_WALK].why = "no event is known for this model";
	plan->counters[PMU_WALK].unit = PMU_WALKS;
}

void pmu_plan(const struct pmu_cpu *cpu, struct pmu *plan)
{
	*plan = (struct pmu){0};
	switch (cpu->vendor) {
	case VENDOR_INTEL:
		plan_intel(cpu, plan);
		break;
	case VENDOR_AMD:
	case VENDOR_HYGON:
		plan_amd(cpu, plan);
		break;
	default:
		refuse_all(plan, "no counter is known for this vendor");
	}
}

static void set_up(struct pmu_counter *c)
{
	for (unsigned i = 0; i < c->nr_writes; i++) {
		if (!wrmsr_safe(c->writes[i].msr, c->writes[i].value))
			continue;
		c->why = "WRMSR faults";
		c->faulted = c->writes[i].msr;
		return;
	}
}

/* Turns on those that could be set up, and nothing else. */
static void turn_on(void)
{
	uint64_t bits = 0;

	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (pmu_counts(e))
			bits |= pmu.counters[e].global_bit;
	}
	if (!pmu.global_control || !wrmsr_safe(pmu.global_control, bits))
		return;
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (!pmu_counts(e))
			continue;
		pmu.counters[e].why = "WRMSR faults";
		pmu.counters[e].faulted = pmu.global_control;
	}
}

enum work { MULTIPLY, MULTIPLY_MORE, LOAD, FLUSH_AND_LOAD };

static void do_work(enum work work)
{
	static const uint64_t far_away = 1; /* not in a page of the code or of the stack */

	switch (work) {
	case MULTIPLY:
		pmu_work_multiply(PROBE_SHORT);
		break;
	case MULTIPLY_MORE:
		pmu_work_multiply(PROBE_SHORT + PMU_PROBE_MULTIPLICATIONS);
		break;
	case LOAD:
		pmu_work_load(PMU_PROBE_FLUSHES, &far_away, false);
		break;
	case FLUSH_AND_LOAD:
		pmu_work_load(PMU_PROBE_FLUSHES, &far_away, true);
		break;
	}
}

/* What the counter says of some work, if that is less than `*least`; false where it can't be read. */
static bool count_work(const struct pmu_counter *c, enum work work, uint64_t *least)
{
	uint64_t before, after;

	if (rdpmc_safe(c->index, &before))
		return false;
	do_work(work);
	if (rdpmc_safe(c->index, &after))
		return false;
	after = (after - before) & c->mask;
	if (after < *least)
		*least = after;
	return true;
}

static const char *judge_core(int64_t counted)
{
	if (counted < PMU_PROBE_MULTIPLICATIONS * CYCLES_PER_MULTIPLICATION_MIN)
		return "advances too slowly";
	if (counted > PMU_PROBE_MULTIPLICATIONS * CYCLES_PER_MULTIPLICATION_MAX)
		return "advances too fast";
	return NULL;
}

static const char *judge_walk(const struct pmu_counter *c, int64_t counted, uint64_t idle)
{
	int64_t most = c->unit == PMU_WALKS ? WALKS_PER_FLUSH_MAX : WALK_CYCLES_PER_FLUSH_MAX;

	if (idle > PMU_PROBE_MULTIPLICATIONS / IDLE_PART)
		return "advances where nothing walks";
	if (counted < PMU_PROBE_FLUSHES / 2)
		return "does not see the walks after a flush";
	if (counted > PMU_PROBE_FLUSHES * most)
		return "advances too fast";
	return NULL;
}

/*
 * NULL, or why the counter is not believed. What more work adds is judged, so that what the reads
 * cost is not; of each the least of the rounds, as all that disturbs adds.
 */
static const char *probe(struct pmu_counter *c, enum pmu_event event)
{
	enum work little = event == PMU_CORE ? MULTIPLY : LOAD;
	enum work much = event == PMU_CORE ? MULTIPLY_MORE : FLUSH_AND_LOAD;
	uint64_t first = UINT64_MAX, less = UINT64_MAX, more = UINT64_MAX, idle = UINT64_MAX;

	for (unsigned round = 0; round < PROBE_ROUNDS; round++) {
		if (!count_work(c, little, &less) || !count_work(c, much, &more) ||
		    !count_work(c, MULTIPLY_MORE, &idle))
			return "RDPMC faults";
		if (!round)
			first = more;
	}
	c->probed = true;
	c->counted = (int64_t)(more - less);
	if (!more)
		return first ? "stops" : "does not advance";
	return event == PMU_CORE ? judge_core(c->counted) : judge_walk(c, c->counted, idle);
}

void pmu_probe(void)
{
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (pmu_counts(e))
			pmu.counters[e].why = probe(&pmu.counters[e], e);
	}
}

void pmu_init(const struct pmu_cpu *cpu)
{
	pmu_plan(cpu, &pmu);
	/* Counters that firmware left on stand still while theirs are set up. */
	if (pmu.global_control)
		(void)wrmsr_safe(pmu.global_control, 0);
	for (unsigned e = 0; e < PMU_EVENTS; e++)
		set_up(&pmu.counters[e]);
	turn_on();
	pmu_probe();
}
