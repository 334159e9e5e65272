/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what a conclusion is drawn from. */
#include "kernel/harness/conclusion.h"

#include "kernel/text.h"

const struct measurement *measurement_find(const struct measurement *m, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].n && text_equal(m[i].bench->name, name))
			return &m[i];
	}
	return NULL;
}
