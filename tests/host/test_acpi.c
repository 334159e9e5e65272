/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arch/x86/acpi.c on sound tables, on damaged ones and on thousands of random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/acpi.h"
#include "tests/host/checksum.h"
#include "tests/host/random.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_REGIONS   16
#define MAX_MAPPINGS  256
#define RSDP          0xe0000
#define RSDT          0x100000
#define XSDT          0x8100001000 /* out of an RSDT's reach */
#define TABLE         0x200000
#define TABLE_2       0x300000

/* Physical memory is a few regions; a mapping is a copy of its exact size, which ASan watches. */
static struct region {
	uint64_t phys;
	uint8_t *at;
	size_t bytes;
} regions[MAX_REGIONS];
static unsigned nr_regions;
static void *mappings[MAX_MAPPINGS];
static unsigned nr_mappings;

static const void *map(uint64_t phys, size_t bytes)
{
	for (unsigned i = 0; i < nr_regions; i++) {
		const struct region *r = &regions[i];
		void *copy;

		if (phys < r->phys || phys - r->phys > r->bytes ||
		    bytes > r->bytes - (phys - r->phys))
			continue;
		assert_true(nr_mappings < MAX_MAPPINGS);
		copy = malloc(bytes);
		memcpy(copy, r->at + (phys - r->phys), bytes);
		mappings[nr_mappings++] = copy;
		return copy;
	}
	return NULL;
}

static uint8_t *add_region(uint64_t phys, size_t bytes)
{
	assert_true(nr_regions < MAX_REGIONS);
	regions[nr_regions] = (struct region){phys, calloc(1, bytes), bytes};
	return regions[nr_regions++].at;
}

static int teardown(void **unused)
{
	(void)unused;
	while (nr_regions)
		free(regions[--nr_regions].at);
	while (nr_mappings)
		free(mappings[--nr_mappings]);
	return 0;
}

static void put32(uint8_t *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
}

static void put64(uint8_t *p, uint64_t value)
{
	memcpy(p, &value, sizeof(value));
}

static uint8_t *add_table(uint64_t phys, const char *signature, size_t bytes)
{
	uint8_t *t = add_region(phys, bytes);

	memcpy(t, signature, 4);
	put32(t + 4, bytes);
	fix_checksum(t, bytes, 9);
	return t;
}

/* An RSDT (entries of 4 bytes) or an XSDT (of 8). */
static uint8_t *add_root(uint64_t phys, unsigned width, const uint64_t *tables, size_t n)
{
	uint8_t *t = add_table(phys, width == 8 ? "XSDT" : "RSDT", 36 + n * width);

	for (size_t i = 0; i < n; i++)
		memcpy(t + 36 + i * width, &tables[i], width);
	fix_checksum(t, 36 + n * width, 9);
	return t;
}

static uint8_t *add_rsdp(unsigned revision)
{
	size_t bytes = revision >= 2 ? 36 : 20;
	uint8_t *p = add_region(RSDP, bytes);

	memcpy(p, "RSD PTR ", 8);
	p[15] = revision;
	put32(p + 16, RSDT);
	fix_checksum(p, 20, 8);
	if (revision >= 2) {
		put32(p + 20, 36);
		put64(p + 24, XSDT);
		fix_checksum(p, 36, 32);
	}
	return p;
}

static const uint8_t *find(const char *signature, size_t *bytes, const char **why)
{
	*bytes = 0;
	*why = "untouched";
	return acpi_find(RSDP, signature, map, bytes, why);
}

static void assert_found(const char *signature, size_t expected_bytes)
{
	size_t bytes;
	const char *why;
	const uint8_t *t = find(signature, &bytes, &why);

	assert_non_null(t);
	assert_null(why);
	assert_memory_equal(t, signature, 4);
	assert_int_equal(bytes, expected_bytes);
}

static void assert_missing(const char *signature, const char *expected_why)
{
	size_t bytes;
	const char *why;

	assert_null(find(signature, &bytes, &why));
	assert_string_equal(why, expected_why);
}

static void old_rsdp(void **unused)
{
	static const uint64_t tables[] = {0, 0x999999, TABLE, TABLE_2};

	(void)unused;
	add_rsdp(0);
	add_root(RSDT, 4, tables, ARRAY_SIZE(tables));
	add_table(TABLE, "FACP", 116);
	add_table(TABLE_2, "APIC", 44);
	assert_found("FACP", 116);
	assert_found("APIC", 44);
	assert_missing("HPET", "no such table");
}

