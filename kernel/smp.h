/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and starts the CPUs, and runs functions on them. */
#ifndef KERNEL_SMP_H
#define KERNEL_SMP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/cpu.h"
#include "boot/boot_info.h"
#include "kernel/cmdline.h"

/* What the firmware's list of CPUs came to. */
struct smp_summary {
	uint32_t described; /* CPUs the MADT describes as enabled */
	uint32_t expected;  /* those to be used: all, or cpus=N of them */
	uint32_t online;
	uint64_t start_us;   /* from the first INIT until the last AP answered or was given up */
	uint32_t duplicates; /* entries of the MADT that repeat an APIC ID */
	const char *problem; /* with the MADT, NULL: none */
};

extern struct smp_summary smp;

/*
 * Fills the CPU table from the MADT and starts every AP. Problems are printed, and the run goes on
 * with the CPUs there are. On CPU 0, whose `boot_cpu` is set up, with clock and APIC ready.
 */
void smp_init(const struct boot_info *info, const struct options *o, struct cpu *boot_cpu);

/* How the CPUs that have no work wait: "hlt", "poll" or "busy". */
const char *smp_others(void);

/*
 * Gives `fn` to an online CPU other than this one. It runs there with interrupts off, outside
 * interrupt context. One at a time for each CPU: smp_wait() before the next.
 */
void smp_start_on(struct cpu *cpu, void (*fn)(void *arg), void *arg);

/* Whether the CPU finished what it was given within `us`. */
bool smp_wait(struct cpu *cpu, uint32_t us);

#endif
