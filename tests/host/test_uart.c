/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arch/x86/uart.c on registers in memory, of every distance and width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/uart.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	uint8_t stride_bytes, access_bits;
} shapes[] = {{1, 8}, {2, 8}, {2, 16}, {4, 8}, {4, 16}, {4, 32}};

/* Ready to transmit, but otherwise memory: a register keeps what was written last. */
static uint8_t *make_registers(const struct uart *u)
{
	uint8_t *r = calloc(1, uart_bytes(u));

	r[5 * u->stride_bytes] = 0x60;
	return r;
}

static struct uart shaped(size_t shape)
{
	return (struct uart){.base = 0xfe000000,
			     .space = UART_MEMORY,
			     .stride_bytes = shapes[shape].stride_bytes,
			     .access_bits = shapes[shape].access_bits};
}

static void every_shape(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct uart u = shaped(i);
		uint8_t *r = make_registers(&u);

		assert_true(uart_open(&u, r));
		assert_int_equal(r[u.stride_bytes * 2], 7);    /* FIFO on and empty */
		assert_int_equal(r[u.stride_bytes * 3], 3);    /* 8N1, divisor latch shut */
		assert_int_equal(r[u.stride_bytes * 4], 3);    /* DTR, RTS */
		assert_int_equal(r[u.stride_bytes * 7], 0xa5); /* the test's last word */
		uart_write("xyz", 3);
		assert_int_equal(r[0], 'z');
		uart_drain();
		free(r);
	}
}

static void divisors(void **unused)
{
	static const struct {
		uint32_t clock_hz, baud;
		uint8_t before, expected_low, expected_high;
	} cases[] = {
		{UART_LEGACY_HZ, 115200, 0, 1, 0},   {UART_LEGACY_HZ, 9600, 0x34, 12, 0},
		{UART_LEGACY_HZ, 1, 0, 0xff, 0xff},  {UART_LEGACY_HZ, 921600, 0, 1, 0},
		{48000000, 115200, 0, 26, 0}, /* 26.04 */
		{UINT32_MAX, 115200, 0, 0x1a, 0x09}, {0, 115200, 0x34, 0x34, 0},
		{UART_LEGACY_HZ, 0, 0x34, 0x34, 0},  {0, 0, 0, 1, 0}, /* never set by anyone */
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct uart u = shaped(5);
		uint8_t *r = make_registers(&u);

		u.clock_hz = cases[i].clock_hz;
		u.baud = cases[i].baud;
		r[0] = cases[i].before;
		assert_true(uart_open(&u, r));
		assert_int_equal(r[0], cases[i].expected_low);
		assert_int_equal(r[4], cases[i].expected_high);
		free(r);
	}
}

static void nothing_there(void **unused)
{
	struct uart u = shaped(0);
	uint8_t *r = make_registers(&u);

	(void)unused;
	assert_false(uart_open(&u, NULL));
	memset(r, 0xff, uart_bytes(&u));
	assert_false(uart_open(&u, r));
	uart_write("x", 1);
	uart_drain();
	assert_int_equal(r[0], 0xff);
	free(r);
}

static void stops_for_good(void **unused)
{
	struct uart u = shaped(0);
	uint8_t *r = make_registers(&u);

	(void)unused;
	assert_true(uart_open(&u, r));
	uart_write("a", 1);
	r[5] = 0;
	uart_write("b", 1);
	r[5] = 0x60;
	uart_write("c", 1);
	assert_int_equal(r[0], 'a');
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(divisors),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(stops_for_good),
	};

	return cmocka_run_group_tests_name("uart", tests, NULL, NULL);
}
