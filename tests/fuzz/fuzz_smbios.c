/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads SMBIOS from memory that the input is; the entry point lies at its start. */
#include "kernel/smbios.h"
#include "tests/fuzz/memory.h"

#define ENTRY_3_BYTES 24
#define ENTRY_2_BYTES 31
#define ENTRY_2_DMI   16 /* whose checksum is the one that is looked at */

static const void *map(uint64_t phys, size_t bytes)
{
	uint8_t *copy = memory_map(phys, bytes);

	if (copy && bytes == ENTRY_3_BYTES)
		memory_repair_sum(copy, bytes, 5);
	if (copy && bytes == ENTRY_2_BYTES)
		memory_repair_sum(copy + ENTRY_2_DMI, bytes - ENTRY_2_DMI, 5);
	return copy;
}

static void check_text(const char *text)
{
	size_t n = 0;

	for (; n < SMBIOS_TEXT_MAX && text[n]; n++)
		must(text[n] >= ' ' && text[n] <= '~');
	must(n < SMBIOS_TEXT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct smbios smbios;

	memory_open(data, bytes);
	smbios_read(MEMORY_BASE, map, &smbios);
	check_text(smbios.vendor);
	check_text(smbios.product);
	check_text(smbios.bios);
	memory_close();
	return 0;
}
