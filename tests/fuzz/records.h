/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutates a captured console: after the usual mutations records get the right CRC again. */
#ifndef TESTS_FUZZ_RECORDS_H
#define TESTS_FUZZ_RECORDS_H

#include <stdio.h>
#include <string.h>

#include "kernel/harness/crc32c.h"
#include "tests/fuzz/fuzz.h"

#define PREFIX        "@SD1 "
#define PREFIX_BYTES  (sizeof(PREFIX) - 1)
#define TRAILER_BYTES 9

/* Gives a line that is a record but for its CRC the right one. */
static inline void repair_line(char *line, size_t n)
{
	char trailer[TRAILER_BYTES + 1];

	if (n < PREFIX_BYTES + TRAILER_BYTES || memcmp(line, PREFIX, PREFIX_BYTES))
		return;
	n -= PREFIX_BYTES + TRAILER_BYTES;
	line += PREFIX_BYTES;
	snprintf(trailer, sizeof(trailer), " %08x", crc32c(line, n));
	memcpy(line + n, trailer, TRAILER_BYTES);
}

/* Mutations break CRCs; three of four times they are made right again, to get past them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t max_bytes, unsigned seed)
{
	char *line = (char *)data, *end;

	bytes = LLVMFuzzerMutate(data, bytes, max_bytes);
	if (seed % 4 == 0)
		return bytes;
	for (; (end = memchr(line, '\n', (char *)data + bytes - line)); line = end + 1)
		repair_line(line, end - line);
	return bytes;
}

#endif
