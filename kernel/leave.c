/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit device, power off, reset or halt. */
#include "kernel/leave.h"

#include "arch/x86/features.h"
#include "arch/x86/power.h"
#include "kernel/console.h"

static struct acpi_fadt acpi;
static uint8_t type_a, type_b;
static bool can_power_off;

void leave_set_acpi(const struct acpi_fadt *fadt, uint8_t s5_type_a, uint8_t s5_type_b)
{
	acpi = *fadt;
	type_a = s5_type_a;
	type_b = s5_type_b;
	can_power_off = true;
}

static void try_power_off(void)
{
	if (can_power_off)
		power_off(acpi.pm1a_port, acpi.pm1b_port, type_a, type_b);
}

void leave(const struct options *o, enum leave_code code)
{
	enum exit_mode mode = o ? (enum exit_mode)o->exit : EXIT_AUTO;

	console_drain();
	switch (mode) {
	case EXIT_AUTO:
		/*
		 * Under a hypervisor the run has ended for its owner. On a machine of its own the
		 * report may be on a screen only, which power off would wipe: halt.
		 */
		if (feature_has(FEATURE_HYPERVISOR)) {
			power_debug_exit(code);
			try_power_off();
		}
		break;
	case EXIT_POWEROFF:
		try_power_off();
		break;
	case EXIT_REBOOT:
		power_reset();
	case EXIT_HALT:
		break;
	}
	console_emergency("Halted: the machine may be switched off.\n");
	power_halt();
}
