/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/cmdline.c: what each option takes, what it refuses and how it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/cmdline.h"
#include "mm/flush_policy.h"
#include "mm/flush_request.h"
#include "mm/global_asid.h"

#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define MAX_COMPLAINTS 64

static struct options o;
static char complaints[MAX_COMPLAINTS][256];
static unsigned nr_complaints;

static void collect(const char *message)
{
	assert_true(nr_complaints < MAX_COMPLAINTS);
	assert_true(strlen(message) < sizeof(complaints[0]));
	strcpy(complaints[nr_complaints++], message);
}

/* The line is a heap copy of exactly its size, so that ASan sees a read past its end. */
static char *parse_bytes(const char *line, size_t n)
{
	char *copy = malloc(n);

	memcpy(copy, line, n);
	nr_complaints = 0;
	memset(&o, 0xa5, sizeof(o));
	cmdline_parse((struct slice){copy, n}, &o, collect);
	return copy;
}

static void parse(const char *line)
{
	free(parse_bytes(line, strlen(line)));
}

struct member {
	size_t offset, bytes;
};

#define MEMBER(name)                                           \
	{                                                      \
		offsetof(struct options, name), sizeof(o.name) \
	}

static uint64_t value_of(struct member m)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)&o + m.offset, m.bytes);
	return value;
}

static const struct {
	struct member member;
	uint64_t value;
} default_values[] = {
	{MEMBER(suite), SUITE_QUICK},
	{MEMBER(cpus), 0},
	{MEMBER(budget), 0},
	{MEMBER(samples), 0},
	{MEMBER(seed), 0},
	{MEMBER(noinvpcid), 0},
	{MEMBER(nopcid), 0},
	{MEMBER(nopge), 0},
	{MEMBER(noinvlpgb), 0},
	{MEMBER(nox2apic), 0},
	{MEMBER(policy), POLICY_COUNT},
	{MEMBER(invlpgb), INVLPGB_CPU},
	{MEMBER(gasid_cpus), GLOBAL_ASID_CPUS},
	{MEMBER(gasid_sample), GLOBAL_ASID_SAMPLE},
	{MEMBER(gasids), GLOBAL_ASIDS_MAX},
	{MEMBER(pti), 0},
	{MEMBER(ceiling), FLUSH_CEILING},
	{MEMBER(inject), INJECT_NONE},
	{MEMBER(others), OTHERS_HLT},
	{MEMBER(console_serial), 1},
	{MEMBER(console_fb), 1},
	{MEMBER(uart_port), 0},
	{MEMBER(uart_baud), 115200},
	{MEMBER(format_text), 1},
	{MEMBER(format_records), 1},
	{MEMBER(exit), EXIT_AUTO},
};

/* Every option but the one at `except` has its default. */
static void assert_defaults(size_t except)
{
	assert_int_equal(o.run.length, 0);
	for (size_t i = 0; i < ARRAY_SIZE(default_values); i++) {
		if (default_values[i].member.offset != except)
			assert_int_equal(value_of(default_values[i].member),
					 default_values[i].value);
	}
}

static void defaults(void **unused)
{
	static const char *const lines[] = {
		"", " ", "\t\r\n ", "freq=leave", "console=serial,fb", "console=fb,serial"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		parse(lines[i]);
		assert_int_equal(nr_complaints, 0);
		assert_defaults(SIZE_MAX);
	}
	cmdline_parse((struct slice){NULL, 0}, &o, collect);
	assert_defaults(SIZE_MAX);
}

