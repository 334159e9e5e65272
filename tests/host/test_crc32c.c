/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/harness/crc32c.c against published vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/harness/crc32c.h"

/* RFC 3720, B.4: "CRC Examples". */
static void rfc_3720(void **unused)
{
	uint8_t message[32];

	(void)unused;
	memset(message, 0, sizeof(message));
	assert_int_equal(crc32c(message, sizeof(message)), 0x8a9136aa);
	memset(message, 0xff, sizeof(message));
	assert_int_equal(crc32c(message, sizeof(message)), 0x62a8ab43);
	for (unsigned i = 0; i < sizeof(message); i++)
		message[i] = i;
	assert_int_equal(crc32c(message, sizeof(message)), 0x46dd794e);
	for (unsigned i = 0; i < sizeof(message); i++)
		message[i] = 31 - i;
	assert_int_equal(crc32c(message, sizeof(message)), 0x113fdb5c);
}

static void check_value(void **unused)
{
	(void)unused;
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
}

static void empty(void **unused)
{
	(void)unused;
	assert_int_equal(crc32c("", 0), 0);
}

static void single_bit_flips(void **unused)
{
	uint8_t message[64];
	uint32_t sound;

	(void)unused;
	for (unsigned i = 0; i < sizeof(message); i++)
		message[i] = i * 37 + 11;
	sound = crc32c(message, sizeof(message));
	for (unsigned bit = 0; bit < sizeof(message) * 8; bit++) {
		message[bit / 8] ^= 1 << bit % 8;
		assert_int_not_equal(crc32c(message, sizeof(message)), sound);
		message[bit / 8] ^= 1 << bit % 8;
	}
	assert_int_equal(crc32c(message, sizeof(message)), sound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_3720),
		cmocka_unit_test(check_value),
		cmocka_unit_test(empty),
		cmocka_unit_test(single_bit_flips),
	};

	return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
