/* SPDX-License-Identifier: BSD-2-Clause */
/* A small printf. */
#include "kernel/format.h"

#include <stdbool.h>

#include "kernel/text.h"

struct out {
	char *buf;
	size_t size, length;
};

struct spec {
	bool left, zero;
	unsigned width;
	int precision; /* -1: none */
	unsigned longs;
};

static void put(struct out *o, char c)
{
	if (o->length + 1 < o->size)
		o->buf[o->length] = c;
	o->length++;
}

static void put_padded(struct out *o, const char *text, size_t n, const struct spec *spec)
{
	size_t pad = spec->width > n ? spec->width - n : 0;

	if (!spec->left) {
		bool zero = spec->zero;

		if (zero && n && *text == '-') {
			put(o, *text++);
			n--;
		}
		while (pad) {
			put(o, zero ? '0' : ' ');
			pad--;
		}
	}
	while (n--)
		put(o, *text++);
	while (pad--)
		put(o, ' ');
}

/* Digits of `value`, written backwards to end at `end`; returns where they begin. */
static char *digits(char *end, uint64_t value, unsigned base)
{
	do {
		*--end = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return end;
}

static void put_number(struct out *o, uint64_t value, bool negative, unsigned base,
		       const struct spec *spec)
{
	char text[24], *end = text + sizeof(text), *start = digits(end, value, base);

	if (negative)
		*--start = '-';
	put_padded(o, start, end - start, spec);
}

static const char *parse_spec(const char *f, struct spec *spec, va_list *args)
{
	*spec = (struct spec){.precision = -1};
	for (;; f++) {
		if (*f == '-')
			spec->left = true;
		else if (*f == '0')
			spec->zero = true;
		else
			break;
	}
	if (*f == '*') {
		int width = va_arg(*args, int);

		spec->left |= width < 0;
		spec->width = width < 0 ? -(unsigned)width : (unsigned)width;
		f++;
	}
	while (*f >= '0' && *f <= '9')
		spec->width = spec->width * 10 + (*f++ - '0');
	if (*f == '.') {
		spec->precision = 0;
		if (*++f == '*') {
			spec->precision = va_arg(*args, int);
			f++;
		}
		while (*f >= '0' && *f <= '9')
			spec->precision = spec->precision * 10 + (*f++ - '0');
	}
	for (; *f == 'l' || *f == 'z'; f++)
		spec->longs++;
	return f;
}

static void put_converted(struct out *o, char conversion, const struct spec *spec, va_list *args)
{
	const char *s;
	int64_t d;
	char c;

	switch (conversion) {
	case 'c':
		c = va_arg(*args, int);
		put_padded(o, &c, 1, spec);
		break;
	case 's':
		s = va_arg(*args, const char *);
		put_padded(o, s,
			   text_length(s, spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision),
			   spec);
		break;
	case 'd':
		d = spec->longs ? va_arg(*args, int64_t) : va_arg(*args, int);
		put_number(o, d < 0 ? -(uint64_t)d : (uint64_t)d, d < 0, 10, spec);
		break;
	case 'u':
	case 'x':
		put_number(o, spec->longs ? va_arg(*args, uint64_t) : va_arg(*args, unsigned),
			   false, conversion == 'u' ? 10 : 16, spec);
		break;
	default:
		put(o, conversion);
	}
}

size_t format_args(char *buf, size_t size, const char *fmt, va_list args)
{
	struct out o = {buf, size, 0};
	va_list copy;

	va_copy(copy, args);
	for (const char *f = fmt; *f; f++) {
		struct spec spec;

		if (*f != '%') {
			put(&o, *f);
			continue;
		}
		f = parse_spec(f + 1, &spec, &copy);
		if (!*f)
			break;
		put_converted(&o, *f, &spec, &copy);
	}
	va_end(copy);
	if (size)
		buf[o.length < size ? o.length : size - 1] = 0;
	return o.length;
}

size_t format(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	size_t length;

	va_start(args, fmt);
	length = format_args(buf, size, fmt, args);
	va_end(args);
	return length;
}

size_t format_fixed(char *buf, size_t size, int64_t value, unsigned decimals)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t scale = 1;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	if (!decimals)
		return format(buf, size, "%s%lu", value < 0 ? "-" : "", magnitude);
	return format(buf, size, "%s%lu.%0*lu", value < 0 ? "-" : "", magnitude / scale,
		      (int)decimals, magnitude % scale);
}