static void good_values(void **unused)
{
	static const struct {
		const char *line;
		struct member member;
		uint64_t value;
	} cases[] = {
		{"suite=quick", MEMBER(suite), SUITE_QUICK},
		{"suite=full", MEMBER(suite), SUITE_FULL},
		{"cpus=1", MEMBER(cpus), 1},
		{"cpus=4294967295", MEMBER(cpus), 4294967295},
		{"cpus=0xFFffFFff", MEMBER(cpus), 4294967295},
		{"cpus=0X10", MEMBER(cpus), 16},
		{"cpus=007", MEMBER(cpus), 7},
		{"budget=1", MEMBER(budget), 1},
		{"budget=600000", MEMBER(budget), 600000},
		{"samples=16", MEMBER(samples), 16},
		{"policy=ipi", MEMBER(policy), POLICY_IPI},
		{"policy=private", MEMBER(policy), POLICY_PRIVATE},
		{"policy=broadcast", MEMBER(policy), POLICY_BROADCAST},
		{"policy=broadcast-always", MEMBER(policy), POLICY_BROADCAST_ALWAYS},
		{"invlpgb=cpu", MEMBER(invlpgb), INVLPGB_CPU},
		{"invlpgb=model", MEMBER(invlpgb), INVLPGB_MODEL},
		{"gasid_cpus=0", MEMBER(gasid_cpus), 0},
		{"gasid_cpus=100000", MEMBER(gasid_cpus), 100000},
		{"gasid_sample=1", MEMBER(gasid_sample), 1},
		{"gasid_sample=1000000", MEMBER(gasid_sample), 1000000},
		{"gasids=1", MEMBER(gasids), 1},
		{"gasids=2041", MEMBER(gasids), GLOBAL_ASIDS_MAX},
		{"inject=stale-rollover", MEMBER(inject), INJECT_STALE_ROLLOVER},
		{"pti", MEMBER(pti), 1},
		{"ceiling=1", MEMBER(ceiling), 1},
		{"ceiling=1000000", MEMBER(ceiling), 1000000},
		{"samples=1000000", MEMBER(samples), 1000000},
		{"seed=0", MEMBER(seed), 0},
		{"seed=18446744073709551615", MEMBER(seed), UINT64_MAX},
		{"seed=0xffffffffffffffff", MEMBER(seed), UINT64_MAX},
		{"noinvpcid", MEMBER(noinvpcid), 1},
		{"nopcid", MEMBER(nopcid), 1},
		{"nopge", MEMBER(nopge), 1},
		{"noinvlpgb", MEMBER(noinvlpgb), 1},
		{"nox2apic", MEMBER(nox2apic), 1},
		{"inject=none", MEMBER(inject), INJECT_NONE},
		{"inject=panic", MEMBER(inject), INJECT_PANIC},
		{"inject=fault", MEMBER(inject), INJECT_FAULT},
		{"inject=fail", MEMBER(inject), INJECT_FAIL},
		{"inject=skip-local", MEMBER(inject), INJECT_SKIP_LOCAL},
		{"inject=no-fault", MEMBER(inject), INJECT_NO_FAULT},
		{"others=hlt", MEMBER(others), OTHERS_HLT},
		{"others=poll", MEMBER(others), OTHERS_POLL},
		{"others=busy", MEMBER(others), OTHERS_BUSY},
		{"uart=0x2f8", MEMBER(uart_port), 0x2f8},
		{"uart=760", MEMBER(uart_port), 0x2f8},
		{"uart=1", MEMBER(uart_port), 1},
		{"uart=0xfff8", MEMBER(uart_port), 0xfff8},
		{"console=serial", MEMBER(console_fb), 0},
		{"console=fb", MEMBER(console_serial), 0},
		{"format=text", MEMBER(format_records), 0},
		{"format=records", MEMBER(format_text), 0},
		{"format=text,records", MEMBER(format_text), 1},
		{"format=records,text,text", MEMBER(format_text), 1},
		{"exit=auto", MEMBER(exit), EXIT_AUTO},
		{"exit=poweroff", MEMBER(exit), EXIT_POWEROFF},
		{"exit=reboot", MEMBER(exit), EXIT_REBOOT},
		{"exit=halt", MEMBER(exit), EXIT_HALT},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].line);
		assert_int_equal(nr_complaints, 0);
		assert_int_equal(value_of(cases[i].member), cases[i].value);
		assert_defaults(cases[i].member.offset);
	}
}

static void uart_port_and_baud(void **unused)
{
	static const struct {
		const char *line;
		uint64_t port, baud;
	} cases[] = {
		{"uart=0x2f8,9600", 0x2f8, 9600},
		{"uart=0x3f8,1", 0x3f8, 1},
		{"uart=0x3f8,115200", 0x3f8, 115200},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].line);
		assert_int_equal(nr_complaints, 0);
		assert_int_equal(o.uart_port, cases[i].port);
		assert_int_equal(o.uart_baud, cases[i].baud);
	}
}

