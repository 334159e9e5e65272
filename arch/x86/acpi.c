/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and reads ACPI tables without trusting them. */
#include "arch/x86/acpi.h"

#include "arch/x86/bytes.h"
#include "arch/x86/mem.h"

#define RSDP_BYTES        20
#define RSDP_BYTES_2      36
#define MADT_ENTRIES      44
#define MADT_LAPIC        0
#define MADT_LAPIC_BYTES  8
#define MADT_X2APIC       9
#define MADT_X2APIC_BYTES 16
#define MADT_ENABLED      1u
#define GAS_MEMORY        0
#define GAS_IO            1
#define GAS_BYTES         12

/* SPCR: offsets of fields, and the first revisions in which they mean something. */
#define SPCR_TYPE        36
#define SPCR_GAS         40
#define SPCR_BAUD        58
#define SPCR_CLOCK       76
#define SPCR_CLOCK_REV   3
#define SPCR_PRECISE     80
#define SPCR_PRECISE_REV 4

/* DBG2: offsets in the table and in the description of a device. */
#define DBG2_DEVICES      36
#define DBG2_COUNT        40
#define DBG2_NR_GAS       3
#define DBG2_TYPE         12
#define DBG2_SUBTYPE      14
#define DBG2_GAS_AT       18
#define DBG2_DEVICE_BYTES 22
#define DBG2_SERIAL       0x8000

/* Interface types of both. */
#define SERIAL_16550        0x00
#define SERIAL_16550_SUBSET 0x01
#define SERIAL_16550_GAS    0x12

const uint8_t *acpi_map_table(uint64_t phys, const char signature[4], acpi_map_fn map,
			      size_t *bytes, const char **why)
{
	const uint8_t *header = phys ? map(phys, ACPI_HEADER_BYTES) : NULL;
	const uint8_t *table;
	uint32_t length;

	*why = "no such table";
	if (!header || memcmp(header, signature, 4))
		return NULL;
	length = get32(header + 4);
	*why = "its length is absurd";
	if (length < ACPI_HEADER_BYTES || length > ACPI_TABLE_MAX)
		return NULL;
	table = map(phys, length);
	*why = "it can't be mapped";
	if (!table)
		return NULL;
	*why = "its checksum is wrong";
	if (!sums_to_zero(table, length))
		return NULL;
	*why = NULL;
	*bytes = length;
	return table;
}

/* The XSDT where there is a sound one, else the RSDT; *width = bytes of an entry. */
static const uint8_t *find_root(uint64_t rsdp, acpi_map_fn map, size_t *bytes, unsigned *width,
				const char **why)
{
	const uint8_t *p = rsdp ? map(rsdp, RSDP_BYTES) : NULL;
	const uint8_t *root = NULL;

	*why = "the firmware gave no RSDP";
	if (!p)
		return NULL;
	*why = "the RSDP is damaged";
	if (memcmp(p, "RSD PTR ", 8) || !sums_to_zero(p, RSDP_BYTES))
		return NULL;
	if (p[15] >= 2) {
		const uint8_t *p2 = map(rsdp, RSDP_BYTES_2);

		*width = 8;
		if (p2)
			root = acpi_map_table(get64(p2 + 24), "XSDT", map, bytes, why);
	}
	if (!root) {
		*width = 4;
		root = acpi_map_table(get32(p + 16), "RSDT", map, bytes, why);
	}
	if (!root)
		*why = "neither XSDT nor RSDT is sound";
	return root;
}

const uint8_t *acpi_find(uint64_t rsdp, const char signature[4], acpi_map_fn map, size_t *bytes,
			 const char **why)
{
	size_t root_bytes = 0;
	unsigned width = 0;
	const uint8_t *root = find_root(rsdp, map, &root_bytes, &width, why);
	const char *best_why = "no such table";

	if (!root)
		return NULL;
	for (size_t at = ACPI_HEADER_BYTES; at + width <= root_bytes; at += width) {
		uint64_t phys = width == 8 ? get64(root + at) : get32(root + at);
		const uint8_t *header = phys ? map(phys, ACPI_HEADER_BYTES) : NULL;
		const uint8_t *table;

		if (!header || memcmp(header, signature, 4))
			continue;
		table = acpi_map_table(phys, signature, map, bytes, why);
		if (table)
			return table;
		best_why = *why;
	}
	*why = best_why;
	return NULL;
}

