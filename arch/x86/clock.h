/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the TSC runs, by every source the machine has, and waiting by it. Sources: Intel SDM
 * vol. 3B, "Time-Stamp Counter" and "Determining the Processor Base Frequency"; ACPI specification,
 * "Power Management Timer"; IA-PC HPET specification; AMD PPR, "Core::X86::Msr:: PStateDef".
 */
#ifndef ARCH_X86_CLOCK_H
#define ARCH_X86_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Timers to check against; 0 or NULL: the machine has none. */
struct clock_hardware {
	uint16_t pm_timer_port;
	bool pm_timer_32bit;
	volatile uint64_t *hpet; /* mapped uncached */
};

#define CLOCK_MAX_CHECKS 8

struct clock_check {
	const char *source;
	uint64_t hz;
	int64_t ppm; /* against the chosen frequency */
};

struct clock {
	uint64_t tsc_hz; /* never 0 after clock_init */
	const char *source;
	bool invariant;
	unsigned nr_checks;
	struct clock_check checks[CLOCK_MAX_CHECKS]; /* all sources, the chosen one too */
};

extern struct clock clock;

/*
 * Asks every source and chooses: a frequency that CPUID or the hypervisor states, unless timers
 * were measured and all differ from it by more than 0.5%; else the best timer. On the first CPU,
 * interrupts off; takes about 0.1 s, and at most about 1 s however dead the timers are.
 */
void clock_init(const struct clock_hardware *hw);

/* TSC values; a deadline may be up to an hour away. */
uint64_t clock_deadline(uint32_t us);
bool clock_passed(uint64_t deadline);
void clock_delay_us(uint32_t us);

/* Milliseconds in `ticks`. */
uint64_t clock_ms(uint64_t ticks);

#endif
