/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ways to end a run. Each returns only where it had no effect.
 * Source: ACPI specification, "Sleeping States", "Reset Register".
 */
#ifndef ARCH_X86_POWER_H
#define ARCH_X86_POWER_H

#include <stdint.h>

/* QEMU's isa-debug-exit device at port 0xf4: QEMU ends with status (code << 1) | 1. */
void power_debug_exit(uint8_t code);

/* Soft off: the S5 sleep type to the PM1 control ports (port_b may be 0). */
void power_off(uint16_t pm1a_port, uint16_t pm1b_port, uint8_t type_a, uint8_t type_b);

/* Chipset reset, then a triple fault, which resets every PC. */
_Noreturn void power_reset(void);

_Noreturn void power_halt(void);

#endif
