/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines in three states, and the CPU that keeps some of them dirty. */
#include "tests/bench/fence_stage.h"

#include "arch/x86/cpu.h"
#include "arch/x86/mem.h"
#include "kernel/harness/peer.h"
#include "kernel/harness/test_page.h"
#include "kernel/smp.h"
#include "mm/paging.h"

#define LINES_MAX 32 /* of the axes, and together half a page */

/* Until the other CPU is given up: 10 to 140 cycles each, so some 50 ms and more. */
#define MAX_PAUSES 10000000u
#define STOP_US    1000000

static const char *const line_names[] = {
	[FENCE_LINE_NONE] = "none",
	[FENCE_LINE_CACHED] = "cached",
	[FENCE_LINE_REMOTE] = "remote",
	[FENCE_LINE_UNCACHED] = "uncached",
};

#define VALUE(symbol, CONSTANT, name, text) FENCE_VARIANT_##CONSTANT,

const struct axis fence_variant_axis = {
	.key = "fence",
	.names = fence_variant_names,
	.nr = FENCE_VARIANT_COUNT,
	.values = {FENCE_VARIANTS(VALUE)},
};

const struct axis fence_stores_axis = {
	.key = "stores",
	.quick = 1 << 0 | 1 << 2,
	.nr = 4,
	.values = {0, 1, 8, LINES_MAX},
};

const struct axis fence_some_stores_axis = {
	.key = "stores",
	.quick = 1 << 1,
	.nr = 3,
	.values = {1, 8, LINES_MAX},
};

const struct axis fence_line_axis = {
	.key = "line",
	.names = line_names,
	.quick = 1 << 0 | 1 << 2,
	.nr = 4,
	.values = {FENCE_LINE_NONE, FENCE_LINE_CACHED, FENCE_LINE_REMOTE, FENCE_LINE_UNCACHED},
};

const struct axis fence_some_line_axis = {
	.key = "line",
	.names = line_names,
	.quick = 1 << 1,
	.nr = 3,
	.values = {FENCE_LINE_CACHED, FENCE_LINE_REMOTE, FENCE_LINE_UNCACHED},
};

bool fence_applies(const struct axis_point *p)
{
	return !p->values[AT_FENCE_STORES] == (p->values[AT_FENCE_LINE] == FENCE_LINE_NONE);
}

static uint8_t cached[LINES_MAX * CACHE_LINE] __attribute__((aligned(CACHE_LINE)));
static uint8_t remote[LINES_MAX * CACHE_LINE] __attribute__((aligned(CACHE_LINE)));
static uint64_t uncached; /* page */

/* What passes between CPU 0 and the one that dirties; each word is written by one side only. */
static struct {
	uint64_t asked __attribute__((aligned(CACHE_LINE))); /* how often, so far */
	bool stop;
	uint64_t done __attribute__((aligned(CACHE_LINE)));
} dirt;

static struct cpu *peer;
static bool failed; /* it did not answer, or did not stop */

const char *fence_stage_setup(struct bench_args *args)
{
	failed = false;
	args->b = args->at.values[AT_FENCE_STORES];
	switch ((enum fence_line)args->at.values[AT_FENCE_LINE]) {
	case FENCE_LINE_NONE:
	case FENCE_LINE_CACHED:
		args->a = (uint64_t)cached;
		return NULL;
	case FENCE_LINE_REMOTE:
		args->a = (uint64_t)remote;
		peer = peer_next(cpus[0]);
		return peer ? NULL : "no other CPU is online";
	case FENCE_LINE_UNCACHED:
		if (!uncached)
			uncached = test_page_map(MAP_UNCACHED);
		args->a = uncached;
		return uncached ? NULL : "no memory for a page";
	}
	return "no such line";
}

/* On the other CPU, interrupts off. */
static void keep_dirtying(void *unused)
{
	uint64_t done = dirt.done;

	(void)unused;
	while (!__atomic_load_n(&dirt.stop, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&dirt.asked, __ATOMIC_ACQUIRE) == done) {
			pause();
			continue;
		}
		store_lines((uint64_t)remote, LINES_MAX);
		/* They are in this CPU's cache before it says so. */
		mfence();
		__atomic_store_n(&dirt.done, ++done, __ATOMIC_RELEASE);
	}
}

static bool is_remote(const struct bench_args *args)
{
	return args->at.values[AT_FENCE_LINE] == FENCE_LINE_REMOTE && !failed;
}

void fence_stage_enter(const struct bench_args *args)
{
	if (!is_remote(args))
		return;
	dirt.stop = false;
	smp_start_on(peer, keep_dirtying, NULL);
}

void fence_stage_leave(const struct bench_args *args)
{
	if (args->at.values[AT_FENCE_LINE] != FENCE_LINE_REMOTE)
		return;
	__atomic_store_n(&dirt.stop, true, __ATOMIC_RELEASE);
	failed |= !smp_wait(peer, STOP_US);
}

static void have_dirtied(void)
{
	uint64_t asked = dirt.asked + 1;

	__atomic_store_n(&dirt.asked, asked, __ATOMIC_RELEASE);
	for (unsigned i = 0; __atomic_load_n(&dirt.done, __ATOMIC_ACQUIRE) != asked; i++) {
		if (i == MAX_PAUSES) {
			failed = true;
			return;
		}
		pause();
	}
}

void fence_stage_prepare(const struct bench_args *args)
{
	if (is_remote(args))
		have_dirtied();
	else
		store_lines(args->a, args->b);
	/* LFENCE, with which the section begins, would not wait for the stores made until here. */
	mfence();
}

const char *fence_stage_finish(const struct bench_args *args)
{
	bool mine = args->at.values[AT_FENCE_LINE] == FENCE_LINE_REMOTE;

	return mine && failed ? "the CPU that dirties the lines did not answer" : NULL;
}
