/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the readers of SPCR and DBG2 on sound tables, on damaged ones and on thousands of random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/acpi.h"
#include "tests/host/random.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SPCR_BYTES    88
#define MEMORY        0xfe034000

struct gas {
	uint8_t space, width, access;
	uint64_t address;
};

static void put_gas(uint8_t *p, struct gas gas)
{
	p[0] = gas.space;
	p[1] = gas.width;
	p[2] = 0;
	p[3] = gas.access;
	memcpy(p + 4, &gas.address, 8);
}

static void put16(uint8_t *p, uint16_t value)
{
	memcpy(p, &value, sizeof(value));
}

static void put32(uint8_t *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
}

static void fill_spcr(uint8_t *t, uint8_t revision, uint8_t type, struct gas gas, uint8_t baud)
{
	memset(t, 0, SPCR_BYTES);
	t[8] = revision;
	t[36] = type;
	put_gas(t + 40, gas);
	t[58] = baud;
}

static bool parse_spcr(const uint8_t *whole, size_t bytes, struct uart *u)
{
	uint8_t *t = malloc(bytes); /* of its exact size, which ASan watches */
	bool found;

	memcpy(t, whole, bytes);
	memset(u, 0xa5, sizeof(*u));
	found = acpi_parse_spcr(t, bytes, u);
	free(t);
	return found;
}

static void assert_uart(const struct uart *a, const struct uart *b)
{
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->clock_hz, b->clock_hz);
	assert_int_equal(a->baud, b->baud);
	assert_int_equal(a->space, b->space);
	assert_int_equal(a->stride_bytes, b->stride_bytes);
	assert_int_equal(a->access_bits, b->access_bits);
}

static void spcr_places(void **unused)
{
	static const struct {
		uint8_t type;
		struct gas gas;
		struct uart expected;
	} cases[] = {
		{0, {1, 8, 1, 0x3f8}, {0x3f8, UART_LEGACY_HZ, 115200, UART_PORTS, 1, 8}},
		{1, {1, 8, 0, 0x2f8}, {0x2f8, UART_LEGACY_HZ, 115200, UART_PORTS, 1, 8}},
		/* The type says a PC's port, whatever the rest does. */
		{0, {1, 32, 3, 0x3f8}, {0x3f8, UART_LEGACY_HZ, 115200, UART_PORTS, 1, 8}},
		{0x12, {1, 32, 1, 0x3f8}, {0x3f8, UART_LEGACY_HZ, 115200, UART_PORTS, 4, 8}},
		{0, {1, 8, 1, 0xfff8}, {0xfff8, UART_LEGACY_HZ, 115200, UART_PORTS, 1, 8}},
		{0, {0, 8, 1, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 1, 8}},
		{0x12, {0, 8, 0, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 1, 8}},
		{0x12, {0, 32, 3, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 4, 32}},
		{0x12, {0, 32, 1, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 4, 8}},
		{0x12, {0, 16, 2, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 2, 16}},
		/* Access wider than the distance: the distance grows. */
		{0x12, {0, 8, 3, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 4, 32}},
		{0x12, {0, 8, 2, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 2, 16}},
		/* Sizes that no 16550 has. */
		{0x12, {0, 0, 4, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 1, 8}},
		{0x12, {0, 64, 255, MEMORY}, {MEMORY, 0, 115200, UART_MEMORY, 1, 8}},
		{0, {0, 32, 3, 0x38000000000}, {0x38000000000, 0, 115200, UART_MEMORY, 4, 32}},
	};
	uint8_t t[SPCR_BYTES];
	struct uart u;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fill_spcr(t, 2, cases[i].type, cases[i].gas, 7);
		assert_true(parse_spcr(t, sizeof(t), &u));
		assert_uart(&u, &cases[i].expected);
	}
}

static void spcr_refused(void **unused)
{
	static const struct {
		uint8_t type;
		struct gas gas;
	} cases[] = {
		{2, {1, 8, 1, 0x3f8}},                                /* another kind of port */
		{3, {0, 32, 3, MEMORY}},                              /* a PL011 */
		{0, {1, 8, 1, 0}},                                    /* redirection is off */
		{0, {0, 8, 1, 0}},           {0, {2, 8, 1, 0x3f8}},   /* PCI configuration space */
		{0, {127, 8, 1, 0x3f8}},     {0, {1, 8, 1, 0x10000}}, /* no port */
		{0, {1, 8, 1, 0x1000003f8}}, {0, {1, 8, 1, 0xfff9}},  /* over the end */
		{0x12, {1, 32, 1, 0xfff0}},  {0, {0, 8, 1, UINT64_MAX - 3}},
	};
	uint8_t t[SPCR_BYTES];
	struct uart u;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fill_spcr(t, 2, cases[i].type, cases[i].gas, 7);
		assert_false(parse_spcr(t, sizeof(t), &u));
	}
}