/* Each line leaves every default as it is and draws just this complaint. */
static void refused(void **unused)
{
#define CPUS    "'; valid: 1 to 4294967295"
#define BUDGET  "'; valid: 1 to 600000"
#define SAMPLES "'; valid: 16 to 1000000"
#define SEED    "'; valid: 0 to 18446744073709551615"
#define UART    "'; valid: PORT,BAUD as 0x3f8,115200"
#define BAD     "ignored: bad value in '"
	static const struct {
		const char *line, *complaint;
	} cases[] = {
		{"cpus=0", BAD "cpus=0" CPUS},
		{"cpus=4294967296", BAD "cpus=4294967296" CPUS},
		{"cpus=-1", BAD "cpus=-1" CPUS},
		{"cpus=+1", BAD "cpus=+1" CPUS},
		{"cpus=0x", BAD "cpus=0x" CPUS},
		{"cpus=x", BAD "cpus=x" CPUS},
		{"cpus=1f", BAD "cpus=1f" CPUS},
		{"cpus=0xg", BAD "cpus=0xg" CPUS},
		{"cpus=1=2", BAD "cpus=1=2" CPUS},
		{"budget=0", BAD "budget=0" BUDGET},
		{"budget=600001", BAD "budget=600001" BUDGET},
		{"samples=15", BAD "samples=15" SAMPLES},
		{"samples=1000001", BAD "samples=1000001" SAMPLES},
		{"seed=18446744073709551616", BAD "seed=18446744073709551616" SEED},
		{"seed=0x10000000000000000", BAD "seed=0x10000000000000000" SEED},
		{"seed=99999999999999999999", BAD "seed=99999999999999999999" SEED},
		{"suite=ful", BAD "suite=ful'; nearest: full"},
		{"suite=FULL", BAD "suite=FULL'; nearest: full"},
		{"inject=skiplocal", BAD "inject=skiplocal'; nearest: skip-local"},
		{"others=halt", BAD "others=halt'; nearest: hlt"},
		{"exit=power-off", BAD "exit=power-off'; nearest: poweroff"},
		{"freq=fixed", BAD "freq=fixed'; nearest: leave"},
		{"console=serail", BAD "console=serail'; nearest: serial"},
		{"console=usb", BAD "console=usb'; nearest: fb"},
		{"console=serial,", BAD "console=serial,'; nearest: fb"},
		{"format=test", BAD "format=test'; nearest: text"},
		{"format=text,record", BAD "format=text,record'; nearest: records"},
		{"format=,text", BAD "format=,text'; nearest: text"},
		{"uart=0", BAD "uart=0" UART},
		{"uart=0xfff9", BAD "uart=0xfff9" UART},
		{"uart=com1", BAD "uart=com1" UART},
		{"uart=,9600", BAD "uart=,9600" UART},
		{"uart=0x2f8,", BAD "uart=0x2f8," UART},
		{"uart=0x2f8,0", BAD "uart=0x2f8,0" UART},
		{"uart=0x2f8,115201", BAD "uart=0x2f8,115201" UART},
		{"uart=0x2f8,9600,", BAD "uart=0x2f8,9600," UART},
		{"uart=0x2f8,9600,8n1", BAD "uart=0x2f8,9600,8n1" UART},
		{"nopcid=1", "ignored: 'nopcid=1' takes no value; valid: nopcid"},
		{"nopge=", "ignored: 'nopge=' takes no value; valid: nopge"},
		{"cpu=2", "ignored: unknown word 'cpu=2'; nearest: cpus"},
		{"nopcd", "ignored: unknown word 'nopcd'; nearest: nopcid"},
		{"Cpus=2", "ignored: unknown word 'Cpus=2'; nearest: cpus"},
		{"nox2api", "ignored: unknown word 'nox2api'; nearest: nox2apic"},
		{"sample=16", "ignored: unknown word 'sample=16'; nearest: samples"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].line);
		assert_int_equal(nr_complaints, 1);
		assert_string_equal(complaints[0], cases[i].complaint);
		assert_defaults(SIZE_MAX);
	}
}

