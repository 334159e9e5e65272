/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks the combinations of axes. */
#include "kernel/harness/axis.h"

#include "kernel/format.h"

const struct axis axis_cpus = {
	.key = "cpus",
	.quick = 1 << 0 | 1 << 1 | 1 << 11,
	.nr = 12,
	.values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, AXIS_ALL_CPUS},
};

static uint32_t all_cpus, most_pages;

void axes_set(uint32_t cpus, uint32_t pages)
{
	all_cpus = cpus;
	most_pages = pages;
}

static uint32_t value_of(const struct axis *axis, uint32_t i)
{
	switch (axis->values[i]) {
	case AXIS_ALL_CPUS:
		return all_cpus;
	case AXIS_MOST_PAGES:
		return most_pages;
	default:
		return axis->values[i];
	}
}

static bool is_in_suite(const struct axis *axis, uint32_t i, enum suite suite)
{
	return suite != SUITE_QUICK || !axis->quick || axis->quick >> i & 1;
}

/* Only what stands for a number can be another one's. */
static bool is_double(const struct axis *axis, uint32_t i, enum suite suite)
{
	if (axis->values[i] == value_of(axis, i))
		return false;
	for (uint32_t other = 0; other < axis->nr; other++) {
		if (other != i && is_in_suite(axis, other, suite) &&
		    axis->values[other] == value_of(axis, i))
			return true;
	}
	return false;
}

/* The combination of that number; *in_suite says whether all its values are of the suite. */
static bool point_at(axes_t axes, enum suite suite, uint32_t number, struct axis_point *p,
		     bool *in_suite)
{
	unsigned nr_axes = 0;

	*p = (struct axis_point){{0}};
	*in_suite = true;
	while (nr_axes < AXES_MAX && axes[nr_axes])
		nr_axes++;
	for (unsigned a = nr_axes; a-- > 0;) {
		uint32_t i = number % axes[a]->nr;

		number /= axes[a]->nr;
		p->values[a] = value_of(axes[a], i);
		*in_suite &= is_in_suite(axes[a], i, suite) && !is_double(axes[a], i, suite);
	}
	return number == 0;
}

bool axes_next(axes_t axes, axes_applies_fn applies, enum suite suite, uint32_t *index,
	       struct axis_point *p)
{
	bool in_suite;

	while (point_at(axes, suite, (*index)++, p, &in_suite)) {
		if (in_suite && (!applies || applies(p)))
			return true;
	}
	return false;
}

uint32_t axes_count(axes_t axes, axes_applies_fn applies, enum suite suite)
{
	struct axis_point p;
	uint32_t index = 0, count = 0;

	while (axes_next(axes, applies, suite, &index, &p))
		count++;
	return count;
}

const char *axis_value_name(const struct axis *axis, uint32_t value)
{
	return axis->names ? axis->names[value] : NULL;
}

void axes_text(axes_t axes, const struct axis_point *p, char *text, size_t size)
{
	size_t used = 0;

	if (size)
		*text = 0;
	for (unsigned a = 0; a < AXES_MAX && axes[a] && used < size; a++) {
		const char *blank = a ? " " : "", *name = axis_value_name(axes[a], p->values[a]);

		if (name)
			used += format(text + used, size - used, "%s%s=%s", blank, axes[a]->key,
				       name);
		else
			used += format(text + used, size - used, "%s%s=%u", blank, axes[a]->key,
				       p->values[a]);
	}
}
