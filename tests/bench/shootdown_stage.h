/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benchmarks of shootdown share: an address space with pages to be flushed, the CPUs that run
 * it while a row has its turn, and the account of the IPIs. On CPU 0.
 */
#ifndef TESTS_BENCH_SHOOTDOWN_STAGE_H
#define TESTS_BENCH_SHOOTDOWN_STAGE_H

#include "kernel/harness/bench.h"
#include "kernel/harness/space_axes.h"
#include "mm/shootdown.h"

#define STAGE_PAGES 512 /* of each size */

/* That of the row that has its turn, from stage_enter() on. */
extern struct address_space *stage_space;

/* Where its pages of that size are, in a row. */
uint64_t stage_base(enum page_size size);

/* A page table without a page, and a frame for it: what a loop of shootdown_loop() wants. */
uint64_t stage_empty_page(void);
uint64_t stage_frame(void);

/* The first axes of a row are these: how many CPUs run the space, CPU 0 among them, is the second. */
enum { STAGE_AT_POLICY, STAGE_AT_CPUS, STAGE_AT_PAGES, STAGE_AT_PAGE };

/* For `applies`, `setup`, `finish`, `enter` and `leave`. */
bool stage_applies(const struct axis_point *p);
const char *stage_setup(struct bench_args *args);
const char *stage_finish(const struct bench_args *args);
void stage_enter(const struct bench_args *args);
void stage_leave(const struct bench_args *args);

/* What the row's finish is to tell; the first counts. */
void stage_went_wrong(const struct bench_args *args, const char *why);

#endif
