/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from values, into a buffer. Pure.
 *
 * Understands %c %s %d %u %x with l, ll or z, a width (also *), '-', '0' and, for %s, a precision;
 * and %%. Numbers with a decimal point come from format_fixed: the harness has no floating point.
 */
#ifndef KERNEL_FORMAT_H
#define KERNEL_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Both return the length the whole text has, as snprintf; `buf` is always terminated if size > 0.
 */
size_t format(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
size_t format_args(char *buf, size_t size, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/* value / 10^decimals, for example format_fixed(b, n, -12345, 3) -> "-12.345". */
size_t format_fixed(char *buf, size_t size, int64_t value, unsigned decimals);

#endif
