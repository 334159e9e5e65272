/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's memory map in the kernel's terms, for each boot path that meets UEFI. Pure, and
 * without gnu-efi, so that the host can test it. Source: UEFI specification, "EFI_BOOT_SERVICES.GetMemoryMap()".
 */
#ifndef BOOT_EFI_MAP_H
#define BOOT_EFI_MAP_H

#include <stdint.h>

#include "boot/boot_info.h"

/* EFI_MEMORY_DESCRIPTOR. Packed for its alignment: the firmware chooses where each one lies. */
struct efi_descriptor {
	uint32_t type;
	uint32_t pad;
	uint64_t physical_start;
	uint64_t virtual_start;
	uint64_t number_of_pages;
	uint64_t attribute;
} __attribute__((packed));
_Static_assert(sizeof(struct efi_descriptor) == 40, "version 1");

/* EFI_MEMORY_TYPE. */
enum efi_memory_type {
	EFI_RESERVED,
	EFI_LOADER_CODE,
	EFI_LOADER_DATA,
	EFI_BOOT_SERVICES_CODE,
	EFI_BOOT_SERVICES_DATA,
	EFI_RUNTIME_SERVICES_CODE,
	EFI_RUNTIME_SERVICES_DATA,
	EFI_CONVENTIONAL,
	EFI_UNUSABLE,
	EFI_ACPI_RECLAIM,
	EFI_ACPI_NVS
};

/*
 * Converts `bytes` of descriptors, `stride` bytes apart, into at most `capacity` entries at `out`;
 * returns how many. Addresses and sizes pass as they are: mm/memory_map.h says what counts of them.
 * A stride too small for a descriptor gives none.
 */
uint64_t efi_map_convert(const void *map, uint64_t bytes, uint64_t stride, struct boot_mem *out,
			 uint64_t capacity);

#endif