static void xsdt_before_rsdt(void **unused)
{
	static const uint64_t high = 0x9000000000, low = TABLE;

	(void)unused;
	add_rsdp(2);
	add_root(XSDT, 8, &high, 1);
	add_root(RSDT, 4, &low, 1);
	add_table(high, "APIC", 60);
	add_table(low, "APIC", 44);
	assert_found("APIC", 60);
}

/* An RSDP before revision 2 ends before the XSDT's address: what stands there means nothing. */
static void no_xsdt_before_revision_2(void **unused)
{
	static const uint64_t high = 0x9000000000, low = TABLE;
	uint8_t *p = add_rsdp(2);

	(void)unused;
	p[15] = 1;
	fix_checksum(p, 20, 8);
	add_root(XSDT, 8, &high, 1);
	add_root(RSDT, 4, &low, 1);
	add_table(high, "APIC", 60);
	add_table(low, "APIC", 44);
	assert_found("APIC", 44);
}

static void bad_checksum(uint8_t *root)
{
	root[9]++;
}

static void bad_signature(uint8_t *root)
{
	root[0] = 'x';
}

static void bad_length(uint8_t *root)
{
	put32(root + 4, 35);
}

static void length_over_the_end(uint8_t *root)
{
	put32(root + 4, 4096);
}

static void damaged_xsdt(void **unused)
{
	static void (*const damages[])(uint8_t *) = {bad_checksum, bad_signature, bad_length,
						     length_over_the_end};
	static const uint64_t low = TABLE;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		add_rsdp(2);
		damages[i](add_root(XSDT, 8, &low, 1));
		damages[i](add_root(RSDT, 4, &low, 1));
		add_table(TABLE, "APIC", 44);
		assert_missing("APIC", "neither XSDT nor RSDT is sound");
		teardown(NULL);
		add_rsdp(2);
		damages[i](add_root(XSDT, 8, &low, 1));
		add_root(RSDT, 4, &low, 1);
		add_table(TABLE, "APIC", 44);
		assert_found("APIC", 44);
		teardown(NULL);
	}
}

static void partial_root_entry(void **unused)
{
	uint8_t *root;

	(void)unused;
	add_rsdp(0);
	root = add_table(RSDT, "RSDT", 36 + 7);
	put32(root + 36, TABLE);
	memset(root + 40, 0xff, 3);
	fix_checksum(root, 36 + 7, 9);
	add_table(TABLE, "APIC", 44);
	assert_found("APIC", 44);
	assert_missing("FACP", "no such table");
}

static void damaged_rsdp(void **unused)
{
	size_t bytes;
	const char *why;
	uint8_t *p;

	(void)unused;
	assert_null(acpi_find(0, "APIC", map, &bytes, &why));
	assert_string_equal(why, "the firmware gave no RSDP");
	assert_missing("APIC", "the firmware gave no RSDP");
	p = add_rsdp(0);
	p[8]++;
	assert_missing("APIC", "the RSDP is damaged");
	teardown(NULL);
	p = add_rsdp(0);
	p[3] = '_';
	fix_checksum(p, 20, 8);
	assert_missing("APIC", "the RSDP is damaged");
	teardown(NULL);
	add_rsdp(2);
	assert_missing("APIC", "neither XSDT nor RSDT is sound");
}

static void damaged_table(void **unused)
{
	static const struct {
		uint32_t length;
		bool sum_off;
		const char *why;
	} cases[] = {
		{44, true, "its checksum is wrong"},
		{35, false, "its length is absurd"},
		{0, false, "its length is absurd"},
		{ACPI_TABLE_MAX + 1, false, "its length is absurd"},
		{0xffffffff, false, "its length is absurd"},
		{ACPI_TABLE_MAX, false, "it can't be mapped"},
		{45, false, "it can't be mapped"},
	};
	static const uint64_t tables[] = {TABLE, TABLE_2};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t *t;
		size_t bytes;
		const char *why;

		add_rsdp(0);
		add_root(RSDT, 4, tables, ARRAY_SIZE(tables));
		t = add_table(TABLE, "APIC", 44);
		put32(t + 4, cases[i].length);
		fix_checksum(t, 44, 9);
		t[9] += cases[i].sum_off;
		assert_missing("APIC", cases[i].why);
		assert_null(acpi_map_table(TABLE, "APIC", map, &bytes, &why));
		assert_string_equal(why, cases[i].why);
		add_table(TABLE_2, "APIC", 52);
		assert_found("APIC", 52);
		teardown(NULL);
	}
}