static void missing_values(void **unused)
{
	static const char *const names[] = {"run",  "suite",  "cpus",   "budget", "samples",
					    "seed", "inject", "others", "freq",   "console",
					    "uart", "format", "exit"};
	char line[32], expected[64];

	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		snprintf(line, sizeof(line), "%s%s", names[i / 2], i % 2 ? "=" : "");
		snprintf(expected, sizeof(expected), "ignored: '%s' needs a value", line);
		parse(line);
		assert_int_equal(nr_complaints, 1);
		assert_string_equal(complaints[0], expected);
		assert_defaults(SIZE_MAX);
	}
}

static void run_is_a_slice_of_the_line(void **unused)
{
	static const char line[] = "nopge run=cr3/*,a=b cpus=2";
	char *copy = parse_bytes(line, sizeof(line) - 1);

	(void)unused;
	assert_int_equal(nr_complaints, 0);
	assert_ptr_equal(o.run.at, copy + strlen("nopge run="));
	assert_int_equal(o.run.length, strlen("cr3/*,a=b"));
	assert_true(o.nopge);
	assert_int_equal(o.cpus, 2);
	free(copy);
}

static void last_one_wins(void **unused)
{
	static const char run[] = "run=a run=b";
	char *copy;

	(void)unused;
	parse("cpus=2 suite=full cpus=3 format=text suite=quick format=records nopge nopge cpus=bad "
	      "uart=0x2f8,9600 uart=0x3e8");
	assert_int_equal(nr_complaints, 1);
	assert_int_equal(o.cpus, 3);
	assert_int_equal(o.suite, SUITE_QUICK);
	assert_true(o.nopge);
	assert_false(o.format_text);
	assert_true(o.format_records);
	assert_int_equal(o.uart_port, 0x3e8);
	assert_int_equal(o.uart_baud, 9600);
	copy = parse_bytes(run, sizeof(run) - 1);
	assert_ptr_equal(o.run.at, copy + strlen("run=a run="));
	assert_int_equal(o.run.length, 1);
	free(copy);
}

static void blanks(void **unused)
{
	static const char line[] = "\0\t cpus=2\tnopge\r\nsuite=full\0budget=5 \n\0";

	(void)unused;
	free(parse_bytes(line, sizeof(line) - 1));
	assert_int_equal(nr_complaints, 0);
	assert_int_equal(o.cpus, 2);
	assert_true(o.nopge);
	assert_int_equal(o.suite, SUITE_FULL);
	assert_int_equal(o.budget, 5);
}

static void complaints_are_printable(void **unused)
{
	(void)unused;
	parse("cpus\x01\x7f\x80\xff\x1b[2J");
	assert_int_equal(nr_complaints, 1);
	assert_string_equal(complaints[0], "ignored: unknown word 'cpus?????[2J'; nearest: cpus");
	parse("=");
	assert_int_equal(nr_complaints, 1);
	assert_string_equal(complaints[0], "ignored: unknown word '='; nearest: run");
}

