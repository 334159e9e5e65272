/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MOV to CR3 with the value it has: with the flush of this PCID's non-global entries, and with bit
 * 63, which asks for none. The kernel's own entries are global and stay.
 */
#include "arch/x86/insn.h"
#include "kernel/harness/bench.h"

static const char *setup_reload(struct bench_args *args)
{
	args->a = read_cr3();
	return NULL;
}

static const char *setup_noflush(struct bench_args *args)
{
	args->a = read_cr3() | CR3_NOFLUSH;
	return NULL;
}

ALWAYS_INLINE void op_write_cr3(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	write_cr3(a);
}

BENCH_SAMPLER(sample, op_write_cr3)

static const struct bench cr3_reload = {
	.name = "local/cr3-reload",
	.what = "MOV CR3 with the same value",
	.throughput = true,
	.setup = setup_reload,
	.sample = sample,
};
BENCH(cr3_reload);

static const struct bench cr3_noflush = {
	.name = "local/cr3-noflush",
	.what = "MOV CR3 with the same value and bit 63",
	.need = {.features = NEED(FEATURE_PCID)},
	.throughput = true,
	.setup = setup_noflush,
	.sample = sample,
};
BENCH(cr3_noflush);
