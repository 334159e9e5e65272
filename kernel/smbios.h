/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the machine and its firmware from SMBIOS. Pure; everything in the tables is foreign
 * data. Source: DMTF DSP0134, "Accessing SMBIOS information", "BIOS Information", "System
 * Information".
 */
#ifndef KERNEL_SMBIOS_H
#define KERNEL_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

#define SMBIOS_TEXT_MAX 64

struct smbios {
	char vendor[SMBIOS_TEXT_MAX];  /* of the system */
	char product[SMBIOS_TEXT_MAX]; /* "" where not given */
	char bios[SMBIOS_TEXT_MAX];    /* vendor and version */
};

/* `map` as acpi_map_fn. `entry` may be 0. Whatever can't be read stays "". */
void smbios_read(uint64_t entry, const void *(*map)(uint64_t phys, size_t bytes),
		 struct smbios *out);

#endif
