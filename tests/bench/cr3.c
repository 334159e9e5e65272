/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MOV to CR3, on this CPU: with the value it has, and to PCID 1 and back (two writes, with the same
 * tables), each with the flush of the new PCID's non-global entries and with bit 63, which asks for
 * none. The kernel's own entries are global and stay; `live` pages that are not are read before
 * each section.
 */
#include "tests/bench/live_axes.h"

static const char *setup_reload(struct bench_args *args)
{
	args->a = read_cr3();
	return live_set(args);
}

static const char *setup_noflush(struct bench_args *args)
{
	args->a = read_cr3() | CR3_NOFLUSH;
	return live_set(args);
}

static const char *setup_switch(struct bench_args *args)
{
	args->a = read_cr3() | 1;
	args->b = read_cr3();
	return live_set(args);
}

static const char *setup_switch_noflush(struct bench_args *args)
{
	args->a = read_cr3() | 1 | CR3_NOFLUSH;
	args->b = read_cr3() | CR3_NOFLUSH;
	return live_set(args);
}

ALWAYS_INLINE void op_write_cr3(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	write_cr3(a);
}

ALWAYS_INLINE void op_write_cr3_twice(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	write_cr3(a);
	write_cr3(b);
}

BENCH_SAMPLER(sample, op_write_cr3)
BENCH_SAMPLER(sample_twice, op_write_cr3_twice)

static const struct bench cr3_reload = {
	.name = "local/cr3-reload",
	.what = "MOV CR3 with the same value",
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_reload,
	.sample = sample,
};
BENCH(cr3_reload);

static const struct bench cr3_noflush = {
	.name = "local/cr3-noflush",
	.what = "MOV CR3 with the same value and bit 63",
	.need = {.features = NEED(FEATURE_PCID)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_noflush,
	.sample = sample,
};
BENCH(cr3_noflush);

static const struct bench cr3_switch = {
	.name = "local/cr3-switch",
	.what = "MOV CR3 to PCID 1 and back to 0, two writes",
	.need = {.features = NEED(FEATURE_PCID)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_switch,
	.sample = sample_twice,
};
BENCH(cr3_switch);

static const struct bench cr3_switch_noflush = {
	.name = "local/cr3-switch-noflush",
	.what = "MOV CR3 with bit 63 to PCID 1 and back to 0, two writes",
	.need = {.features = NEED(FEATURE_PCID)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_switch_noflush,
	.sample = sample_twice,
};
BENCH(cr3_switch_noflush);