static void largest_and_smallest_table(void **unused)
{
	static const uint64_t tables[] = {TABLE, 0x10000000};

	(void)unused;
	add_rsdp(0);
	add_root(RSDT, 4, tables, ARRAY_SIZE(tables));
	add_table(TABLE, "SMAL", 36);
	add_table(0x10000000, "LARG", ACPI_TABLE_MAX);
	assert_found("SMAL", 36);
	assert_found("LARG", ACPI_TABLE_MAX);
}

static void map_one_table(void **unused)
{
	size_t bytes;
	const char *why;

	(void)unused;
	add_table(TABLE, "DSDT", 99);
	assert_non_null(acpi_map_table(TABLE, "DSDT", map, &bytes, &why));
	assert_int_equal(bytes, 99);
	assert_null(why);
	assert_null(acpi_map_table(TABLE, "FACP", map, &bytes, &why));
	assert_string_equal(why, "no such table");
	assert_null(acpi_map_table(0, "DSDT", map, &bytes, &why));
	assert_string_equal(why, "no such table");
	assert_null(acpi_map_table(TABLE + 90, "DSDT", map, &bytes, &why));
	assert_string_equal(why, "no such table");
}

/* A MADT is 44 bytes, then these. The ID array holds exactly as many as the table can name. */
static uint32_t *parse_madt(const uint8_t *entries, size_t n, struct acpi_madt *madt)
{
	uint8_t *t = calloc(1, 44 + n);
	uint32_t *ids = malloc(acpi_madt_capacity(44 + n) * sizeof(*ids));

	memcpy(t + 44, entries, n);
	memset(madt, 0xa5, sizeof(*madt));
	acpi_parse_madt(t, 44 + n, ids, madt);
	free(t);
	return ids;
}

/* Returns the entry's length. `state`: '+' enabled, '~' online capable, '*' both, '-' neither. */
static size_t put_entry(uint8_t *p, char type, uint32_t id, char state)
{
	uint32_t flags = (state == '+' || state == '*') | (state == '~' || state == '*') << 1;
	bool wide = type == 'X';

	memset(p, 0x55, wide ? 16 : 8);
	p[0] = wide ? 9 : 0;
	p[1] = wide ? 16 : 8;
	if (wide)
		put32(p + 4, id);
	else
		p[3] = id;
	put32(p + (wide ? 8 : 4), flags);
	return p[1];
}

/* Entries from text: 'L' (type 0) or 'X' (type 9), the ID and the state for each. */
static size_t put_entries(uint8_t *p, const char *text)
{
	uint8_t *start = p;
	char type, state;
	uint32_t id;
	int used;

	for (; sscanf(text, " %c%u%c%n", &type, &id, &state, &used) == 3; text += used)
		p += put_entry(p, type, id, state);
	return p - start;
}

static void assert_madt_equal(const struct acpi_madt *a, const struct acpi_madt *b)
{
	assert_int_equal(a->nr_ids, b->nr_ids);
	assert_int_equal(a->duplicates, b->duplicates);
	assert_int_equal(a->disabled, b->disabled);
	assert_int_equal(a->malformed, b->malformed);
}

static void check_madt(const uint8_t *entries, size_t n, const struct acpi_madt *expected,
		       const uint32_t *expected_ids)
{
	struct acpi_madt madt;
	uint32_t *ids = parse_madt(entries, n, &madt);

	assert_madt_equal(&madt, expected);
	assert_memory_equal(ids, expected_ids, madt.nr_ids * sizeof(*ids));
	free(ids);
}

