/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVPCID of each type, on this CPU, for PCID 0, which is the one in use. A page that type 0 names,
 * `live` others and the descriptor are read before each section. What refilling the dropped entries
 * costs afterwards is not in the figure (refill/); but back to back type 2, which drops globals,
 * walks for its own descriptor each time.
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
	args->touch[0] = desc.va;
	args->touch[1] = args->a;
	return desc.va ? live_set(args) : "no memory for a page";
}

static const char *setup_tce(struct bench_args *args)
{
	const char *why = bench_refuse_tce();

	return why ? why : setup(args);
}

#define INVPCID_BENCH(symbol, type, suffix, text, needs, set, ...)           \
	static const char *setup_##symbol(struct bench_args *args)           \
	{                                                                    \
		args->b = type;                                              \
		return set(args);                                            \
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

INVPCID_BENCH(addr, INVPCID_ADDR, "addr", "INVPCID type 0: one address in one PCID", INVPCID, setup)
INVPCID_BENCH(context, INVPCID_CONTEXT, "context", "INVPCID type 1: one PCID", INVPCID, setup)
INVPCID_BENCH(all, INVPCID_ALL_GLOBAL, "all", "INVPCID type 2: everything, globals included",
	      INVPCID, setup)
INVPCID_BENCH(all_nonglobal, INVPCID_ALL_NON_GLOBAL, "all-nonglobal",
	      "INVPCID type 3: everything but globals", INVPCID, setup)
INVPCID_BENCH(addr_tce, INVPCID_ADDR, "addr-tce", "INVPCID type 0 with EFER.TCE = 1",
	      INVPCID | NEED(FEATURE_TCE), setup_tce, .enter = bench_enter_tce,
	      .leave = bench_leave_tce)

/* The two ways to flush everything, one against the other, as in the patch that brought INVPCID. */
static bool draw(const struct measurement *m, size_t n)
{
	const struct measurement *one = measurement_find(m, n, "local/invpcid-all", NULL);
	const struct report_comparison c = {
		.one = one,
		.other = measurement_find(m, n, "local/cr4-pge-toggle", one),
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