/* The rate by its code, the clock from revision 3 on, the rate in full from revision 4 on. */
static void spcr_rates(void **unused)
{
	static const struct {
		uint8_t revision, space, baud;
		uint32_t clock, precise;
		size_t bytes;
		uint32_t expected_clock, expected_baud;
	} cases[] = {
		{2, 1, 0, 0, 0, 80, UART_LEGACY_HZ, 0},
		{2, 1, 3, 0, 0, 80, UART_LEGACY_HZ, 9600},
		{2, 1, 4, 0, 0, 80, UART_LEGACY_HZ, 19200},
		{2, 1, 5, 0, 0, 80, UART_LEGACY_HZ, 0},
		{2, 1, 6, 0, 0, 80, UART_LEGACY_HZ, 57600},
		{2, 1, 7, 0, 0, 80, UART_LEGACY_HZ, 115200},
		{2, 1, 8, 0, 0, 80, UART_LEGACY_HZ, 0},
		{2, 1, 255, 0, 0, 80, UART_LEGACY_HZ, 0},
		{2, 0, 7, 48000000, 921600, 88, 0, 115200},
		{3, 0, 7, 48000000, 921600, 88, 48000000, 115200},
		{3, 0, 7, 0, 0, 88, 0, 115200},
		{4, 0, 7, 48000000, 921600, 88, 48000000, 921600},
		{4, 0, 0, 48000000, 921600, 88, 48000000, 921600},
		{4, 0, 7, 48000000, 0, 88, 48000000, 115200},
		{4, 1, 7, 0, 460800, 88, UART_LEGACY_HZ, 460800},
		{4, 0, 7, 48000000, 921600, 84, 48000000, 921600},
		{4, 0, 7, 48000000, 921600, 83, 48000000, 115200},
		{4, 0, 7, 48000000, 921600, 79, 0, 115200},
		{4, 1, 7, 48000000, 921600, 59, UART_LEGACY_HZ, 115200},
	};
	uint8_t t[SPCR_BYTES];
	struct uart u;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fill_spcr(t, cases[i].revision, 0, (struct gas){cases[i].space, 8, 1, 0x2f8},
			  cases[i].baud);
		put32(t + 76, cases[i].clock);
		put32(t + 80, cases[i].precise);
		assert_true(parse_spcr(t, cases[i].bytes, &u));
		assert_int_equal(u.clock_hz, cases[i].expected_clock);
		assert_int_equal(u.baud, cases[i].expected_baud);
	}
}

static void spcr_cut_short(void **unused)
{
	uint8_t t[SPCR_BYTES];
	struct uart u;

	(void)unused;
	fill_spcr(t, 4, 0, (struct gas){1, 8, 1, 0x3f8}, 7);
	for (size_t bytes = 0; bytes < 59; bytes++)
		assert_false(parse_spcr(t, bytes, &u));
}

struct device {
	uint16_t type, subtype;
	struct gas gas;
};

/* Returns the table's length. */
static size_t fill_dbg2(uint8_t *t, const struct device *devices, unsigned n)
{
	size_t at = 44;

	memset(t, 0, 44);
	put32(t + 36, at);
	put32(t + 40, n);
	for (unsigned i = 0; i < n; i++, at += 40) {
		memset(t + at, 0, 40);
		put16(t + at + 1, 40);
		t[at + 3] = 1;
		put16(t + at + 4, 2);
		put16(t + at + 6, 38);
		put16(t + at + 12, devices[i].type);
		put16(t + at + 14, devices[i].subtype);
		put16(t + at + 18, 22);
		put16(t + at + 20, 34);
		put_gas(t + at + 22, devices[i].gas);
		t[at + 38] = '.';
	}
	return at;
}

static bool parse_dbg2(const uint8_t *whole, size_t bytes, unsigned index, struct uart *u)
{
	uint8_t *t = malloc(bytes);
	bool found;

	memcpy(t, whole, bytes);
	found = acpi_parse_dbg2(t, bytes, index, u);
	free(t);
	return found;
}

/* Only serial ports that are 16550s count. */
static const struct device mixed[] = {
	{0x8001, 0, {0, 8, 1, 0xfe000000}},                                      /* FireWire */
	{0x8000, 0, {1, 8, 1, 0x2f8}},      {0x8000, 3, {0, 32, 3, 0xfe001000}}, /* PL011 */
	{0x8000, 0x12, {0, 32, 3, MEMORY}}, {0x8000, 1, {0, 8, 1, 0}},
};