static void madt_entries(void **unused)
{
	static const struct {
		const char *text;
		struct acpi_madt expected;
		uint32_t ids[4];
	} cases[] = {
		{"", {0, 0, 0, false}, {0}},
		{"L6+ L0+ L254+", {3, 0, 0, false}, {6, 0, 254}},
		{"X305419896+ L3+ X256+", {3, 0, 0, false}, {305419896, 3, 256}},
		{"L1+ L1+ X2+ X2+", {2, 2, 0, false}, {1, 2}},
		{"X5+ L5+ L4+ X4+", {2, 2, 0, false}, {5, 4}},
		{"L1- L2~ L3* X4~ X5- X6*", {2, 0, 4, false}, {3, 6}},
		{"L7- L7+ L7-", {1, 0, 2, false}, {7}},
		{"L255+ X4294967295+ X255+", {1, 0, 0, false}, {255}},
		{"L255- X4294967295~", {0, 0, 0, false}, {0}},
	};
	uint8_t entries[96];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_madt(entries, put_entries(entries, cases[i].text), &cases[i].expected,
			   cases[i].ids);
}

/* Entries between those of CPUs 1 and 7: of unknown types, of lengths too long, too short, absurd.
 */
static void madt_odd_entries(void **unused)
{
	static const struct {
		uint8_t odd[12];
		size_t bytes;
		struct acpi_madt expected;
		uint32_t ids[3];
	} cases[] = {
		{{1, 12}, 12, {2, 0, 0, false}, {1, 7}},
		{{0x7f, 2}, 2, {2, 0, 0, false}, {1, 7}},
		{{0, 10, 0, 5, 1}, 10, {3, 0, 0, false}, {1, 5, 7}},
		{{0, 7, 0, 5, 1}, 7, {2, 0, 0, false}, {1, 7}},
		{{9, 12, 0, 0, 6, 0, 0, 0, 1}, 12, {2, 0, 0, false}, {1, 7}},
		{{0, 0}, 2, {1, 0, 0, true}, {1}},
		{{0, 1}, 2, {1, 0, 0, true}, {1}},
		{{5, 255}, 2, {1, 0, 0, true}, {1}},
	};
	uint8_t entries[32];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n = put_entries(entries, "L1+");

		memcpy(entries + n, cases[i].odd, cases[i].bytes);
		n += cases[i].bytes;
		n += put_entries(entries + n, "L7+");
		check_madt(entries, n, &cases[i].expected, cases[i].ids);
	}
}

static void madt_cut_short(void **unused)
{
	static const struct acpi_madt expected = {1, 0, 0, true};
	static const char *const texts[] = {"L1+ L2+", "L1+ X2+"};
	const uint32_t one = 1;
	uint8_t entries[32];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t n = put_entries(entries, texts[i]);

		for (size_t cut = 9; cut < n; cut++)
			check_madt(entries, cut, &expected, &one);
	}
}

static void madt_shorter_than_its_head(void **unused)
{
	(void)unused;
	for (size_t bytes = 0; bytes <= 44; bytes++) {
		uint8_t *t = malloc(bytes);
		struct acpi_madt madt = {1, 1, 1, true};

		memset(t, 0, bytes);
		acpi_parse_madt(t, bytes, NULL, &madt);
		assert_madt_equal(&madt, &(struct acpi_madt){0});
		assert_int_equal(acpi_madt_capacity(bytes), 0);
		free(t);
	}
}

static void madt_full_of_cpus(void **unused)
{
	uint8_t entries[255 * 8];
	struct acpi_madt madt;
	uint32_t *ids;

	(void)unused;
	for (unsigned i = 0; i < 255; i++)
		put_entry(entries + i * 8, 'L', 254 - i, '+');
	assert_int_equal(acpi_madt_capacity(44 + sizeof(entries)), 255);
	ids = parse_madt(entries, sizeof(entries), &madt);
	assert_madt_equal(&madt, &(struct acpi_madt){255, 0, 0, false});
	for (unsigned i = 0; i < 255; i++)
		assert_int_equal(ids[i], 254 - i);
	free(ids);
}

static void put_gas(uint8_t *p, uint8_t space, uint64_t address)
{
	p[0] = space;
	p[1] = 32;
	put64(p + 4, address);
}

#define FADT_BYTES 276
#define X_DSDT     0x123456789a

/* Every field differs between its two generations. */
static void fill_fadt(uint8_t *t)
{
	memset(t, 0, FADT_BYTES);
	put32(t + 40, 0x7000);
	put32(t + 64, 0x604);
	put32(t + 68, 0x605);
	put32(t + 76, 0x608);
	put32(t + 112, 0x100);
	put64(t + 140, X_DSDT);
	put_gas(t + 172, 1, 0x404);
	put_gas(t + 184, 1, 0x405);
	put_gas(t + 208, 1, 0x408);
}

