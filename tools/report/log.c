/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes lines out of a capture, records out of lines. */
#define _GNU_SOURCE /* memmem */
#include "tools/report/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/harness/crc32c.h"
#include "kernel/harness/records.h"

#define BLOCK_BYTES   (64 * 1024)
#define LINE_BYTES    (64 * 1024)
#define CRC_DIGITS    8
#define TRAILER_BYTES (1 + CRC_DIGITS) /* a space and the CRC */

static const char prefix[] = "@SD1 ";

#define PREFIX_BYTES (sizeof(prefix) - 1)
#define WINDOW_BYTES (2 * RECORD_JSON_MAX) /* at the end of a full buffer; more than a record */

/* Where in a terminal escape the last byte left us. */
enum escape {
	ESCAPE_NONE,
	ESCAPE_BEGUN,
	ESCAPE_CSI,
	ESCAPE_STRING, /* OSC and the like: up to BEL, or to ST, which is an escape itself */
};

struct log {
	FILE *from;
	unsigned char block[BLOCK_BYTES];
	size_t block_at, block_length;
	bool at_end;
	int error; /* errno of a failed read, or 0 */

	enum escape escape;
	char line[LINE_BYTES]; /* without escapes and NULs */
	size_t length;
	size_t ready;  /* this much of it is searched now, the rest with what follows */
	size_t at;     /* searched up to here */
	bool searched; /* there was a prefix in it already */
	uint64_t number, next_number;

	json_t *record;
};

struct log *log_open(FILE *from)
{
	struct log *log = calloc(1, sizeof(*log));

	if (log) {
		log->from = from;
		log->next_number = 1;
	}
	return log;
}

void log_close(struct log *log)
{
	if (!log)
		return;
	json_decref(log->record);
	free(log);
}

static int next_byte(struct log *log)
{
	if (log->block_at == log->block_length) {
		if (log->at_end)
			return EOF;
		log->block_at = 0;
		log->block_length = fread(log->block, 1, BLOCK_BYTES, log->from);
		log->at_end = log->block_length < BLOCK_BYTES;
		if (ferror(log->from))
			log->error = errno;
		if (!log->block_length)
			return EOF;
	}
	return log->block[log->block_at++];
}

/* False for bytes that a terminal would not show as text. ECMA-48, 5.3 and 5.4. */
static bool is_text(enum escape *escape, unsigned char c)
{
	if (!c)
		return false;
	if (c == 0x1b) {
		*escape = ESCAPE_BEGUN;
		return false;
	}
	switch (*escape) {
	case ESCAPE_NONE:
		return true;
	case ESCAPE_BEGUN:
		if (c == '[')
			*escape = ESCAPE_CSI;
		else if (strchr("]PX^_", c))
			*escape = ESCAPE_STRING;
		else if (c < ' ' || c > '/')
			*escape = ESCAPE_NONE;
		break;
	case ESCAPE_CSI:
		if (c < ' ' || c > '?')
			*escape = ESCAPE_NONE;
		break;
	case ESCAPE_STRING:
		if (c == '\a')
			*escape = ESCAPE_NONE;
		break;
	}
	return false;
}

/* How much of a full buffer to search: a record that may go on after it is left for later. */
static size_t split(const struct log *log)
{
	const char *tail = log->line + LINE_BYTES - WINDOW_BYTES;
	const char *found = memmem(tail, WINDOW_BYTES, prefix, PREFIX_BYTES);

	return found ? (size_t)(found - log->line) : LINE_BYTES - (PREFIX_BYTES - 1);
}

/* Reads up to the end of a line or until the buffer is full. */
static void fill_line(struct log *log)
{
	while (log->length < LINE_BYTES) {
		int c = next_byte(log);

		if (c == EOF || c == '\n' || c == '\r') {
			log->ready = log->length;
			log->next_number += c == '\n';
			/* A garbled escape must not swallow what follows. */
			log->escape = ESCAPE_NONE;
			return;
		}
		if (is_text(&log->escape, c))
			log->line[log->length++] = c;
	}
	log->ready = split(log);
}

/* False at the end of the file. */
static bool next_line(struct log *log)
{
	log->length -= log->ready;
	memmove(log->line, log->line + log->ready, log->length);
	log->ready = 0;
	log->at = 0;
	log->searched = false;
	log->number = log->next_number;
	if (log->at_end && log->block_at == log->block_length && !log->length)
		return false;
	fill_line(log);
	return true;
}

/* A space and a CRC. */
static bool is_trailer(const char *text)
{
	if (*text++ != ' ')
		return false;
	for (int i = 0; i < CRC_DIGITS; i++) {
		if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
			return false;
	}
	return true;
}

