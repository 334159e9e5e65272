/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/smbios.c on sound tables of both generations, damaged ones and random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/smbios.h"
#include "tests/host/checksum.h"
#include "tests/host/random.h"

#define ENTRY   0xf0000
#define TABLE   0x7f000000
#define TABLE_3 0x8877665544332211 /* out of a 2.x entry's reach */

/* The machine: one entry point and one table. Mappings are exact copies, which ASan watches. */
static struct {
	uint8_t entry[31];
	size_t entry_bytes;
	uint64_t table_phys;
	uint8_t table[2048];
	size_t table_bytes;
} machine;

static void *mappings[8];
static unsigned nr_mappings;

static const void *map(uint64_t phys, size_t bytes)
{
	const uint8_t *from = NULL;

	if (phys == ENTRY && bytes <= machine.entry_bytes)
		from = machine.entry;
	else if (phys == machine.table_phys && bytes <= machine.table_bytes)
		from = machine.table;
	if (!from)
		return NULL;
	assert_true(nr_mappings < sizeof(mappings) / sizeof(mappings[0]));
	mappings[nr_mappings] = malloc(bytes);
	memcpy(mappings[nr_mappings], from, bytes);
	return mappings[nr_mappings++];
}

static int setup(void **unused)
{
	(void)unused;
	memset(&machine, 0, sizeof(machine));
	return 0;
}

static void make_entry_2(uint16_t table_bytes)
{
	uint8_t *e = machine.entry;
	uint32_t phys = TABLE;

	machine.entry_bytes = 31;
	machine.table_phys = TABLE;
	memcpy(e, "_SM_", 4);
	e[5] = 31;
	e[6] = 2;
	e[7] = 8;
	memcpy(e + 16, "_DMI_", 5);
	memcpy(e + 22, &table_bytes, 2);
	memcpy(e + 24, &phys, 4);
	fix_checksum(e + 16, 15, 5);
	fix_checksum(e, 31, 4);
}

static void make_entry_3(uint32_t table_bytes)
{
	uint8_t *e = machine.entry;

	machine.entry_bytes = 24;
	machine.table_phys = TABLE_3;
	memcpy(e, "_SM3_", 5);
	e[6] = 24;
	e[7] = 3;
	e[10] = 1;
	memcpy(e + 12, &table_bytes, 4);
	memcpy(e + 16, &machine.table_phys, 8);
	fix_checksum(e, 24, 5);
}

/* Appends bytes to the table. */
static void add(const void *bytes, size_t n)
{
	memcpy(machine.table + machine.table_bytes, bytes, n);
	machine.table_bytes += n;
}

/* A formatted part whose bytes 4 and 5 are the numbers of the strings that are of interest. */
static void add_head(uint8_t type, uint8_t length, uint8_t first, uint8_t second)
{
	const uint8_t head[27] = {type, length, 0x34, 0x12, first, second};

	add(head, length);
}

/* Strings with a terminator between two; sizeof counts those of the last one and of the set. */
#define ADD_STRINGS(text) add(text "\0", sizeof(text "\0"))

static void add_end(void)
{
	add("\x7f\4\0\0\0\0", 6);
}

static struct smbios read_machine(void)
{
	struct smbios out;

	memset(&out, 0xa5, sizeof(out));
	smbios_read(ENTRY, map, &out);
	while (nr_mappings)
		free(mappings[--nr_mappings]);
	return out;
}

static void assert_names(const char *vendor, const char *product, const char *bios)
{
	struct smbios out = read_machine();

	assert_string_equal(out.vendor, vendor);
	assert_string_equal(out.product, product);
	assert_string_equal(out.bios, bios);
}

static void make_table(void)
{
	add_head(0, 24, 1, 2);
	ADD_STRINGS("Bios Inc.\0v1.2\0007/7/2007");
	add_head(221, 7, 1, 1);
	ADD_STRINGS("");
	add_head(1, 27, 1, 2);
	ADD_STRINGS("Maker\0Machine 9");
	add_end();
}

static void sound_tables(void **unused)
{
	(void)unused;
	make_table();
	make_entry_2(machine.table_bytes);
	assert_names("Maker", "Machine 9", "Bios Inc. v1.2");
	make_entry_3(machine.table_bytes);
	assert_names("Maker", "Machine 9", "Bios Inc. v1.2");
}

static void nothing_after_the_end(void **unused)
{
	(void)unused;
	add_end();
	make_table();
	make_entry_3(machine.table_bytes);
	assert_names("", "", "");
}

