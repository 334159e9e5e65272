/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes boot_info of what GRUB2 left, and enters the kernel. */
#include "arch/x86/bytes.h"
#include "arch/x86/mem.h"
#include "boot/boot_info.h"
#include "boot/multiboot2/tags.h"

#define INFORMATION_MAX (1u << 20) /* GRUB's is a few kilobytes; one that claims more is cut */
#define MEMORY_MAX      4096       /* entries; firmware with the most pieces has some hundreds */
#define OWN_ENTRIES     2          /* the image, and GRUB's information */

extern const uint8_t __kernel_start[], __kernel_end[];

/* In the image, for there is no allocator yet; the map says that it is ours. */
static struct boot_info info;
static struct multiboot2_tags tags;
static struct boot_mem memory[MEMORY_MAX];
static const char memory_cut[] = "memory map: more than 4096 entries, the rest is left alone\n";

/*
 * In the high half, with `information` and the image (at `kernel_base`) mapped at their addresses.
 */
_Noreturn void multiboot2_main(uint64_t information, uint64_t kernel_base);

static uint64_t physical(const void *in_image, uint64_t kernel_base)
{
	return kernel_base + ((const uint8_t *)in_image - __kernel_start);
}

static struct boot_mem own(uint64_t base, uint64_t bytes)
{
	uint64_t first = base & ~(BOOT_PAGE_SIZE - 1ull);

	return (struct boot_mem){
		.base = first,
		.nr_pages = (base + bytes - first + BOOT_PAGE_SIZE - 1) / BOOT_PAGE_SIZE,
		.type = BOOT_MEM_LOADER,
	};
}

static void fill_memory(const uint8_t *information, uint64_t kernel_base)
{
	size_t n = multiboot2_convert_memory(information, &tags, memory, MEMORY_MAX - OWN_ENTRIES);

	if (n < multiboot2_memory_entries(&tags)) {
		info.notes = physical(memory_cut, kernel_base);
		info.notes_bytes = sizeof(memory_cut) - 1;
	}
	memory[n++] = own(kernel_base, info.kernel_bytes);
	memory[n++] = own((uint64_t)information, get32(information));
	info.memory = physical(memory, kernel_base);
	info.nr_memory = n;
}

/* "GRUB 2.06-13, from UEFI" */
static void fill_firmware(const uint8_t *information)
{
	const char *from = tags.efi_system_table ? ", from UEFI" : ", from BIOS";
	size_t n = tags.loader_name_bytes, room = BOOT_FIRMWARE_MAX - 1 - sizeof(", from UEFI");

	if (n > room)
		n = room;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = information[tags.loader_name + i];

		info.firmware[i] = c >= ' ' && c <= '~' ? c : '?';
	}
	memcpy(info.firmware + n, from, sizeof(", from UEFI"));
}

/*
 * Where GRUB does not say, a BIOS leaves these in its ROM shadow, at multiples of 16 (ACPI
 * specification, "Finding the RSDP on IA-PC Systems"; DSP0134, "Accessing SMBIOS information"). Who
 * reads them checks their checksums.
 */
static uint64_t scan_bios(const char *anchor, size_t bytes)
{
	for (uint64_t at = 0xe0000; at < 0x100000; at += 16) {
		if (!memcmp((const void *)at, anchor, bytes))
			return at;
	}
	return 0;
}

static void fill_from_bios(void)
{
	if (!info.rsdp)
		info.rsdp = scan_bios("RSD PTR ", 8);
	if (!info.smbios)
		info.smbios = scan_bios("_SM3_", 5);
	if (!info.smbios)
		info.smbios = scan_bios("_SM_", 4);
}

/* UEFI specification, "EFI System Table" and "EFI Configuration Table", 64-bit. */
#define EFI_TABLE_COUNT   104
#define EFI_TABLE_POINTER 112
#define EFI_TABLE_BYTES   24
#define MAPPED_BYTES      (1ull << 32)

static uint64_t find_efi_table(const uint8_t guid[16])
{
	const uint8_t *system = (const uint8_t *)tags.efi_system_table;
	const uint8_t *table;
	uint64_t n;

	if (tags.efi_system_table > MAPPED_BYTES - BOOT_PAGE_SIZE)
		return 0;
	n = get64(system + EFI_TABLE_COUNT);
	table = (const uint8_t *)get64(system + EFI_TABLE_POINTER);
	if (n > BOOT_PAGE_SIZE || (uint64_t)table > MAPPED_BYTES - n * EFI_TABLE_BYTES)
		return 0;
	for (; n; n--, table += EFI_TABLE_BYTES) {
		if (!memcmp(table, guid, 16))
			return get64(table + 16);
	}
	return 0;
}

static void fill_from_uefi(void)
{
	static const uint8_t smbios3[16] = {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a,
					    0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94};
	static const uint8_t smbios[16] = {0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
					   0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d};

	if (!info.smbios)
		info.smbios = find_efi_table(smbios3);
	if (!info.smbios)
		info.smbios = find_efi_table(smbios);
}

static uint64_t address(const uint8_t *information, uint32_t offset)
{
	return offset ? (uint64_t)information + offset : 0;
}

void multiboot2_main(uint64_t at, uint64_t kernel_base)
{
	const uint8_t *information = (const uint8_t *)at;

	multiboot2_read_tags(information, INFORMATION_MAX, &tags);
	info.magic = BOOT_INFO_MAGIC;
	info.path = tags.efi_system_table ? BOOT_MULTIBOOT2_EFI : BOOT_MULTIBOOT2_BIOS;
	info.secure_boot = tags.efi_system_table ? BOOT_SECURE_UNKNOWN : BOOT_SECURE_OFF;
	info.kernel_base = kernel_base;
	info.kernel_bytes = __kernel_end - __kernel_start;
	info.rsdp = address(information, tags.rsdp);
	info.smbios = address(information, tags.smbios);
	if (tags.efi_system_table)
		fill_from_uefi();
	else
		fill_from_bios();
	info.cmdline = address(information, tags.cmdline);
	info.cmdline_bytes = tags.cmdline_bytes;
	info.framebuffer = tags.framebuffer;
	fill_memory(information, kernel_base);
	fill_firmware(information);
	kernel_main((const struct boot_info *)physical(&info, kernel_base), kernel_base);
}