/* Up to the next prefix only: a line may hold very many. */
static bool has_inner_trailer(const char *text, size_t n)
{
	for (size_t i = 1; i + TRAILER_BYTES <= n; i++) {
		if (text[i - 1] == '}' && is_trailer(text + i))
			return true;
		if (!memcmp(text + i, prefix, PREFIX_BYTES))
			return false;
	}
	return false;
}

static uint32_t trailer_crc(const char *trailer)
{
	char digits[CRC_DIGITS + 1] = "";

	memcpy(digits, trailer + 1, CRC_DIGITS);
	return strtoul(digits, NULL, 16);
}

static bool is_printable(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return true;
}

/* What is wrong with the members every record has, or NULL; fills in `item`. */
static const char *read_members(const json_t *record, struct log_item *item)
{
	const json_t *seq = json_object_get(record, "seq");
	json_int_t value = json_integer_value(seq);

	item->type = json_string_value(json_object_get(record, "type"));
	if (!json_is_integer(seq) || value < 0 || value >= LOG_SEQ_LIMIT)
		return "its seq is not a number in range";
	item->seq = value;
	return item->type ? NULL : "it has no type";
}

/* What is wrong with text that does not end in the CRC of all before it. */
static const char *explain_text(const char *text, size_t n)
{
	bool trailer = n >= TRAILER_BYTES && is_trailer(text + n - TRAILER_BYTES);

	if (has_inner_trailer(text, trailer ? n - TRAILER_BYTES : n))
		return "something follows its CRC";
	if (!trailer)
		return "it is cut, or its CRC is garbled";
	return n > RECORD_JSON_MAX + TRAILER_BYTES ? "it is too long" : "its CRC is wrong";
}

static bool crc_holds(const char *text, size_t n, uint32_t *crc)
{
	if (n < TRAILER_BYTES || n > RECORD_JSON_MAX + TRAILER_BYTES)
		return false;
	n -= TRAILER_BYTES;
	if (!is_trailer(text + n))
		return false;
	*crc = trailer_crc(text + n);
	return crc32c(text, n) == *crc;
}

/* What is wrong with the text after a prefix, or NULL; fills in `item`, but for its seq if wrong.
 */
static const char *read_record(struct log *log, struct log_item *item, const char *text, size_t n)
{
	size_t json_bytes;

	if (!crc_holds(text, n, &item->crc))
		return explain_text(text, n);
	json_bytes = n - TRAILER_BYTES;
	if (!is_printable(text, json_bytes))
		return "it is not printable ASCII";
	log->record = json_loadb(text, json_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (!log->record)
		return "its JSON is broken";
	item->record = log->record;
	return read_members(log->record, item);
}

/* The seq of a damaged record, where its head looks as it should. */
static uint32_t apparent_seq(const char *text, size_t n)
{
	static const char head[] = "{\"seq\":";
	size_t i = sizeof(head) - 1, first = i;
	uint32_t seq = 0;

	if (n < i || memcmp(text, head, i))
		return LOG_SEQ_NONE;
	for (; i < n && text[i] >= '0' && text[i] <= '9' && seq < LOG_SEQ_LIMIT; i++)
		seq = seq * 10 + (text[i] - '0');
	/* Without the comma the number may be cut. */
	return i > first && i < n && text[i] == ',' && seq < LOG_SEQ_LIMIT ? seq : LOG_SEQ_NONE;
}

static size_t trimmed(const char *text, size_t n)
{
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return n;
}

/* The next prefix in the line. Inside a damaged record it counts only where a record follows. */
static const char *find_prefix(struct log *log)
{
	const char *end = log->line + log->ready, *p = log->line + log->at;

	while ((p = memmem(p, end - p, prefix, PREFIX_BYTES))) {
		p += PREFIX_BYTES;
		if (!log->searched || (p < end && *p == '{'))
			break;
	}
	log->at = p ? (size_t)(p - log->line) : log->ready;
	log->searched = true;
	return p;
}

/* False where the line has no more. */
static bool next_item(struct log *log, struct log_item *item)
{
	const char *text = find_prefix(log);
	size_t n;

	if (!text)
		return false;
	*item = (struct log_item){.line = log->number};
	n = trimmed(text, log->line + log->ready - text);
	item->reason = read_record(log, item, text, n);
	item->kind = item->reason ? LOG_DAMAGED : LOG_RECORD;
	if (item->reason) {
		item->seq = apparent_seq(text, n);
		item->record = NULL;
		item->type = NULL;
	} else {
		log->at = log->ready;
	}
	return true;
}

static void drop_record(struct log *log)
{
	json_decref(log->record);
	log->record = NULL;
}

enum log_kind log_next(struct log *log, struct log_item *item)
{
	drop_record(log);
	while (!next_item(log, item)) {
		if (next_line(log))
			continue;
		errno = log->error;
		*item = (struct log_item){.kind = log->error ? LOG_ERROR : LOG_END};
		break;
	}
	return item->kind;
}
