/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks the tags without trusting them. */
#include "boot/multiboot2/tags.h"

#include "arch/x86/bytes.h"
#include "boot/efi_map.h"

enum tag_type {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER_NAME = 2,
	TAG_MEMORY = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_EFI64 = 12,
	TAG_SMBIOS = 13,
	TAG_ACPI_OLD = 14,
	TAG_ACPI_NEW = 15,
	TAG_EFI_MEMORY = 17,
};

#define HEADER_BYTES     8
#define FRAMEBUFFER_RGB  1
#define E820_ENTRY_BYTES 24

/* Length of the text in a tag's `n` bytes. */
static uint32_t text_bytes(const uint8_t *text, uint32_t n)
{
	uint32_t length = 0;

	while (length < n && text[length])
		length++;
	return length;
}

static uint32_t color_mask(uint8_t position, uint8_t size)
{
	if (size == 0 || size > 8 || position > 24)
		return 0;
	return ((1u << size) - 1) << position;
}

static void read_framebuffer(const uint8_t *tag, uint32_t bytes, struct boot_framebuffer *fb)
{
	if (bytes < 38 || tag[29] != FRAMEBUFFER_RGB || tag[28] != 32)
		return;
	*fb = (struct boot_framebuffer){
		.base = get64(tag + 8),
		.stride_bytes = get32(tag + 16),
		.width = get32(tag + 20),
		.height = get32(tag + 24),
		.red_mask = color_mask(tag[32], tag[33]),
		.green_mask = color_mask(tag[34], tag[35]),
		.blue_mask = color_mask(tag[36], tag[37]),
	};
}

/* `offset` is the tag's in the information. */
static void take_tag(const uint8_t *tag, uint32_t bytes, uint32_t offset,
		     struct multiboot2_tags *tags)
{
	switch (get32(tag)) {
	case TAG_CMDLINE:
		tags->cmdline = offset + HEADER_BYTES;
		tags->cmdline_bytes = text_bytes(tag + HEADER_BYTES, bytes - HEADER_BYTES);
		break;
	case TAG_LOADER_NAME:
		tags->loader_name = offset + HEADER_BYTES;
		tags->loader_name_bytes = text_bytes(tag + HEADER_BYTES, bytes - HEADER_BYTES);
		break;
	case TAG_MEMORY:
		if (bytes >= 16 && get32(tag + 8) >= E820_ENTRY_BYTES) {
			tags->memory = offset + 16;
			tags->memory_bytes = bytes - 16;
			tags->memory_entry_bytes = get32(tag + 8);
		}
		break;
	case TAG_EFI_MEMORY:
		if (bytes >= 16 && get32(tag + 8) >= sizeof(struct efi_descriptor)) {
			tags->efi_memory = offset + 16;
			tags->efi_memory_bytes = bytes - 16;
			tags->efi_entry_bytes = get32(tag + 8);
		}
		break;
	case TAG_FRAMEBUFFER:
		read_framebuffer(tag, bytes, &tags->framebuffer);
		break;
	case TAG_EFI64:
		if (bytes >= 16)
			tags->efi_system_table = get64(tag + 8);
		break;
	case TAG_SMBIOS:
		if (bytes > 16)
			tags->smbios = offset + 16;
		break;
	case TAG_ACPI_OLD:
		if (!tags->rsdp)
			tags->rsdp = offset + HEADER_BYTES;
		break;
	case TAG_ACPI_NEW:
		tags->rsdp = offset + HEADER_BYTES;
		break;
	}
}

void multiboot2_read_tags(const uint8_t *information, size_t limit, struct multiboot2_tags *tags)
{
	uint32_t total, at = HEADER_BYTES;

	*tags = (struct multiboot2_tags){0};
	if (limit < HEADER_BYTES)
		return;
	total = get32(information) < limit ? get32(information) : limit;
	while (at < total && total - at >= HEADER_BYTES) {
		uint32_t bytes = get32(information + at + 4);

		if (get32(information + at) == TAG_END || bytes < HEADER_BYTES ||
		    bytes > total - at)
			return;
		take_tag(information + at, bytes, at, tags);
		/* The next one begins at a multiple of 8. */
		if (total - at - bytes < 8)
			return;
		at += (bytes + 7) & ~7u;
	}
}

size_t multiboot2_memory_entries(const struct multiboot2_tags *tags)
{
	if (tags->efi_memory)
		return tags->efi_memory_bytes / tags->efi_entry_bytes;
	return tags->memory ? tags->memory_bytes / tags->memory_entry_bytes : 0;
}

/* Whole pages only: of RAM those inside, of anything else those that it touches. */
static struct boot_mem pages_of(uint64_t base, uint64_t bytes, enum boot_mem_type type)
{
	uint64_t end = base + bytes < base ? UINT64_MAX : base + bytes;

	if (type == BOOT_MEM_RESERVED) {
		base &= ~(BOOT_PAGE_SIZE - 1ull);
		end = end > UINT64_MAX - BOOT_PAGE_SIZE ? end : end + BOOT_PAGE_SIZE - 1;
	} else {
		base = base > UINT64_MAX - BOOT_PAGE_SIZE ? base : base + BOOT_PAGE_SIZE - 1;
		base &= ~(BOOT_PAGE_SIZE - 1ull);
	}
	return (struct boot_mem){
		.base = base,
		.nr_pages = end > base ? (end - base) / BOOT_PAGE_SIZE : 0,
		.type = type,
	};
}

/* Advanced Configuration and Power Interface specification, "Address Range Types". */
static enum boot_mem_type type_of_e820(uint32_t type)
{
	switch (type) {
	case 1:
		return BOOT_MEM_FREE;
	case 3:
	case 4:
		return BOOT_MEM_ACPI;
	default:
		return BOOT_MEM_RESERVED;
	}
}

size_t multiboot2_convert_memory(const uint8_t *information, const struct multiboot2_tags *tags,
				 struct boot_mem *out, size_t max)
{
	size_t n = multiboot2_memory_entries(tags);

	if (tags->efi_memory)
		return efi_map_convert(information + tags->efi_memory, tags->efi_memory_bytes,
				       tags->efi_entry_bytes, out, max);
	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *e = information + tags->memory + i * tags->memory_entry_bytes;

		out[i] = pages_of(get64(e), get64(e + 8), type_of_e820(get32(e + 16)));
	}
	return n;
}
