/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the records in a capture of a serial console and verifies each by itself.
 *
 * Anything may stand between and before records: other text, terminal escapes, NULs, noise. NULs
 * and escapes are taken out first, even from within a record. A record ends at a CR, an LF or the
 * end of the file, with or without blanks before. Memory is bounded whatever the file holds.
 */
#ifndef TOOLS_REPORT_LOG_H
#define TOOLS_REPORT_LOG_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_SEQ_LIMIT (1u << 16) /* no report has as many; a larger `seq` is damage */
#define LOG_SEQ_NONE  UINT32_MAX

enum log_kind {
	LOG_RECORD,
	LOG_DAMAGED, /* "@SD1 " was there, but no valid record after it */
	LOG_END,
	LOG_ERROR, /* the file can't be read; errno says why */
};

struct log_item {
	enum log_kind kind;
	uint64_t line; /* of the file, from 1; lines are counted by their LF */
	uint32_t seq;  /* of damage: as it looks, or LOG_SEQ_NONE */

	/* LOG_RECORD. An object with a "type", the log's until the next call. */
	json_t *record;
	const char *type;
	uint32_t crc;

	/* LOG_DAMAGED. A clause without a full stop, for good. */
	const char *reason;
};

struct log;

/* NULL without memory. `from` stays the caller's, and open until log_close(). */
struct log *log_open(FILE *from);

/* The next record or damage; lines that are neither are passed over. Returns item->kind. */
enum log_kind log_next(struct log *log, struct log_item *item);

/* NULL is fine. */
void log_close(struct log *log);

#endif
