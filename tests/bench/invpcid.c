/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVPCID of each type, on this CPU, for PCID 0, which is the one in use. What refilling the
 * dropped entries costs afterwards is not in the figure.
 */
#include "arch/x86/insn.h"
#include "kernel/harness/bench.h"
#include "kernel/harness/test_page.h"

/* The group is measured together, so all share one descriptor and one page, which stays mapped. */
static struct invpcid_desc desc;

static const char *setup(struct bench_args *args)
{
	if (!desc.va)
		desc.va = test_page_map(0);
	args->a = (uint64_t)&desc;
	args->touch = desc.va;
	return desc.va ? NULL : "no memory for a page";
}

#define INVPCID_BENCH(symbol, type, suffix, text)                  \
	static const char *setup_##symbol(struct bench_args *args) \
	{                                                          \
		args->b = type;                                    \
		return setup(args);                                \
	}                                                          \
	static const struct bench symbol = {                       \
		.name = "local/invpcid-" suffix,                   \
		.what = text,                                      \
		.need = {.features = NEED(FEATURE_INVPCID)},       \
		.throughput = true,                                \
		.setup = setup_##symbol,                           \
		.sample = sample,                                  \
	};                                                         \
	BENCH(symbol);

ALWAYS_INLINE void op_invpcid(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	invpcid(b, (const struct invpcid_desc *)a);
}

BENCH_SAMPLER(sample, op_invpcid)

INVPCID_BENCH(addr, INVPCID_ADDR, "addr", "INVPCID type 0: one address in one PCID")
INVPCID_BENCH(context, INVPCID_CONTEXT, "context", "INVPCID type 1: one PCID")
INVPCID_BENCH(all, INVPCID_ALL_GLOBAL, "all", "INVPCID type 2: everything, globals included")
INVPCID_BENCH(all_nonglobal, INVPCID_ALL_NON_GLOBAL, "all-nonglobal",
	      "INVPCID type 3: everything but globals")
