/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON writer for records. */
#include "kernel/harness/records.h"

#include "kernel/format.h"
#include "kernel/harness/crc32c.h"
#include "kernel/text.h"

#define PREFIX     "@SD1 "
#define LINE_BYTES (sizeof(PREFIX) + RECORD_JSON_MAX + sizeof(" 00000000\n"))

static void (*emit_line)(const char *line, size_t length);
static uint32_t next_seq;

void records_init(void (*emit)(const char *line, size_t length))
{
	emit_line = emit;
	next_seq = 0;
}

uint32_t records_count(void)
{
	return next_seq;
}

static void put(struct record *r, const char *text, size_t n)
{
	if (n > record_room(r)) {
		r->overflow = true;
		return;
	}
	while (n--)
		r->json[r->length++] = *text++;
}

static void put_text(struct record *r, const char *text)
{
	put(r, text, text_length(text, SIZE_MAX));
}

/* One character as JSON wants it; returns its length. */
static size_t escape(unsigned char c, char out[8])
{
	if (c == '"' || c == '\\')
		return format(out, 8, "\\%c", c);
	if (c >= ' ' && c <= '~')
		return format(out, 8, "%c", c);
	return format(out, 8, "\\u%04x", c);
}

static void put_quoted(struct record *r, const char *s, size_t n)
{
	size_t written = 0;

	put(r, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		char escaped[8];
		size_t length = escape(s[i], escaped);

		written += length;
		if (written > RECORD_STRING_MAX) {
			put_text(r, "...");
			break;
		}
		put(r, escaped, length);
	}
	put(r, "\"", 1);
}

/* The comma and the key before a value. */
static void put_key(struct record *r, const char *key)
{
	if (r->comma)
		put(r, ",", 1);
	if (key) {
		put_quoted(r, key, text_length(key, SIZE_MAX));
		put(r, ":", 1);
	}
	r->comma = true;
}

size_t record_room(const struct record *r)
{
	return RECORD_JSON_MAX - r->length;
}

void record_begin(struct record *r, const char *type)
{
	r->length = 0;
	r->comma = false;
	r->overflow = false;
	r->type = type;
	record_open(r, NULL, '{');
	record_unsigned(r, "seq", next_seq);
	record_string(r, "type", type);
}

void record_string_n(struct record *r, const char *key, const char *value, size_t length)
{
	put_key(r, key);
	put_quoted(r, value, length);
}

void record_string(struct record *r, const char *key, const char *value)
{
	record_string_n(r, key, value, text_length(value, SIZE_MAX));
}

void record_unsigned(struct record *r, const char *key, uint64_t value)
{
	char text[24];

	put_key(r, key);
	put(r, text, format(text, sizeof(text), "%lu", value));
}

void record_signed(struct record *r, const char *key, int64_t value)
{
	record_fixed(r, key, value, 0);
}

void record_fixed(struct record *r, const char *key, int64_t value, unsigned decimals)
{
	char text[32];

	put_key(r, key);
	put(r, text, format_fixed(text, sizeof(text), value, decimals));
}

void record_bool(struct record *r, const char *key, bool value)
{
	put_key(r, key);
	put_text(r, value ? "true" : "false");
}

void record_null(struct record *r, const char *key)
{
	put_key(r, key);
	put_text(r, "null");
}

void record_open(struct record *r, const char *key, char bracket)
{
	put_key(r, key);
	put(r, &bracket, 1);
	r->comma = false;
}

void record_close(struct record *r, char bracket)
{
	put(r, &bracket, 1);
	r->comma = true;
}

void record_end(struct record *r)
{
	static char line[LINE_BYTES];
	size_t n;

	record_close(r, '}');
	if (r->overflow) {
		record_begin(r, r->type);
		record_string(r, "error", "too long");
		record_close(r, '}');
	}
	next_seq++;
	r->json[r->length] = 0;
	n = format(line, sizeof(line), PREFIX "%s %08x\n", r->json, crc32c(r->json, r->length));
	emit_line(line, n);
}
