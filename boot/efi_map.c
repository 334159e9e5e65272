/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts memory descriptors. */
#include "boot/efi_map.h"

static enum boot_mem_type type_of(const struct efi_descriptor *d)
{
	switch (d->type) {
	case EFI_CONVENTIONAL:
		return BOOT_MEM_FREE;
	case EFI_BOOT_SERVICES_CODE:
	case EFI_BOOT_SERVICES_DATA:
		return BOOT_MEM_RECLAIM;
	case EFI_LOADER_CODE:
	case EFI_LOADER_DATA:
		return BOOT_MEM_LOADER;
	case EFI_ACPI_RECLAIM:
	case EFI_ACPI_NVS:
	case EFI_RUNTIME_SERVICES_DATA: /* SMBIOS tables lie there on some machines */
		return BOOT_MEM_ACPI;
	default:
		return BOOT_MEM_RESERVED;
	}
}

uint64_t efi_map_convert(const void *map, uint64_t bytes, uint64_t stride, struct boot_mem *out,
			 uint64_t capacity)
{
	const uint8_t *at = map;
	uint64_t nr = 0;

	if (stride < sizeof(struct efi_descriptor))
		return 0;
	for (; bytes >= stride && nr < capacity; bytes -= stride, at += stride) {
		const struct efi_descriptor *d = (const struct efi_descriptor *)at;

		out[nr++] = (struct boot_mem){
			.base = d->physical_start,
			.nr_pages = d->number_of_pages,
			.type = type_of(d),
		};
	}
	return nr;
}