/* A port by its Generic Address Structure, or by the older 32-bit field. */
static uint16_t get_port(const uint8_t *table, size_t bytes, size_t old, size_t gas)
{
	if (bytes >= gas + 12 && table[gas] == GAS_IO && get64(table + gas + 4) &&
	    get64(table + gas + 4) <= 0xffff)
		return get64(table + gas + 4);
	if (bytes >= old + 4 && get32(table + old) <= 0xffff)
		return get32(table + old);
	return 0;
}

void acpi_parse_fadt(const uint8_t *table, size_t bytes, struct acpi_fadt *fadt)
{
	*fadt = (struct acpi_fadt){0};
	fadt->pm_timer_port = get_port(table, bytes, 76, 208);
	fadt->pm1a_port = get_port(table, bytes, 64, 172);
	fadt->pm1b_port = get_port(table, bytes, 68, 184);
	if (bytes >= 116)
		fadt->pm_timer_32bit = get32(table + 112) >> 8 & 1;
	if (bytes >= 148)
		fadt->dsdt = get64(table + 140);
	if (!fadt->dsdt && bytes >= 44)
		fadt->dsdt = get32(table + 40);
}

/* An AML integer constant: a BytePrefix (0Ah) and a byte, or ZeroOp and OneOp. */
static size_t aml_byte(const uint8_t *p, size_t left, uint8_t *value)
{
	if (left >= 2 && p[0] == 0x0a) {
		*value = p[1];
		return 2;
	}
	if (left >= 1 && p[0] <= 1) {
		*value = p[0];
		return 1;
	}
	return 0;
}

bool acpi_find_s5(const uint8_t *dsdt, size_t bytes, uint8_t *type_a, uint8_t *type_b)
{
	/* Name(_S5_, Package(n) {a, b, ...}): "_S5_", PackageOp 12h, PkgLength, count, elements. */
	for (size_t at = ACPI_HEADER_BYTES; at + 8 <= bytes; at++) {
		size_t p = at + 4, used;

		if (memcmp(dsdt + at, "_S5_", 4) || dsdt[p] != 0x12)
			continue;
		p += 2 + (dsdt[p + 1] >> 6) + 1; /* op, PkgLength of 1 to 4 bytes, count */
		if (p >= bytes)
			continue;
		used = aml_byte(dsdt + p, bytes - p, type_a);
		if (used && aml_byte(dsdt + p + used, bytes - p - used, type_b))
			return true;
	}
	return false;
}

uint64_t acpi_parse_hpet(const uint8_t *table, size_t bytes)
{
	if (bytes < 52 || table[40] != GAS_MEMORY)
		return 0;
	return get64(table + 44);
}

/* Bits of an access by a GAS's access size, 0 where it does not say or says nonsense. */
static uint8_t access_bits(uint8_t size)
{
	return size >= 1 && size <= 3 ? 8 << (size - 1) : 0;
}

/*
 * In memory, and where the type says so, the register width is the distance of two registers and
 * the access size how each is read. Tables that give one only, or a distance shorter than an
 * access, are common. At ports the other types are a PC's.
 */
static bool take_gas(const uint8_t *gas, uint16_t type, struct uart *u)
{
	uint8_t width = gas[1];

	if (type != SERIAL_16550 && type != SERIAL_16550_SUBSET && type != SERIAL_16550_GAS)
		return false;
	*u = uart_legacy(0, 0);
	u->base = get64(gas + 4);
	if (gas[0] == GAS_MEMORY) {
		u->space = UART_MEMORY;
		u->clock_hz = 0;
	} else if (gas[0] != GAS_IO || u->base > 0xffff) {
		return false;
	}
	if (gas[0] == GAS_MEMORY || type == SERIAL_16550_GAS) {
		u->stride_bytes = width == 16 || width == 32 ? width / 8 : 1;
		u->access_bits = access_bits(gas[3]) ? access_bits(gas[3]) : 8;
		if (u->stride_bytes < u->access_bits / 8)
			u->stride_bytes = u->access_bits / 8;
	}
	return u->base && u->base + uart_bytes(u) > u->base &&
	       (u->space == UART_MEMORY || u->base + uart_bytes(u) <= 0x10000);
}

