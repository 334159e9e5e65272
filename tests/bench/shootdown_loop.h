/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop whose rate shootdown/tlb-flush tells and whose price shootdown/loop does. */
#ifndef TESTS_BENCH_SHOOTDOWN_LOOP_H
#define TESTS_BENCH_SHOOTDOWN_LOOP_H

#include "mm/shootdown.h"

/*
 * Maps the frame at `va` in the space that this CPU runs, writes to it, unmaps it and flushes the
 * page. False: it could not be mapped, or a CPU did not answer.
 */
bool shootdown_loop(struct address_space *space, uint64_t va, uint64_t frame);

/* Makes the tables above `va`, so that the loop makes none. False: no memory. */
bool shootdown_loop_prepare(struct address_space *space, uint64_t va);

#endif