static void long_words_are_cut(void **unused)
{
	static const char forty[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	char line[64];

	(void)unused;
	for (int extra = 0; extra < 3; extra++) {
		char expected[160];

		snprintf(line, sizeof(line), "%s%.*s", forty, extra, "bb");
		snprintf(expected, sizeof(expected),
			 "ignored: unknown word '%s%s'; nearest: ", forty, extra ? "..." : "");
		parse(line);
		assert_int_equal(nr_complaints, 1);
		assert_memory_equal(complaints[0], expected, strlen(expected));
	}
}

/* Words of 4 random bytes, none of them a blank, and "cpus=7" at the very end. */
static char *garbage_line(size_t bytes, unsigned *words)
{
	static const char last[] = " cpus=7";
	char *line = malloc(bytes);
	uint32_t state = 12345;

	*words = 0;
	for (size_t i = 0; i < bytes; i++) {
		state = state * 1664525 + 1013904223;
		line[i] = i % 5 == 4 ? ' ' : (char)(0x21 + (state >> 24) % 0xdf);
		*words += i % 5 == 0 && i < bytes - strlen(last);
	}
	memcpy(line + bytes - strlen(last), last, strlen(last));
	return line;
}

static void ten_kilobytes_of_garbage(void **unused)
{
	unsigned words;
	char *line = garbage_line(10240, &words), expected[64];

	(void)unused;
	free(parse_bytes(line, 10240));
	assert_int_equal(o.cpus, 7);
	assert_defaults(offsetof(struct options, cpus));
	assert_int_equal(nr_complaints, 33);
	snprintf(expected, sizeof(expected), "ignored: %u more words that are not understood",
		 words - 32);
	assert_string_equal(complaints[32], expected);
	for (unsigned i = 0; i < nr_complaints; i++) {
		for (const char *c = complaints[i]; *c; c++)
			assert_in_range(*c, ' ', '~');
	}
	cmdline_parse((struct slice){line, 10240}, &o, NULL);
	assert_int_equal(o.cpus, 7);
	free(line);
}

static void just_at_the_limit(void **unused)
{
	char line[64 * 2 + 1] = "";

	(void)unused;
	for (unsigned words = 1; words <= 40; words++) {
		strcat(line, "x ");
		parse(line);
		assert_int_equal(nr_complaints, words > 32 ? 33 : words);
	}
}

static void one_long_garbage_word(void **unused)
{
	char *line = malloc(10000);

	(void)unused;
	memset(line, 'z', 10000);
	free(parse_bytes(line, 10000));
	assert_int_equal(nr_complaints, 1);
	memcpy(line, "inject=", 7);
	free(parse_bytes(line, 10000));
	assert_int_equal(nr_complaints, 1);
	assert_defaults(SIZE_MAX);
	free(line);
}

static void no_error_callback(void **unused)
{
	static const char line[] = "bogus cpus=0 nopge=1 run budget=9";

	(void)unused;
	cmdline_parse((struct slice){line, sizeof(line) - 1}, &o, NULL);
	assert_int_equal(o.budget, 9);
	assert_defaults(offsetof(struct options, budget));
}

static void trim(void **unused)
{
	static const struct {
		const char *at;
		size_t length, from, kept;
	} cases[] = {
		{"", 0, 0, 0},     {"a", 1, 0, 1},   {" \t\r\n\0a b\0\n ", 11, 5, 3},
		{"\0\0", 2, 0, 0}, {"   ", 3, 0, 0}, {"a  ", 3, 0, 1},
		{"  a", 3, 2, 1},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice out = slice_trim((struct slice){cases[i].at, cases[i].length});

		assert_int_equal(out.length, cases[i].kept);
		if (out.length)
			assert_ptr_equal(out.at, cases[i].at + cases[i].from);
	}
	assert_int_equal(slice_trim((struct slice){NULL, 0}).length, 0);
}

static void split(void **unused)
{
	static const struct {
		const char *whole;
		const char *pieces[5];
	} cases[] = {
		{"", {""}},
		{"a", {"a"}},
		{"a,b", {"a", "b"}},
		{",", {"", ""}},
		{"a,,b,", {"a", "", "b", ""}},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice rest = {cases[i].whole, strlen(cases[i].whole)}, piece;

		for (const char *const *p = cases[i].pieces; *p; p++) {
			assert_true(slice_split(&rest, ',', &piece));
			assert_true(slice_equals(piece, *p));
		}
		assert_false(slice_split(&rest, ',', &piece));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(good_values),
		cmocka_unit_test(uart_port_and_baud),
		cmocka_unit_test(refused),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(run_is_a_slice_of_the_line),
		cmocka_unit_test(last_one_wins),
		cmocka_unit_test(blanks),
		cmocka_unit_test(complaints_are_printable),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(ten_kilobytes_of_garbage),
		cmocka_unit_test(just_at_the_limit),
		cmocka_unit_test(one_long_garbage_word),
		cmocka_unit_test(no_error_callback),
		cmocka_unit_test(trim),
		cmocka_unit_test(split),
	};

	return cmocka_run_group_tests_name("cmdline", tests, NULL, NULL);
}