static void no_end_structure(void **unused)
{
	(void)unused;
	add_head(1, 27, 1, 2);
	ADD_STRINGS("Maker\0Machine");
	make_entry_3(machine.table_bytes);
	assert_names("Maker", "Machine", "");
}

static void no_entry(void **unused)
{
	struct smbios out, empty;

	(void)unused;
	memset(&out, 0xa5, sizeof(out));
	memset(&empty, 0, sizeof(empty));
	smbios_read(0, map, &out);
	assert_memory_equal(&out, &empty, sizeof(out));
	assert_names("", "", "");
}

static void damaged_entry_2(void **unused)
{
	(void)unused;
	make_table();
	for (size_t i = 16; i < 31; i++) {
		make_entry_2(machine.table_bytes);
		machine.entry[i]++;
		assert_names("", "", "");
	}
	make_entry_2(machine.table_bytes);
	machine.entry[1] = '_';
	assert_names("", "", "");
	make_entry_2(machine.table_bytes);
	machine.entry_bytes = 30;
	assert_names("", "", "");
	make_entry_2(0);
	assert_names("", "", "");
	make_entry_2(machine.table_bytes + 1);
	assert_names("", "", "");
}

static void damaged_entry_3(void **unused)
{
	(void)unused;
	make_table();
	for (size_t i = 0; i < 24; i++) {
		make_entry_3(machine.table_bytes);
		machine.entry[i]++;
		assert_names("", "", "");
	}
	make_entry_3(machine.table_bytes);
	machine.entry_bytes = 23;
	assert_names("", "", "");
	make_entry_3(0);
	assert_names("", "", "");
	make_entry_3(0xffffffff);
	assert_names("", "", "");
}

/* A type 1 structure of `length` bytes with `strings` after it, each terminated. */
static void make_system(uint8_t length, uint8_t vendor, uint8_t product, const char *strings,
			size_t n)
{
	setup(NULL);
	add_head(1, length, vendor, product);
	add(strings, n);
	make_entry_3(machine.table_bytes);
}

#define SYSTEM(length, vendor, product, strings) \
	make_system(length, vendor, product, strings, sizeof(strings) - 1)

static void string_numbers(void **unused)
{
	(void)unused;
	SYSTEM(27, 2, 1, "one\0two\0\0");
	assert_names("two", "one", "");
	SYSTEM(27, 0, 2, "one\0two\0\0");
	assert_names("", "two", "");
	SYSTEM(27, 3, 255, "one\0two\0\0");
	assert_names("", "", "");
	SYSTEM(27, 1, 2, "\0\0");
	assert_names("", "", "");
	/* A formatted part that ends before the second number, then before both. */
	SYSTEM(5, 1, 0, "one\0two\0\0");
	assert_names("one", "", "");
	SYSTEM(4, 0, 0, "one\0two\0\0");
	assert_names("", "", "");
}

static void strings_cut_by_the_end(void **unused)
{
	struct smbios out;

	(void)unused;
	SYSTEM(27, 1, 2, "one\0two\0");
	assert_names("one", "two", "");
	SYSTEM(27, 1, 2, "one\0");
	assert_names("one", "", "");
	SYSTEM(27, 1, 2, "\0");
	assert_names("", "", "");
	SYSTEM(27, 1, 2, "");
	assert_names("", "", "");
	/* Not even the string ends: whether its last byte counts is open. */
	SYSTEM(27, 1, 2, "one\0twofold");
	out = read_machine();
	assert_string_equal(out.vendor, "one");
	assert_memory_equal(out.product, "twofol", 6);
}

static void formatted_part_over_the_end(void **unused)
{
	(void)unused;
	make_system(27, 1, 2, "a\0b\0", 5);
	machine.table[1] = 27 + 6;
	assert_names("", "", "");
	machine.table[1] = 3;
	assert_names("", "", "");
	machine.table[1] = 0;
	assert_names("", "", "");
}

static void trailing_blanks(void **unused)
{
	(void)unused;
	SYSTEM(27, 1, 2, "  Maker  \0   \0\0");
	assert_names("  Maker", "", "");
}

static void unprintable(void **unused)
{
	(void)unused;
	SYSTEM(27, 1, 2, "a\x01\x1f\x7f\x80\xffz\0\x1b[2J\n\0\0");
	assert_names("a?????z", "?[2J?", "");
}

