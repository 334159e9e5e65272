/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few ACPI tables the harness reads. Pure: memory comes through a callback, so that the host
 * can test and fuzz it. Everything in a table is foreign data and may be wrong. Source: ACPI
 * specification, "ACPI Software Programming Model".
 */
#ifndef ARCH_X86_ACPI_H
#define ARCH_X86_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/uart.h"

/* Makes `bytes` at `phys` readable for good; NULL where that can't be. */
typedef const void *(*acpi_map_fn)(uint64_t phys, size_t bytes);

#define ACPI_HEADER_BYTES 36
#define ACPI_TABLE_MAX    (1u << 20) /* larger ones are taken for damaged */

/*
 * The first table with `signature` whose length and checksum are right, its length in *bytes. NULL
 * where there is none, with *why saying what stood in the way.
 */
const uint8_t *acpi_find(uint64_t rsdp, const char signature[4], acpi_map_fn map, size_t *bytes,
			 const char **why);

/* What the FADT says that is of use here; 0 where it does not. */
struct acpi_fadt {
	uint16_t pm_timer_port;
	bool pm_timer_32bit;
	uint16_t pm1a_port, pm1b_port;
	uint64_t dsdt;
};

void acpi_parse_fadt(const uint8_t *table, size_t bytes, struct acpi_fadt *fadt);

/* The sleep type of S5 by its AML package in the DSDT; false where it is not there. */
bool acpi_find_s5(const uint8_t *dsdt, size_t bytes, uint8_t *type_a, uint8_t *type_b);

/* One description table by address: the DSDT. NULL as acpi_find. */
const uint8_t *acpi_map_table(uint64_t phys, const char signature[4], acpi_map_fn map,
			      size_t *bytes, const char **why);

/* Physical address of the HPET's registers, 0 where the table does not give one in memory. */
uint64_t acpi_parse_hpet(const uint8_t *table, size_t bytes);

/*
 * The 16550 that the firmware's own console uses, by the SPCR. False: none, or none that
 * uart_open() could drive. Source: Microsoft, "Serial Port Console Redirection Table".
 */
bool acpi_parse_spcr(const uint8_t *table, size_t bytes, struct uart *u);

/*
 * Number `index`, from 0, of the 16550s for debuggers in the DBG2. False: it has not so many.
 * Source: Microsoft, "Microsoft Debug Port Table 2 (DBG2)".
 */
bool acpi_parse_dbg2(const uint8_t *table, size_t bytes, unsigned index, struct uart *u);

/* What the MADT says of CPUs. */
struct acpi_madt {
	uint32_t nr_ids;     /* distinct enabled IDs written to the caller's array */
	uint32_t duplicates; /* entries that repeat one of them */
	uint32_t disabled;   /* entries without Enabled; Online Capable ones are absent now */
	bool malformed;      /* an entry ran over the end: what came before it counts */
};

/*
 * Writes the APIC IDs of enabled CPUs, in the table's order and each once, to `ids`, which has room
 * for acpi_madt_capacity(bytes) of them.
 */
void acpi_parse_madt(const uint8_t *table, size_t bytes, uint32_t *ids, struct acpi_madt *madt);

/* As many CPUs as a MADT of this size can name. */
uint32_t acpi_madt_capacity(size_t bytes);

#endif
