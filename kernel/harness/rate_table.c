/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps rates until their check has ended, and prints them CPU count by variant. */
#include "kernel/harness/rate_table.h"

#include "arch/x86/mem.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/text.h"

#define RATES_MAX 128
#define NO_AXIS   AXES_MAX

struct rate {
	struct axis_point at;
	int64_t value;
	bool wide;
};

static struct rate rates[RATES_MAX];
static uint32_t nr_rates;
static const char *name, *unit;
static axes_t axes;

void rate_table_add(const struct report_rate *rate, int64_t value, bool wide)
{
	name = rate->name;
	unit = rate->unit;
	axes = rate->axes;
	if (axes && nr_rates < RATES_MAX)
		rates[nr_rates++] = (struct rate){rate->at, value, wide};
}

static unsigned find_cpus(void)
{
	unsigned a = 0;

	while (a < AXES_MAX && axes[a] && text_compare(axes[a]->key, "cpus"))
		a++;
	return a < AXES_MAX && axes[a] ? a : NO_AXIS;
}

/* Whether two rates differ in nothing but the number of CPUs. */
static bool is_same_column(const struct rate *a, const struct rate *b, unsigned cpus)
{
	struct axis_point other = b->at;

	other.values[cpus] = a->at.values[cpus];
	return !memcmp(&a->at, &other, sizeof(other));
}

/* The first rate of its column, or of its row. */
static bool is_first(const struct rate *r, unsigned cpus, bool of_row)
{
	for (const struct rate *before = rates; before < r; before++) {
		if (of_row ? before->at.values[cpus] == r->at.values[cpus]
			   : is_same_column(before, r, cpus))
			return false;
	}
	return true;
}

static bool varies(unsigned axis)
{
	for (uint32_t i = 1; i < nr_rates; i++) {
		if (rates[i].at.values[axis] != rates[0].at.values[axis])
			return true;
	}
	return false;
}

/* "ipi-all"; of several axes that vary, their values one after the other. */
static void print_head(const struct rate *r, unsigned cpus)
{
	char head[AXES_TEXT_MAX] = "rate";
	size_t used = 0;

	for (unsigned a = 0; a < AXES_MAX && axes[a]; a++) {
		const char *value = axis_value_name(axes[a], r->at.values[a]);

		if (a == cpus || !varies(a))
			continue;
		if (used)
			used += format(head + used, sizeof(head) - used, " ");
		if (value)
			used += format(head + used, sizeof(head) - used, "%s", value);
		else
			used += format(head + used, sizeof(head) - used, "%s=%u", axes[a]->key,
				       r->at.values[a]);
	}
	printk(" %17s", head);
}

static void print_line(const struct rate *row, unsigned cpus)
{
	printk("  %8u", row->at.values[cpus]);
	for (uint32_t c = 0; c < nr_rates; c++) {
		char text[24] = "-";

		if (!is_first(&rates[c], cpus, false))
			continue;
		for (uint32_t i = 0; i < nr_rates; i++) {
			if (rates[i].at.values[cpus] == row->at.values[cpus] &&
			    is_same_column(&rates[c], &rates[i], cpus))
				format(text, sizeof(text), "%s%ld", rates[i].wide ? "~ " : "",
				       rates[i].value);
		}
		printk(" %17s", text);
	}
	printk("\n");
}

void rate_table_print(void)
{
	unsigned cpus = nr_rates > 1 ? find_cpus() : NO_AXIS;
	bool any_wide = false;

	if (cpus != NO_AXIS) {
		printk("\n  %s: %s, median of rounds\n  %8s", name, unit, "cpus");
		for (uint32_t i = 0; i < nr_rates; i++) {
			any_wide |= rates[i].wide;
			if (is_first(&rates[i], cpus, false))
				print_head(&rates[i], cpus);
		}
		printk("\n");
		for (uint32_t i = 0; i < nr_rates; i++) {
			if (is_first(&rates[i], cpus, true))
				print_line(&rates[i], cpus);
		}
		printk("%s\n", any_wide ? "~ not settled: an interval is wider than 10% of its "
					  "figure\n"
					: "");
	}
	nr_rates = 0;
}