/* By the code in the table; 0: as it is. */
static uint32_t spcr_baud(uint8_t code)
{
	static const uint32_t rates[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};

	return code < sizeof(rates) / sizeof(rates[0]) ? rates[code] : 0;
}

bool acpi_parse_spcr(const uint8_t *table, size_t bytes, struct uart *u)
{
	if (bytes <= SPCR_BAUD || !take_gas(table + SPCR_GAS, table[SPCR_TYPE], u))
		return false;
	u->baud = spcr_baud(table[SPCR_BAUD]);
	if (table[8] >= SPCR_CLOCK_REV && bytes >= SPCR_CLOCK + 4 && get32(table + SPCR_CLOCK))
		u->clock_hz = get32(table + SPCR_CLOCK);
	if (table[8] >= SPCR_PRECISE_REV && bytes >= SPCR_PRECISE + 4 &&
	    get32(table + SPCR_PRECISE))
		u->baud = get32(table + SPCR_PRECISE);
	return true;
}

static bool take_debug_device(const uint8_t *device, size_t bytes, struct uart *u)
{
	size_t gas = get16(device + DBG2_GAS_AT);

	return get16(device + DBG2_TYPE) == DBG2_SERIAL && device[DBG2_NR_GAS] &&
	       gas + GAS_BYTES <= bytes && take_gas(device + gas, get16(device + DBG2_SUBTYPE), u);
}

bool acpi_parse_dbg2(const uint8_t *table, size_t bytes, unsigned index, struct uart *u)
{
	size_t at = bytes >= DBG2_COUNT + 4 ? get32(table + DBG2_DEVICES) : bytes;
	uint32_t left = at < bytes ? get32(table + DBG2_COUNT) : 0;

	for (; left && at < bytes && bytes - at >= DBG2_DEVICE_BYTES; left--) {
		size_t length = get16(table + at + 1);

		if (length < DBG2_DEVICE_BYTES || length > bytes - at)
			return false;
		if (take_debug_device(table + at, length, u) && index-- == 0)
			return true;
		at += length;
	}
	return false;
}

uint32_t acpi_madt_capacity(size_t bytes)
{
	return bytes > MADT_ENTRIES ? (bytes - MADT_ENTRIES) / MADT_LAPIC_BYTES : 0;
}

static void add_id(uint32_t id, uint32_t flags, uint32_t *ids, struct acpi_madt *madt)
{
	if (!(flags & MADT_ENABLED)) {
		madt->disabled++;
		return;
	}
	for (uint32_t i = 0; i < madt->nr_ids; i++) {
		if (ids[i] == id) {
			madt->duplicates++;
			return;
		}
	}
	ids[madt->nr_ids++] = id;
}

void acpi_parse_madt(const uint8_t *table, size_t bytes, uint32_t *ids, struct acpi_madt *madt)
{
	*madt = (struct acpi_madt){0};
	for (size_t at = MADT_ENTRIES; at < bytes;) {
		const uint8_t *entry = table + at;

		if (bytes - at < 2 || entry[1] < 2 || entry[1] > bytes - at) {
			madt->malformed = true;
			return;
		}
		/* All ones is the broadcast ID of either size: no CPU has it. */
		if (entry[0] == MADT_LAPIC && entry[1] >= MADT_LAPIC_BYTES && entry[3] != 0xff)
			add_id(entry[3], get32(entry + 4), ids, madt);
		else if (entry[0] == MADT_X2APIC && entry[1] >= MADT_X2APIC_BYTES &&
			 get32(entry + 4) != 0xffffffff)
			add_id(get32(entry + 4), get32(entry + 8), ids, madt);
		at += entry[1];
	}
}
