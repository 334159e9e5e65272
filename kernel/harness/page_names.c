/* SPDX-License-Identifier: BSD-2-Clause */
/* The names, by enum page_size. */
#include "kernel/harness/page_names.h"

#include "mm/paging.h"

const char *const page_names[] = {
	[PAGE_4K] = "4k",
	[PAGE_2M] = "2m",
	[PAGE_1G] = "1g",
};
