/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the report's records: "@SD1 ", a JSON object, a space, its CRC-32C
 * (docs/report-format.md). Pure but for the function that takes the finished lines. One record at a
 * time, on one CPU.
 *
 * A key may be NULL inside an array. Strings come out as printable ASCII, anything else escaped.
 */
#ifndef KERNEL_HARNESS_RECORDS_H
#define KERNEL_HARNESS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_JSON_MAX   4000
#define RECORD_STRING_MAX 1024 /* as written; longer ones are cut and end in "..." */

struct record {
	char json[RECORD_JSON_MAX + 1];
	size_t length;
	bool comma;    /* the next member needs one before it */
	bool overflow; /* something did not fit */
	const char *type;
};

/* Where lines go, each with its "\n". Numbering starts over. */
void records_init(void (*emit)(const char *line, size_t length));

/* How many have been written. */
uint32_t records_count(void);

/* Begins a record of `type` with the next `seq`. */
void record_begin(struct record *r, const char *type);

void record_string(struct record *r, const char *key, const char *value);
void record_string_n(struct record *r, const char *key, const char *value, size_t length);
void record_unsigned(struct record *r, const char *key, uint64_t value);
void record_signed(struct record *r, const char *key, int64_t value);
void record_fixed(struct record *r, const char *key, int64_t value, unsigned decimals);
void record_bool(struct record *r, const char *key, bool value);
void record_null(struct record *r, const char *key);
void record_open(struct record *r, const char *key, char bracket); /* '{' or '[' */
void record_close(struct record *r, char bracket);                 /* '}' or ']' */

/* Bytes that still fit; a list that may be long stops in time and says how much it left out. */
size_t record_room(const struct record *r);

/*
 * Ends the record and sends its line. One that did not fit is sent as its seq, type and
 * "error":"too long", so that the loss shows.
 */
void record_end(struct record *r);

#endif
