/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core cycles, and what page walks take, by the CPU's performance counters: which counters this CPU
 * has, setting them up, and whether what they say can be believed. Reading one in a timed section
 * is in cycles.h.
 *
 * Sources: Intel SDM vol. 3B, "Performance Monitoring"; AMD APM vol. 2, "Performance Monitoring
 * Counters"; events: Intel's and AMD's lists as Linux has them (tools/perf/pmu-events/arch/x86).
 */
#ifndef ARCH_X86_PMU_H
#define ARCH_X86_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/features.h"

/* What is counted. */
enum pmu_event {
	PMU_CORE, /* cycles of this core, at the rate it runs at; none while halted */
	PMU_WALK, /* page walks for loads: cycles with one in progress, or how many */
	PMU_EVENTS
};

enum pmu_unit { PMU_CYCLES, PMU_WALKS };

struct pmu_write {
	uint32_t msr;
	uint64_t value;
};

#define PMU_WRITES_MAX 3

/* One counter: planned, and once `name` is set and `why` is not, in use. */
struct pmu_counter {
	const char *name;    /* the counter, or the event that it counts; NULL: there is none */
	const char *why;     /* there is none, or it is not believed; NULL: it counts */
	enum pmu_unit unit;  /* of PMU_WALK */
	uint32_t index;      /* RDPMC's operand */
	uint64_t mask;       /* differences are modulo this + 1 */
	uint64_t global_bit; /* in the global control, where there is one */
	unsigned nr_writes;  /* that set it up */
	struct pmu_write writes[PMU_WRITES_MAX];
	uint32_t faulted; /* the MSR whose write did, or 0 */
	bool probed;
	int64_t counted; /* by the probe, whether believed or not */
};

struct pmu {
	uint32_t global_control; /* MSR that turns counters on and off together; 0: there is none */
	struct pmu_counter counters[PMU_EVENTS];
};

extern struct pmu pmu;

/* What the plan depends on; `query` answers as CPUID (leaf, subleaf) on the CPU in question. */
struct pmu_cpu {
	enum cpu_vendor vendor;
	uint32_t family, model;
	bool efficient; /* an E-core of a hybrid machine */
	struct cpuid (*query)(uint32_t leaf, uint32_t subleaf);
};

/* What could count on such a CPU, by what it says of itself. Pure. */
void pmu_plan(const struct pmu_cpu *cpu, struct pmu *plan);

/*
 * Sets the counters of the calling CPU up for ring 0, and probes them: one that faults, stands
 * still, or does not follow the work done gets a `why`. Interrupts off, traps set up. Takes some
 * 100000 cycles whatever the counters do.
 */
void pmu_init(const struct pmu_cpu *cpu);

/* Probes those in use again, on the same CPU; interrupts off. One that fails has a `why` for good. */
void pmu_probe(void);

static inline bool pmu_counts(enum pmu_event event)
{
	return pmu.counters[event].name && !pmu.counters[event].why;
}

/* Dependent multiplications by which the core counter is probed, and TLB flushes for the walks'. */
#define PMU_PROBE_MULTIPLICATIONS 8192
#define PMU_PROBE_FLUSHES         64

#endif