static void check_fadt(const uint8_t *whole, size_t bytes, const struct acpi_fadt *expected)
{
	uint8_t *t = malloc(bytes);
	struct acpi_fadt fadt;

	memcpy(t, whole, bytes);
	memset(&fadt, 0xa5, sizeof(fadt));
	acpi_parse_fadt(t, bytes, &fadt);
	assert_int_equal(fadt.pm_timer_port, expected->pm_timer_port);
	assert_int_equal(fadt.pm_timer_32bit, expected->pm_timer_32bit);
	assert_int_equal(fadt.pm1a_port, expected->pm1a_port);
	assert_int_equal(fadt.pm1b_port, expected->pm1b_port);
	assert_int_equal(fadt.dsdt, expected->dsdt);
	free(t);
}

static void fadt_of_any_length(void **unused)
{
	static const struct {
		size_t bytes;
		struct acpi_fadt expected;
	} cases[] = {
		{276, {0x408, true, 0x404, 0x405, X_DSDT}},
		{220, {0x408, true, 0x404, 0x405, X_DSDT}},
		{219, {0x608, true, 0x404, 0x405, X_DSDT}},
		{196, {0x608, true, 0x404, 0x405, X_DSDT}},
		{195, {0x608, true, 0x404, 0x605, X_DSDT}},
		{183, {0x608, true, 0x604, 0x605, X_DSDT}},
		{148, {0x608, true, 0x604, 0x605, X_DSDT}},
		{147, {0x608, true, 0x604, 0x605, 0x7000}},
		{116, {0x608, true, 0x604, 0x605, 0x7000}},
		{115, {0x608, false, 0x604, 0x605, 0x7000}},
		{79, {0, false, 0x604, 0x605, 0x7000}},
		{71, {0, false, 0x604, 0, 0x7000}},
		{67, {0, false, 0, 0, 0x7000}},
		{44, {0, false, 0, 0, 0x7000}},
		{43, {0, false, 0, 0, 0}},
		{0, {0, false, 0, 0, 0}},
	};
	uint8_t whole[FADT_BYTES];

	(void)unused;
	fill_fadt(whole);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_fadt(whole, cases[i].bytes, &cases[i].expected);
}

/* One field of a table of some length replaced. */
static void fadt_fields(void **unused)
{
	static const struct {
		size_t bytes, at, width;
		uint64_t value;
		struct acpi_fadt expected;
	} cases[] = {
		{276, 208, 1, 0, {0x608, true, 0x404, 0x405, X_DSDT}},
		{276, 212, 8, 0, {0x608, true, 0x404, 0x405, X_DSDT}},
		{276, 212, 8, 0x10000, {0x608, true, 0x404, 0x405, X_DSDT}},
		{276, 212, 8, 0x100000408, {0x608, true, 0x404, 0x405, X_DSDT}},
		{276, 212, 8, 0xffff, {0xffff, true, 0x404, 0x405, X_DSDT}},
		{276, 172, 1, 0, {0x408, true, 0x604, 0x405, X_DSDT}},
		{276, 184, 1, 0x7f, {0x408, true, 0x404, 0x605, X_DSDT}},
		{276, 64, 8, 0, {0x408, true, 0x404, 0x405, X_DSDT}},
		{276, 112, 4, 0xfffffeff, {0x408, false, 0x404, 0x405, X_DSDT}},
		{276, 140, 8, 0, {0x408, true, 0x404, 0x405, 0x7000}},
		{116, 76, 4, 0x10000, {0, true, 0x604, 0x605, 0x7000}},
		{116, 64, 4, 0xffff, {0x608, true, 0xffff, 0x605, 0x7000}},
		{116, 68, 4, 0xffffffff, {0x608, true, 0x604, 0, 0x7000}},
	};
	uint8_t whole[FADT_BYTES];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fill_fadt(whole);
		memcpy(whole + cases[i].at, &cases[i].value, cases[i].width);
		check_fadt(whole, cases[i].bytes, &cases[i].expected);
	}
}

static void hpet(void **unused)
{
	static const struct {
		size_t bytes;
		uint8_t space;
		uint64_t expected;
	} cases[] = {{56, 0, 0xfed00000}, {52, 0, 0xfed00000}, {51, 0, 0}, {0, 0, 0}, {56, 1, 0}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t whole[56] = {0}, *t = malloc(cases[i].bytes);

		put_gas(whole + 40, cases[i].space, 0xfed00000);
		memcpy(t, whole, cases[i].bytes);
		assert_int_equal(acpi_parse_hpet(t, cases[i].bytes), cases[i].expected);
		free(t);
	}
}

