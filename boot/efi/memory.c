/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map, and leaving boot services with it. */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"

/* Descriptors that the map may grow by between asking its size and taking it. */
#define SLACK_ENTRIES 64
#define EXIT_TRIES    16

static enum boot_mem_type type_of(const EFI_MEMORY_DESCRIPTOR *d)
{
	switch (d->Type) {
	case EfiConventionalMemory:
		return BOOT_MEM_FREE;
	case EfiBootServicesCode:
	case EfiBootServicesData:
		return BOOT_MEM_RECLAIM;
	case EfiLoaderCode:
	case EfiLoaderData:
		return BOOT_MEM_LOADER;
	case EfiACPIReclaimMemory:
	case EfiACPIMemoryNVS:
	case EfiRuntimeServicesData: /* SMBIOS tables lie there on some machines */
		return BOOT_MEM_ACPI;
	default:
		return BOOT_MEM_RESERVED;
	}
}

static void convert(const UINT8 *map, UINTN bytes, UINTN stride, struct boot_info *info)
{
	struct boot_mem *out = (struct boot_mem *)info->memory;

	info->nr_memory = 0;
	for (UINTN at = 0; at + stride <= bytes; at += stride) {
		const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(map + at);

		out[info->nr_memory++] = (struct boot_mem){
			.base = d->PhysicalStart,
			.nr_pages = d->NumberOfPages,
			.type = type_of(d),
		};
	}
}

EFI_STATUS loader_exit_boot_services(EFI_HANDLE image, struct boot_info *info)
{
	UINTN bytes = 0, capacity, key, stride;
	UINT32 version;
	EFI_STATUS status = BS->GetMemoryMap(&bytes, NULL, &key, &stride, &version);
	UINT8 *map;

	if (status != EFI_BUFFER_TOO_SMALL || stride < sizeof(EFI_MEMORY_DESCRIPTOR))
		return EFI_LOAD_ERROR;
	capacity = bytes + SLACK_ENTRIES * stride;
	map = (UINT8 *)loader_pages(capacity);
	info->memory = loader_pages(capacity / stride * sizeof(struct boot_mem));
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
			convert(map, bytes, stride, info);
			return EFI_SUCCESS;
		}
	}
	return status;
}
