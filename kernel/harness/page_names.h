/* SPDX-License-Identifier: BSD-2-Clause */
/* What reports call the sizes of pages. */
#ifndef KERNEL_HARNESS_PAGE_NAMES_H
#define KERNEL_HARNESS_PAGE_NAMES_H

/* Of enum page_size: an axis' names. */
extern const char *const page_names[];

#endif
