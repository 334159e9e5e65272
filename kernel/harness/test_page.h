/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages for benchmarks and checks, in the part of the address space that is theirs.
 * On one CPU at a time.
 */
#ifndef KERNEL_HARNESS_TEST_PAGE_H
#define KERNEL_HARNESS_TEST_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* Addresses for `bytes`, aligned, with nothing mapped; never taken back. */
uint64_t test_space_reserve(uint64_t bytes, uint64_t align);

/*
 * Maps a fresh writable 4 KiB page; `flags` adds MAP_GLOBAL... Returns its address, 0: no memory.
 */
uint64_t test_page_map(unsigned flags);

/* Maps a page that holds `code`, for CPL 3 to read and execute; what follows it is zeros. */
uint64_t test_page_map_code(const void *code, size_t bytes);

/* Unmaps it, flushes it on this CPU, frees the frame that it is mapped to. */
void test_page_unmap(uint64_t va);

#endif
