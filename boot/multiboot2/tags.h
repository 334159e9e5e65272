/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot information that GRUB2 leaves. Pure, so that the host can test and fuzz it.
 * Source: Multiboot2 specification, "Boot information format".
 */
#ifndef BOOT_MULTIBOOT2_TAGS_H
#define BOOT_MULTIBOOT2_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Where things lie in the information; offset 0: not there. */
struct multiboot2_tags {
	uint32_t cmdline, cmdline_bytes;
	uint32_t loader_name, loader_name_bytes;
	uint32_t rsdp;
	uint32_t smbios;
	uint32_t memory, memory_bytes, memory_entry_bytes;      /* BIOS ("E820") memory map */
	uint32_t efi_memory, efi_memory_bytes, efi_entry_bytes; /* UEFI's */
	uint64_t efi_system_table; /* physical; 0: GRUB was started by a BIOS */
	struct boot_framebuffer framebuffer;
};

/* Reads the information, which begins with its own size; at most `limit` bytes of it. */
void multiboot2_read_tags(const uint8_t *information, size_t limit, struct multiboot2_tags *tags);

/* How many entries the memory map has: UEFI's where there is one. */
size_t multiboot2_memory_entries(const struct multiboot2_tags *tags);

/* Writes up to `max` of them and returns how many. */
size_t multiboot2_convert_memory(const uint8_t *information, const struct multiboot2_tags *tags,
				 struct boot_mem *out, size_t max);

#endif