static void bios_of_one_name(void **unused)
{
	(void)unused;
	add_head(0, 24, 1, 0);
	ADD_STRINGS("Vendor");
	make_entry_3(machine.table_bytes);
	assert_names("", "", "Vendor");
	machine.table[4] = 0;
	machine.table[5] = 1;
	assert_names("", "", "Vendor");
	machine.table[5] = 0;
	assert_names("", "", "");
}

static void long_strings(void **unused)
{
	char text[202], cut[SMBIOS_TEXT_MAX];
	struct smbios out;

	(void)unused;
	memset(text, 'x', sizeof(text));
	text[100] = text[200] = text[201] = 0;
	memset(cut, 'x', sizeof(cut));
	cut[SMBIOS_TEXT_MAX - 1] = 0;
	for (uint8_t type = 0; type <= 1; type++) {
		add_head(type, 24, 1, 2);
		add(text, 200);
		add("\0", 2);
	}
	make_entry_3(machine.table_bytes);
	out = read_machine();
	assert_string_equal(out.vendor, cut);
	assert_string_equal(out.product, cut);
	assert_string_equal(out.bios, cut);
	make_system(24, 1, 2, text + 100 - (SMBIOS_TEXT_MAX - 1), SMBIOS_TEXT_MAX + 101);
	assert_string_equal(read_machine().vendor, cut);
}

static void assert_text(const char text[SMBIOS_TEXT_MAX])
{
	size_t n = strnlen(text, SMBIOS_TEXT_MAX);

	assert_true(n < SMBIOS_TEXT_MAX);
	for (size_t i = 0; i < n; i++)
		assert_in_range((unsigned char)text[i], ' ', '~');
}

/* Mostly structures of the two types, their strings of few letters and many terminators. */
static void make_random_table(size_t bytes)
{
	static const uint8_t common[] = "\0\1\2ab \xff";

	machine.table_bytes = bytes;
	for (size_t i = 0; i < bytes; i++)
		machine.table[i] = random64() % 3 ? common[random64() % 7] : random64();
	for (size_t at = 0; at + 6 <= bytes && random64() % 16; at += 6 + random64() % 20) {
		machine.table[at] = random64() % 4 ? random64() % 2 : random64() % 128;
		machine.table[at + 1] = random64() % 8 ? 4 + random64() % 4 : random64();
		machine.table[at + 4] = random64() % 4;
		machine.table[at + 5] = random64() % 4;
	}
}

static void hostile_tables(void **unused)
{
	unsigned named = 0;

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		struct smbios out;

		setup(NULL);
		make_random_table(1 + random64() % 200);
		if (i % 2)
			make_entry_2(machine.table_bytes);
		else
			make_entry_3(machine.table_bytes);
		out = read_machine();
		assert_text(out.vendor);
		assert_text(out.product);
		assert_text(out.bios);
		named += *out.vendor || *out.product || *out.bios;
	}
	/* Were the tables mostly nonsense, this would show little. */
	assert_true(named > 5000);
}

static void hostile_entries(void **unused)
{
	(void)unused;
	make_table();
	for (int i = 0; i < 20000; i++) {
		if (i % 2)
			make_entry_2(machine.table_bytes);
		else
			make_entry_3(machine.table_bytes);
		machine.entry[random64() % machine.entry_bytes] = random64();
		machine.entry[random64() % machine.entry_bytes] = random64();
		if (i % 2)
			fix_checksum(machine.entry + 16, 15, 5);
		else
			fix_checksum(machine.entry, 24, 5);
		machine.entry_bytes -= random64() % 8 ? 0 : random64() % machine.entry_bytes;
		read_machine();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sound_tables, setup),
		cmocka_unit_test_setup(nothing_after_the_end, setup),
		cmocka_unit_test_setup(no_end_structure, setup),
		cmocka_unit_test_setup(no_entry, setup),
		cmocka_unit_test_setup(damaged_entry_2, setup),
		cmocka_unit_test_setup(damaged_entry_3, setup),
		cmocka_unit_test_setup(string_numbers, setup),
		cmocka_unit_test_setup(strings_cut_by_the_end, setup),
		cmocka_unit_test_setup(formatted_part_over_the_end, setup),
		cmocka_unit_test_setup(trailing_blanks, setup),
		cmocka_unit_test_setup(unprintable, setup),
		cmocka_unit_test_setup(bios_of_one_name, setup),
		cmocka_unit_test_setup(long_strings, setup),
		cmocka_unit_test_setup(hostile_tables, setup),
		cmocka_unit_test_setup(hostile_entries, setup),
	};

	return cmocka_run_group_tests_name("smbios", tests, NULL, NULL);
}
