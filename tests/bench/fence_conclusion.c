/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which ways to order can be told apart from the NOP that stands where none is needed: each
 * benchmark of fence/ against fence/nop6 in the same place with the same stores. The difference is
 * that of the medians, its bounds those with each median anywhere in its own 95% interval; it is
 * resolved where they leave out 0.
 */
#include "arch/x86/fence_variants.h"
#include "arch/x86/mem.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/conclusion.h"
#include "kernel/text.h"

#define NAME_MAX 40
#define PER_LINE 3 /* that fit in a line */

struct difference {
	int64_t value, lo, hi; /* ticks, or thousandths of one */
};

/* What follows the variant's name in that of a benchmark, and the words for it. */
struct place {
	const char *suffix, *text;
	bool throughput;
};

static const struct place places[] = {
	{"", "alone", false},
	{"", "alone, back to back", true},
	{"-stores", "after stores", false},
	{"-icr", "before ICR", false},
	{"-deadline", "before TSC_DEADLINE", false},
};

static struct difference between(const struct measurement *one, const struct measurement *other,
				 bool throughput)
{
	const struct stats *a = throughput ? &one->throughput_stats : &one->latency_stats;
	const struct stats *b = throughput ? &other->throughput_stats : &other->latency_stats;

	return (struct difference){b->p50 - a->p50, b->ci_lo - a->ci_hi, b->ci_hi - a->ci_lo};
}

static bool is_resolved(struct difference d)
{
	return d.lo > 0 || d.hi < 0;
}

static bool is_named(const struct measurement *m, enum fence_variant variant, const char *suffix)
{
	char name[NAME_MAX];

	format(name, sizeof(name), "fence/%s%s", fence_variant_names[variant], suffix);
	return !text_compare(m->bench->name, name);
}

static const struct measurement *find(const struct measurement *m, size_t n,
				      enum fence_variant variant, const char *suffix,
				      const struct axis_point *at)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].n && is_named(&m[i], variant, suffix) &&
		    !memcmp(&m[i].args.at, at, sizeof(*at)))
			return &m[i];
	}
	return NULL;
}

static void print_difference(enum fence_variant variant, struct difference d, unsigned decimals)
{
	char value[32], lo[32], hi[32];

	format_fixed(value, sizeof(value), d.value, decimals);
	format_fixed(lo, sizeof(lo), d.lo, decimals);
	format_fixed(hi, sizeof(hi), d.hi, decimals);
	printk("  %s %s%s [%s, %s]", fence_variant_names[variant], d.value > 0 ? "+" : "", value,
	       lo, hi);
}

/* Those that are resolved, or those that are not. */
static void print_variants(const struct measurement *m, size_t n, const struct measurement *nop,
			   const struct place *place, bool resolved)
{
	const char *title = resolved ? "differ, by ticks:" : "not resolvable here:";
	unsigned printed = 0;

	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++) {
		const struct measurement *other =
			find(m, n, (enum fence_variant)v, place->suffix, &nop->args.at);
		struct difference d;

		if (v == FENCE_VARIANT_NOP6 || !other)
			continue;
		d = between(nop, other, place->throughput);
		if (is_resolved(d) != resolved)
			continue;
		if (printed % PER_LINE == 0)
			printk("\n    %-20s", printed ? "" : title);
		print_difference((enum fence_variant)v, d,
				 place->throughput ? THROUGHPUT_DECIMALS : 0);
		printed++;
	}
}

static bool draw(const struct measurement *m, size_t n)
{
	char params[AXES_TEXT_MAX];
	bool any = false;

	for (unsigned p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		for (size_t i = 0; i < n; i++) {
			if (!m[i].n || !is_named(&m[i], FENCE_VARIANT_NOP6, places[p].suffix))
				continue;
			axes_text(m[i].bench->axes, &m[i].args.at, params, sizeof(params));
			printk("  against %s, %s%s%s:", m[i].bench->name, places[p].text,
			       *params ? ", " : "", params);
			print_variants(m, n, &m[i], &places[p], true);
			print_variants(m, n, &m[i], &places[p], false);
			printk("\n");
			any = true;
		}
	}
	return any;
}

static const struct conclusion told_apart = {.group = "fence", .draw = draw};
CONCLUSION(told_apart);
