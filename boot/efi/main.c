/* SPDX-License-Identifier: BSD-2-Clause */
/* The EFI application: collects boot_info, loads the kernel, leaves the firmware. */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"

#define NOTES_BYTES     4096
#define READING_SECONDS 10

/* The kernel is built for the System V ABI, firmware for Microsoft's. */
typedef void(__attribute__((sysv_abi)) * kernel_entry_fn)(struct boot_info *info);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static struct boot_info *info;

EFI_STATUS loader_fail(const CHAR16 *what, EFI_STATUS status)
{
	Print(L"Shootdown can't start: %s (%r)\r\n", what, status);
	BS->Stall(READING_SECONDS * 1000000);
	return status;
}

void loader_note(const char *line)
{
	char *notes = (char *)info->notes;

	while (*line && info->notes_bytes < NOTES_BYTES - 1)
		notes[info->notes_bytes++] = *line++;
	notes[info->notes_bytes++] = '\n';
	if (info->notes_bytes == NOTES_BYTES)
		info->notes_bytes--;
}

static EFI_PHYSICAL_ADDRESS allocate(UINTN bytes, EFI_MEMORY_TYPE type)
{
	EFI_PHYSICAL_ADDRESS at = 0;
	EFI_STATUS status =
		BS->AllocatePages(AllocateAnyPages, type, EFI_SIZE_TO_PAGES(bytes), &at);

	return EFI_ERROR(status) ? 0 : at;
}

EFI_PHYSICAL_ADDRESS loader_pages(UINTN bytes)
{
	return allocate(bytes, EfiLoaderData);
}

/* UEFI specification, "EFI_MEMORY_ATTRIBUTE_PROTOCOL", which gnu-efi does not have. */
struct memory_attributes {
	void *get, *set;
	EFI_STATUS(EFIAPI *clear)
	(struct memory_attributes *this, EFI_PHYSICAL_ADDRESS base, UINT64 bytes,
	 UINT64 attributes);
};

#define MEMORY_XP 0x4000
#define MEMORY_RO 0x20000

EFI_PHYSICAL_ADDRESS loader_code_pages(UINTN bytes)
{
	EFI_GUID guid = {
		0xf4560cf6, 0x40ec, 0x4b4a, {0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89}};
	EFI_PHYSICAL_ADDRESS at = allocate(bytes, EfiLoaderCode);
	struct memory_attributes *attributes;

	/*
	 * Strict firmware makes even code pages non-executable until asked; others have no such
	 * thing.
	 */
	if (at && !EFI_ERROR(LibLocateProtocol(&guid, (void **)&attributes)))
		attributes->clear(attributes, at, EFI_SIZE_TO_PAGES(bytes) * EFI_PAGE_SIZE,
				  MEMORY_XP | MEMORY_RO);
	return at;
}

static EFI_STATUS create_info(void)
{
	info = (struct boot_info *)loader_pages(sizeof(*info));
	if (!info)
		return EFI_OUT_OF_RESOURCES;
	SetMem(info, sizeof(*info), 0);
	info->magic = BOOT_INFO_MAGIC;
	info->path = BOOT_EFI;
	info->notes = loader_pages(NOTES_BYTES);
	return info->notes ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_PHYSICAL_ADDRESS entry;
	EFI_STATUS status;

	InitializeLib(image, system);
	/* The firmware's watchdog would reset the machine five minutes on. */
	BS->SetWatchdogTimer(0, 0, 0, NULL);
	if (EFI_ERROR(create_info()))
		return loader_fail(L"no memory", EFI_OUT_OF_RESOURCES);
	loader_read_cmdline(image, info);
	loader_collect(system, info);
	status = loader_load_kernel(info, &entry);
	if (EFI_ERROR(status))
		return loader_fail(L"no memory for the kernel, or a damaged image", status);
	status = loader_exit_boot_services(image, info);
	if (EFI_ERROR(status))
		return loader_fail(L"the firmware would not let go", status);
	((kernel_entry_fn)entry)(info);
	__builtin_unreachable();
}
