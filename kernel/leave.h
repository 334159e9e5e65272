/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves the machine at the end of a run, as exit= says. */
#ifndef KERNEL_LEAVE_H
#define KERNEL_LEAVE_H

#include "arch/x86/acpi.h"
#include "kernel/cmdline.h"

/* Codes for the emulator's exit device; QEMU ends with (code << 1) | 1. */
enum leave_code { LEAVE_PASSED = 0x10, LEAVE_FAILED = 0x11, LEAVE_PANIC = 0x12 };

/* What ACPI says of powering off; without it power off halts. */
void leave_set_acpi(const struct acpi_fadt *fadt, uint8_t s5_type_a, uint8_t s5_type_b);

/* Any CPU. `o` may be NULL: as exit=auto. */
_Noreturn void leave(const struct options *o, enum leave_code code);

#endif