#define AML(text) text, sizeof(text) - 1

/* The AML after a DSDT's header. */
static const struct s5_case {
	const char *what, *aml;
	size_t bytes;
	bool found;
	uint8_t a, b;
} s5_cases[] = {
	{"bytes", AML("\x08_S5_\x12\x0a\4\x0a\5\x0a\7\0\0"), true, 5, 7},
	{"ops after a root prefix", AML("\x08\\_S5_\x12\6\4\0\1\0\0"), true, 0, 1},
	{"an op and a byte", AML("_S5_\x12\6\4\1\x0a\6\0\0"), true, 1, 6},
	{"a byte and an op, then the end", AML("_S5_\x12\7\4\x0a\3\0"), true, 3, 0},
	{"a PkgLength of two bytes", AML("_S5_\x12\x4a\0\4\x0a\5\x0a\7"), true, 5, 7},
	{"a PkgLength of three bytes", AML("_S5_\x12\x8a\0\0\2\x0a\5\0"), true, 5, 0},
	{"a PkgLength of four bytes", AML("_S5_\x12\xca\0\0\0\2\0\x0a\5"), true, 0, 5},
	{"a reference before the package", AML("_S5_\x70_S5_\x12\6\2\x0a\5\1"), true, 5, 1},
	{"a word constant first", AML("_S5_\x12\x0a\4\x0b\5\0\x0a\7\0"), false, 0, 0},
	{"a long constant second", AML("_S5_\x12\x0a\4\x0a\5\x0c\7\0\0\0"), false, 0, 0},
	{"no package", AML("_S5_\x11\x0a\4\x0a\5\x0a\7"), false, 0, 0},
	{"another state", AML("_S4_\x12\6\2\x0a\5\1"), false, 0, 0},
	{"cut in the second byte", AML("_S5_\x12\x0a\4\x0a\5\x0a"), false, 0, 0},
	{"cut before the second", AML("_S5_\x12\x0a\4\x0a\5"), false, 0, 0},
	{"cut in the first", AML("_S5_\x12\x0a\4\x0a"), false, 0, 0},
	{"cut in a PkgLength", AML("_S5_\x12\xca\0\0"), false, 0, 0},
	{"cut after the PkgLength", AML("_S5_\x12\6"), false, 0, 0},
	{"cut after the op", AML("_S5_\x12"), false, 0, 0},
	{"only the name", AML("_S5_"), false, 0, 0},
	{"part of the name", AML("_S5"), false, 0, 0},
};

static void s5(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(s5_cases); i++) {
		const struct s5_case *c = &s5_cases[i];
		uint8_t *t = calloc(1, 36 + c->bytes), a, b;

		memcpy(t + 36, c->aml, c->bytes);
		if (acpi_find_s5(t, 36 + c->bytes, &a, &b) != c->found)
			fail_msg("%s", c->what);
		if (c->found && (a != c->a || b != c->b))
			fail_msg("%s: %u and %u", c->what, a, b);
		free(t);
	}
	for (size_t bytes = 0; bytes <= 36; bytes++) {
		uint8_t *t = calloc(1, bytes), a, b;

		assert_false(acpi_find_s5(t, bytes, &a, &b));
		free(t);
	}
}

/* Random bytes, with MADT entries over them whose fields are mostly plausible, and perhaps an S5.
 */
static uint8_t *random_table(size_t bytes)
{
	static const uint8_t types[] = {0, 0, 0, 9, 9, 9, 1, 2, 4, 0x7f},
			     lengths[] = {8, 8, 8, 16, 16, 16, 12, 10, 6, 20};
	static const char package[] = "_S5_\x12\6\4\x0a\5";
	uint8_t *t = malloc(bytes);

	for (size_t i = 0; i < bytes; i++)
		t[i] = random64();
	for (size_t at = 44; at + 16 <= bytes && random64() % 64;) {
		size_t kind = random64() % sizeof(types);

		t[at] = types[kind];
		t[at + 1] = random64() % 40 ? lengths[kind] : random64() % 24;
		t[at + 3] = random64() % 8 ? random64() % 16 : 0xff;
		put32(t + at + 4, random64() % 8 ? random64() % 16 : 0xffffffff);
		put32(t + at + 8, random64() % 4);
		at += t[at + 1] > 1 ? t[at + 1] : 2;
	}
	if (bytes >= 80 && random64() % 2)
		memcpy(t + bytes - (sizeof(package) - 1) - random64() % 4, package,
		       sizeof(package) - 1);
	return t;
}

