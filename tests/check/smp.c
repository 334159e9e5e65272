/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that every CPU the firmware describes runs our code: each is given a function of its own
 * turn, and must report the APIC ID it was started by. A CPU that never came up fails it too.
 */
#include "kernel/smp.h"
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "kernel/harness/check.h"
#include "kernel/inject.h"

#define ANSWER_US 1000000

static uint32_t answered_id;

static void answer(void *unused)
{
	(void)unused;
	__atomic_store_n(&answered_id, apic_id(), __ATOMIC_RELEASE);
}

static bool cpu_answers(struct cpu *cpu)
{
	bool last = cpu->index == nr_cpus - 1;

	answered_id = ~cpu->apic_id;
	if (cpu == this_cpu()) {
		answer(NULL);
	} else {
		smp_start_on(cpu, answer, NULL);
		if (!smp_wait(cpu, ANSWER_US))
			return false;
	}
	if (last && inject_is(INJECT_FAIL))
		answered_id = ~cpu->apic_id;
	return __atomic_load_n(&answered_id, __ATOMIC_ACQUIRE) == cpu->apic_id;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	uint32_t answers = 0, silent = 0;

	(void)at;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE && cpu_answers(cpus[i]))
			answers++;
		else
			silent = cpus[i]->apic_id;
	}
	if (answers == smp.expected)
		return check_end(report, CHECK_PASS, "%u of %u answered", answers, smp.expected);
	return check_end(report, CHECK_FAIL, "%u of %u answered; the CPU with APIC ID %u did not",
			 answers, smp.expected, silent);
}

static const struct check all_cpus_answer = {
	.name = "smp/all-cpus-answer",
	.what = "every CPU runs a function it is given and knows its APIC ID",
	.run = run,
};
CHECK(all_cpus_answer);
