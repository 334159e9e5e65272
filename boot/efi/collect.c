/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware knows of the machine. Source: UEFI specification. */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"

static void collect_tables(EFI_SYSTEM_TABLE *system, struct boot_info *info)
{
	EFI_GUID acpi2 = ACPI_20_TABLE_GUID, acpi1 = ACPI_TABLE_GUID;
	EFI_GUID smbios3 = SMBIOS3_TABLE_GUID, smbios = SMBIOS_TABLE_GUID;
	void *table;

	if (!EFI_ERROR(LibGetSystemConfigurationTable(&acpi2, &table)) ||
	    !EFI_ERROR(LibGetSystemConfigurationTable(&acpi1, &table)))
		info->rsdp = (UINT64)table;
	if (!EFI_ERROR(LibGetSystemConfigurationTable(&smbios3, &table)) ||
	    !EFI_ERROR(LibGetSystemConfigurationTable(&smbios, &table)))
		info->smbios = (UINT64)table;
	(void)system;
}

/* With bit masks a pixel is as wide as the highest of them; the kernel draws 32 bits at a time. */
static BOOLEAN has_wide_pixels(const EFI_PIXEL_BITMASK *m)
{
	return (m->RedMask | m->GreenMask | m->BlueMask | m->ReservedMask) >> 24 != 0;
}

/* False where this one has no memory to draw in. */
static BOOLEAN take_framebuffer(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, struct boot_framebuffer *fb)
{
	EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode;

	if (!gop->Mode || !gop->Mode->Info || !gop->Mode->FrameBufferBase)
		return FALSE;
	mode = gop->Mode->Info;
	switch (mode->PixelFormat) {
	case PixelRedGreenBlueReserved8BitPerColor:
		*fb = (struct boot_framebuffer){
			.red_mask = 0xff, .green_mask = 0xff00, .blue_mask = 0xff0000};
		break;
	case PixelBlueGreenRedReserved8BitPerColor:
		*fb = (struct boot_framebuffer){
			.red_mask = 0xff0000, .green_mask = 0xff00, .blue_mask = 0xff};
		break;
	case PixelBitMask:
		if (!has_wide_pixels(&mode->PixelInformation))
			return FALSE;
		*fb = (struct boot_framebuffer){.red_mask = mode->PixelInformation.RedMask,
						.green_mask = mode->PixelInformation.GreenMask,
						.blue_mask = mode->PixelInformation.BlueMask};
		break;
	default:
		return FALSE;
	}
	fb->base = gop->Mode->FrameBufferBase;
	fb->width = mode->HorizontalResolution;
	fb->height = mode->VerticalResolution;
	fb->stride_bytes = mode->PixelsPerScanLine * 4;
	return TRUE;
}

/*
 * The console's screen, for of several cards that one is looked at; but the console's may be a
 * device that stands for several and has no memory. Then the first that has.
 */
static void collect_framebuffer(EFI_SYSTEM_TABLE *system, struct boot_info *info)
{
	EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;
	EFI_HANDLE *handles;
	UINTN n;

	if (system->ConsoleOutHandle &&
	    !EFI_ERROR(BS->HandleProtocol(system->ConsoleOutHandle, &guid, (void **)&gop)) &&
	    take_framebuffer(gop, &info->framebuffer))
		return;
	if (EFI_ERROR(LibLocateHandle(ByProtocol, &guid, NULL, &n, &handles)))
		return;
	for (UINTN i = 0; i < n; i++) {
		if (!EFI_ERROR(BS->HandleProtocol(handles[i], &guid, (void **)&gop)) &&
		    take_framebuffer(gop, &info->framebuffer))
			break;
	}
	FreePool(handles);
}

static int read_flag(const CHAR16 *name)
{
	EFI_GUID global = EFI_GLOBAL_VARIABLE;
	UINT8 value = 0;
	UINTN bytes = sizeof(value);

	if (EFI_ERROR(RT->GetVariable((CHAR16 *)name, &global, NULL, &bytes, &value)))
		return -1;
	return value == 1;
}

