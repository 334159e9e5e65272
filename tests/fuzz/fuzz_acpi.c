/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ACPI tables as the boot does, from memory that the input is; the RSDP lies at its start. */
#include "arch/x86/acpi.h"
#include "tests/fuzz/memory.h"

#define RSDP_BYTES     20
#define RSDP_CHECKSUM  8
#define TABLE_CHECKSUM 9

static const void *map(uint64_t phys, size_t bytes)
{
	uint8_t *copy = memory_map(phys, bytes);

	if (copy)
		memory_repair_sum(copy, bytes,
				  bytes == RSDP_BYTES ? RSDP_CHECKSUM : TABLE_CHECKSUM);
	return copy;
}

static const uint8_t *find(const char signature[4], size_t *bytes)
{
	const char *why = "";
	const uint8_t *table = acpi_find(MEMORY_BASE, signature, map, bytes, &why);

	must(!table == !!why);
	must(!table || (*bytes >= ACPI_HEADER_BYTES && *bytes <= ACPI_TABLE_MAX));
	return table;
}

static void read_fadt(void)
{
	struct acpi_fadt fadt;
	uint8_t type_a, type_b;
	const char *why;
	size_t bytes;
	const uint8_t *table = find("FACP", &bytes);

	if (!table)
		return;
	acpi_parse_fadt(table, bytes, &fadt);
	table = acpi_map_table(fadt.dsdt, "DSDT", map, &bytes, &why);
	if (table)
		acpi_find_s5(table, bytes, &type_a, &type_b);
}

static void read_hpet(void)
{
	size_t bytes;
	const uint8_t *table = find("HPET", &bytes);

	if (table)
		acpi_parse_hpet(table, bytes);
}

static void read_madt(void)
{
	struct acpi_madt madt;
	size_t bytes;
	const uint8_t *table = find("APIC", &bytes);
	uint32_t *ids, capacity;

	if (!table)
		return;
	capacity = acpi_madt_capacity(bytes);
	ids = malloc(capacity * sizeof(*ids));
	acpi_parse_madt(table, bytes, ids, &madt);
	must(madt.nr_ids <= capacity);
	for (uint32_t i = 0; i < madt.nr_ids; i++) {
		for (uint32_t j = 0; j < i; j++)
			must(ids[i] != ids[j]);
	}
	free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	memory_open(data, bytes);
	read_fadt();
	read_hpet();
	read_madt();
	memory_close();
	return 0;
}
