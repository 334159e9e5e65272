/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map, and leaving boot services with it. */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"
#include "boot/efi_map.h"

/* Descriptors that the map may grow by between asking its size and taking it. */
#define SLACK_ENTRIES 64
#define EXIT_TRIES    16

_Static_assert(sizeof(EFI_MEMORY_DESCRIPTOR) == sizeof(struct efi_descriptor), "efi_map.h");
_Static_assert((int)EfiConventionalMemory == (int)EFI_CONVENTIONAL, "efi_map.h");
_Static_assert((int)EfiACPIMemoryNVS == (int)EFI_ACPI_NVS, "efi_map.h");

EFI_STATUS loader_exit_boot_services(EFI_HANDLE image, struct boot_info *info)
{
	UINTN bytes = 0, capacity, entries, key, stride;
	UINT32 version;
	EFI_STATUS status = BS->GetMemoryMap(&bytes, NULL, &key, &stride, &version);
	UINT8 *map;

	if (status != EFI_BUFFER_TOO_SMALL || stride < sizeof(EFI_MEMORY_DESCRIPTOR))
		return EFI_LOAD_ERROR;
	capacity = bytes + SLACK_ENTRIES * stride;
	map = (UINT8 *)loader_pages(capacity);
	entries = capacity / stride;
	info->memory = loader_pages(entries * sizeof(struct boot_mem));
	if (!map || !info->memory)
		return EFI_OUT_OF_RESOURCES;
	/*
	 * The first ExitBootServices runs the firmware's own handlers, which may change the map and
	 * so make the key stale; then the map is taken again, and nothing else may be called.
	 */
	for (int i = 0; i < EXIT_TRIES; i++) {
		bytes = capacity;
		status = BS->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key, &stride,
					  &version);
		if (EFI_ERROR(status))
			return status;
		status = BS->ExitBootServices(image, key);
		if (!EFI_ERROR(status)) {
			info->nr_memory = efi_map_convert(map, bytes, stride,
							  (struct boot_mem *)info->memory, entries);
			return EFI_SUCCESS;
		}
	}
	return status;
}
