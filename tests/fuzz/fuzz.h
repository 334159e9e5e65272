/* SPDX-License-Identifier: BSD-2-Clause */
/* What libFuzzer calls and gives. Source: LLVM, "libFuzzer - a library for coverage-guided fuzz testing". */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* One input; 0, or -1 where it is not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* In place of the usual mutations; returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t max_bytes, unsigned seed);

/* The usual ones, for use in it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t max_bytes);

/* Something that holds for every input; unlike assert() it stays whatever the flags. */
static inline void must(int holds)
{
	if (!holds)
		abort();
}

#endif