static void collect_secure_boot(struct boot_info *info)
{
	int on = read_flag(L"SecureBoot");

	if (on < 0)
		info->secure_boot = BOOT_SECURE_UNKNOWN;
	else if (on)
		info->secure_boot = BOOT_SECURE_ON;
	else if (read_flag(L"SetupMode") == 1)
		info->secure_boot = BOOT_SECURE_SETUP_MODE;
	else
		info->secure_boot = BOOT_SECURE_OFF;
}

static void put_decimal(char **out, UINTN value, UINTN digits)
{
	for (UINTN i = digits; i-- > 0; value /= 10)
		(*out)[i] = '0' + value % 10;
	*out += digits;
}

static void collect_date(struct boot_info *info)
{
	char *out = info->date;
	EFI_TIME t;

	if (EFI_ERROR(RT->GetTime(&t, NULL)))
		return;
	put_decimal(&out, t.Year, 4);
	*out++ = '-';
	put_decimal(&out, t.Month, 2);
	*out++ = '-';
	put_decimal(&out, t.Day, 2);
	*out++ = 'T';
	put_decimal(&out, t.Hour, 2);
	*out++ = ':';
	put_decimal(&out, t.Minute, 2);
	*out++ = ':';
	put_decimal(&out, t.Second, 2);
	/* The firmware may not know its time zone; then this is local time without one. */
	if (t.TimeZone == 0)
		*out++ = 'Z';
	*out = 0;
}

/* "UEFI 2.70: EDK II 1.0" */
static void collect_firmware(EFI_SYSTEM_TABLE *system, struct boot_info *info)
{
	CHAR16 wide[BOOT_FIRMWARE_MAX];
	UINTN i;

	SPrint(wide, sizeof(wide), L"UEFI %d.%d: %s %d.%d", system->Hdr.Revision >> 16,
	       (system->Hdr.Revision & 0xffff) / 10,
	       system->FirmwareVendor ? system->FirmwareVendor : L"",
	       system->FirmwareRevision >> 16, system->FirmwareRevision & 0xffff);
	for (i = 0; i < BOOT_FIRMWARE_MAX - 1 && wide[i]; i++)
		info->firmware[i] = wide[i] >= ' ' && wide[i] <= '~' ? (char)wide[i] : '?';
	info->firmware[i] = 0;
}

/* PI specification vol. 2, "EFI_MP_SERVICES_PROTOCOL", which gnu-efi does not have. */
struct processor {
	UINT64 apic_id;
	UINT32 status;
	UINT32 location[3], extended_location[6];
};

#define PROCESSOR_ENABLED 2

struct mp_services {
	EFI_STATUS(EFIAPI *count)(struct mp_services *this, UINTN *all, UINTN *enabled);
	EFI_STATUS(EFIAPI *get)(struct mp_services *this, UINTN number, struct processor *out);
};

static void collect_cpus(struct boot_info *info)
{
	EFI_GUID guid = {
		0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
	struct mp_services *mp;
	UINTN all, enabled;
	UINT32 *ids;

	if (EFI_ERROR(LibLocateProtocol(&guid, (void **)&mp)) ||
	    EFI_ERROR(mp->count(mp, &all, &enabled)))
		return;
	ids = (UINT32 *)loader_pages(all * sizeof(*ids));
	if (!ids)
		return;
	info->apic_ids = (UINT64)ids;
	for (UINTN i = 0; i < all; i++) {
		struct processor p;

		if (!EFI_ERROR(mp->get(mp, i, &p)) && p.status & PROCESSOR_ENABLED)
			ids[info->nr_apic_ids++] = (UINT32)p.apic_id;
	}
}

/*
 * Real mode reaches 1 MiB, a SIPI vector names pages up to FFh, and from A0h on they are not RAM.
 */
static void collect_low_page(struct boot_info *info)
{
	EFI_PHYSICAL_ADDRESS at = 0x9ffff;

	if (EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &at)))
		return;
	info->low_page = at;
	if (at)
		return;
	/* Page 0 is the real-mode vector table and no use; it stays ours, so ask once more. */
	at = 0x9ffff;
	if (!EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &at)))
		info->low_page = at;
}

void loader_collect(EFI_SYSTEM_TABLE *system, struct boot_info *info)
{
	collect_tables(system, info);
	collect_framebuffer(system, info);
	collect_secure_boot(info);
	collect_date(info);
	collect_firmware(system, info);
	collect_cpus(info);
	collect_low_page(info);
}
