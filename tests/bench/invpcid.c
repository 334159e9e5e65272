/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVPCID of each type, on this CPU, for PCID 0, which is the one in use. A page that type 0 names,
 * and `live` others, are read before each section. What refilling the dropped entries costs
 * afterwards is not in the figure (refill/).
 */
#include "kernel/harness/conclusion.h"
#include "kernel/harness/report.h"
#include "kernel/harness/test_page.h"
#include "tests/bench/live_axes.h"

/* The group is measured together, so all share one descriptor and one page, which stays mapped. */
static struct invpcid_desc desc;

static const char *setup(struct bench_args *args)
{
	if (!desc.va)
		desc.va = test_page_map(0);
	args->a = (uint64_t)&desc;
	args->touch = desc.va;
	return desc.va ? live_set(args) : "no memory for a page";
}

#define INVPCID_BENCH(symbol, type, suffix, text, needs, ...)                \
	static const char *setup_##symbol(struct bench_args *args)           \
	{                                                                    \
		args->b = type;                                              \
		return setup(args);                                          \
	}                                                                    \
	static const struct bench symbol = {.name = "local/invpcid-" suffix, \
					    .what = text,                    \
					    .need = {.features = needs},     \
					    .axes = LIVE_AXES,               \
					    .applies = live_applies,         \
					    .throughput = true,              \
					    .setup = setup_##symbol,         \
					    .sample = sample,                \
					    __VA_ARGS__};                    \
	BENCH(symbol);

#define INVPCID NEED(FEATURE_INVPCID)

ALWAYS_INLINE void op_invpcid(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	invpcid(b, (const struct invpcid_desc *)a);
}

BENCH_SAMPLER(sample, op_invpcid)

INVPCID_BENCH(addr, INVPCID_ADDR, "addr", "INVPCID type 0: one address in one PCID", INVPCID)
INVPCID_BENCH(context, INVPCID_CONTEXT, "context", "INVPCID type 1: one PCID", INVPCID)
INVPCID_BENCH(all, INVPCID_ALL_GLOBAL, "all", "INVPCID type 2: everything, globals included",
	      INVPCID)
INVPCID_BENCH(all_nonglobal, INVPCID_ALL_NON_GLOBAL, "all-nonglobal",
	      "INVPCID type 3: everything but globals", INVPCID)
INVPCID_BENCH(addr_tce, INVPCID_ADDR, "addr-tce", "INVPCID type 0 with EFER.TCE = 1",
	      INVPCID | NEED(FEATURE_TCE), .enter = bench_enter_tce, .leave = bench_leave_tce)

/* The two ways to flush everything, one against the other, as in the patch that brought INVPCID. */
static bool draw(const struct measurement *m, size_t n)
{
	const struct report_comparison c = {
		.one = measurement_find(m, n, "local/invpcid-all"),
		.other = measurement_find(m, n, "local/cr4-pge-toggle"),
		.text = "INVPCID type 2 against the CR4.PGE sequence",
		.published = "published for a Skylake laptop, 2016: 376 and 539 ns, 1.43x",
	};

	if (!c.one || !c.other)
		return false;
	report_comparison(&c);
	return true;
}

static const struct conclusion headline = {.group = "local", .draw = draw};
CONCLUSION(headline);