static void dbg2_devices(void **unused)
{
	uint8_t t[44 + 40 * ARRAY_SIZE(mixed)];
	size_t bytes = fill_dbg2(t, mixed, ARRAY_SIZE(mixed));
	struct uart u;

	(void)unused;
	assert_true(parse_dbg2(t, bytes, 0, &u));
	assert_uart(&u, &(struct uart){0x2f8, UART_LEGACY_HZ, 0, UART_PORTS, 1, 8});
	assert_true(parse_dbg2(t, bytes, 1, &u));
	assert_uart(&u, &(struct uart){MEMORY, 0, 0, UART_MEMORY, 4, 32});
	assert_false(parse_dbg2(t, bytes, 2, &u));
	/* A count above what is there, and one below. */
	put32(t + 40, UINT32_MAX);
	assert_true(parse_dbg2(t, bytes, 1, &u));
	assert_false(parse_dbg2(t, bytes, 2, &u));
	put32(t + 40, 2);
	assert_true(parse_dbg2(t, bytes, 0, &u));
	assert_false(parse_dbg2(t, bytes, 1, &u));
}

static void dbg2_damaged(void **unused)
{
	static const struct {
		size_t at, width;
		uint64_t value;
	} cases[] = {
		{36, 4, 84},         /* the devices begin at the end */
		{36, 4, UINT32_MAX}, /* or beyond it */
		{40, 4, 0},          /* no devices */
		{44 + 1, 2, 0},      /* lengths too short and too long */
		{44 + 1, 2, 21},      {44 + 1, 2, 41}, {44 + 3, 1, 0}, /* no address */
		{44 + 18, 2, 29},     /* an address that is not all there */
		{44 + 18, 2, 0xffff}, /* or not at all */
	};
	uint8_t t[84];
	struct uart u;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t bytes = fill_dbg2(t, &mixed[1], 1);

		assert_true(parse_dbg2(t, bytes, 0, &u));
		memcpy(t + cases[i].at, &cases[i].value, cases[i].width);
		assert_false(parse_dbg2(t, bytes, 0, &u));
	}
}

static void dbg2_cut_short(void **unused)
{
	uint8_t t[84];
	size_t whole = fill_dbg2(t, &mixed[1], 1);
	struct uart u;

	(void)unused;
	for (size_t bytes = 0; bytes < whole; bytes++)
		assert_false(parse_dbg2(t, bytes, 0, &u));
}

static void assert_sane(const struct uart *u)
{
	assert_true(u->space == UART_PORTS || u->space == UART_MEMORY);
	assert_true(u->stride_bytes == 1 || u->stride_bytes == 2 || u->stride_bytes == 4);
	assert_true(u->access_bits == 8 || u->access_bits == 16 || u->access_bits == 32);
	assert_true(u->stride_bytes >= u->access_bits / 8);
	assert_true(u->base && (u->space == UART_MEMORY || u->base + uart_bytes(u) <= 0x10000));
}

/* Sound tables with a few random bytes. */
static void hostile_tables(void **unused)
{
	unsigned found = 0;

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		uint8_t t[44 + 40 * ARRAY_SIZE(mixed)];
		size_t bytes = fill_dbg2(t, mixed, ARRAY_SIZE(mixed));
		struct uart u;

		for (uint64_t n = random64() % 8; n; n--)
			t[random64() % bytes] = random64();
		for (unsigned k = 0; parse_dbg2(t, bytes, k, &u); k++, found++)
			assert_sane(&u);
		fill_spcr(t, random64() % 5, 0, (struct gas){random64() % 2, 8, 1, 0x3f8}, 7);
		for (uint64_t n = random64() % 8; n; n--)
			t[random64() % SPCR_BYTES] = random64();
		if (parse_spcr(t, random64() % (SPCR_BYTES + 1), &u)) {
			assert_sane(&u);
			found++;
		}
	}
	assert_true(found > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spcr_places),    cmocka_unit_test(spcr_refused),
		cmocka_unit_test(spcr_rates),     cmocka_unit_test(spcr_cut_short),
		cmocka_unit_test(dbg2_devices),   cmocka_unit_test(dbg2_damaged),
		cmocka_unit_test(dbg2_cut_short), cmocka_unit_test(hostile_tables),
	};

	return cmocka_run_group_tests_name("acpi_serial", tests, NULL, NULL);
}
