/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the tags of Multiboot2 and converts their memory map, from a buffer of the input's size. */
#include <string.h>

#include "boot/multiboot2/tags.h"
#include "tests/fuzz/fuzz.h"

#define MAX_ENTRIES 64

static void must_lie_inside(uint32_t offset, uint32_t length, size_t bytes)
{
	must(offset <= bytes && length <= bytes - offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *information = malloc(bytes ? bytes : 1);
	struct boot_mem entries[MAX_ENTRIES];
	struct multiboot2_tags tags;
	size_t n;

	must(information != NULL);
	memcpy(information, data, bytes);
	multiboot2_read_tags(information, bytes, &tags);
	must_lie_inside(tags.cmdline, tags.cmdline_bytes, bytes);
	must_lie_inside(tags.loader_name, tags.loader_name_bytes, bytes);
	must_lie_inside(tags.memory, tags.memory_bytes, bytes);
	must_lie_inside(tags.efi_memory, tags.efi_memory_bytes, bytes);
	must_lie_inside(tags.rsdp, 0, bytes);
	must_lie_inside(tags.smbios, 0, bytes);
	n = multiboot2_convert_memory(information, &tags, entries, MAX_ENTRIES);
	must(n <= MAX_ENTRIES && n <= multiboot2_memory_entries(&tags));
	for (size_t i = 0; i < n; i++)
		must(entries[i].type < BOOT_MEM_TYPE_COUNT);
	free(information);
	return 0;
}