/* Where the next sound entry of a MADT stands; 0 at the end, with *malformed where it is unsound.
 */
static size_t sound_entry(const uint8_t *t, size_t at, size_t bytes, bool *malformed)
{
	if (at >= bytes)
		return 0;
	*malformed = at + 2 > bytes || t[at + 1] < 2 || at + t[at + 1] > bytes;
	return *malformed ? 0 : at;
}

static bool is_known(const uint32_t *ids, uint32_t n, uint32_t id)
{
	while (n--) {
		if (ids[n] == id)
			return true;
	}
	return false;
}

static void reference_madt(const uint8_t *t, size_t bytes, uint32_t *ids, struct acpi_madt *madt)
{
	size_t at = 44;

	memset(madt, 0, sizeof(*madt));
	while ((at = sound_entry(t, at, bytes, &madt->malformed))) {
		bool narrow = t[at] == 0 && t[at + 1] >= 8, wide = t[at] == 9 && t[at + 1] >= 16;
		uint32_t id = ~0u, flags = 0;

		if (narrow) {
			id = t[at + 3] == 0xff ? ~0u : t[at + 3];
			memcpy(&flags, t + at + 4, 4);
		} else if (wide) {
			memcpy(&id, t + at + 4, 4);
			memcpy(&flags, t + at + 8, 4);
		}
		at += t[at + 1];
		if (id == ~0u)
			continue;
		if (!(flags & 1))
			madt->disabled++;
		else if (is_known(ids, madt->nr_ids, id))
			madt->duplicates++;
		else
			ids[madt->nr_ids++] = id;
	}
}

static void hostile_tables(void **unused)
{
	static uint32_t expected_ids[1024];
	uint64_t named = 0;

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		size_t bytes = random64() % (i % 8 ? 400 : 60);
		uint8_t *t = random_table(bytes), a, b;
		uint32_t *ids = malloc(acpi_madt_capacity(bytes) * sizeof(*ids));
		struct acpi_madt madt, expected;
		struct acpi_fadt fadt;

		acpi_parse_madt(t, bytes, ids, &madt);
		reference_madt(t, bytes, expected_ids, &expected);
		assert_madt_equal(&madt, &expected);
		assert_memory_equal(ids, expected_ids, madt.nr_ids * sizeof(*ids));
		assert_true(madt.nr_ids <= acpi_madt_capacity(bytes));
		named += madt.nr_ids;
		acpi_parse_fadt(t, bytes, &fadt);
		acpi_parse_hpet(t, bytes);
		acpi_find_s5(t, bytes, &a, &b);
		free(ids);
		free(t);
	}
	/* Were the tables mostly nonsense, the comparison would show little. */
	assert_true(named > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(old_rsdp, teardown),
		cmocka_unit_test_teardown(xsdt_before_rsdt, teardown),
		cmocka_unit_test_teardown(no_xsdt_before_revision_2, teardown),
		cmocka_unit_test_teardown(damaged_xsdt, teardown),
		cmocka_unit_test_teardown(partial_root_entry, teardown),
		cmocka_unit_test_teardown(damaged_rsdp, teardown),
		cmocka_unit_test_teardown(damaged_table, teardown),
		cmocka_unit_test_teardown(largest_and_smallest_table, teardown),
		cmocka_unit_test_teardown(map_one_table, teardown),
		cmocka_unit_test(madt_entries),
		cmocka_unit_test(madt_odd_entries),
		cmocka_unit_test(madt_cut_short),
		cmocka_unit_test(madt_shorter_than_its_head),
		cmocka_unit_test(madt_full_of_cpus),
		cmocka_unit_test(fadt_of_any_length),
		cmocka_unit_test(fadt_fields),
		cmocka_unit_test(hpet),
		cmocka_unit_test(s5),
		cmocka_unit_test(hostile_tables),
	};

	return cmocka_run_group_tests_name("acpi", tests, NULL, NULL);
}
