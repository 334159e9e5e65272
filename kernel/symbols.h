/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the kernel's functions, from the table that the Makefile makes after the first link. */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdint.h>

/* The function that contains `address` and how far into it; "?" outside the kernel's text. */
const char *symbol_find(uint64_t address, uint64_t *offset);

#endif
