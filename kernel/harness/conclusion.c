/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what a conclusion is drawn from. */
#include "kernel/harness/conclusion.h"

#include "arch/x86/mem.h"
#include "kernel/text.h"

const struct measurement *measurement_find(const struct measurement *m, size_t n, const char *name,
					   const struct measurement *like)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].n && text_equal(m[i].bench->name, name) &&
		    (!like || !memcmp(&m[i].args.at, &like->args.at, sizeof(like->args.at))))
			return &m[i];
	}
	return NULL;
}
