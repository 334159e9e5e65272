/* SPDX-License-Identifier: BSD-2-Clause */
/* As <string.h>, which a freestanding compiler does not bring. Anyone may call. */
#ifndef ARCH_X86_MEM_H
#define ARCH_X86_MEM_H

#include <stddef.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#endif
