/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges the sequence of records: seq, counts, end. */
#include "tools/report/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const result_names[VERDICT_RESULTS] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_FAIL] = "fail",
	[VERDICT_SKIP] = "skip",
	[VERDICT_XFAIL] = "xfail",
};

static const char *const part_types[VERDICT_PARTS] = {
	[VERDICT_RUN] = "run",   [VERDICT_MACHINE] = "machine", [VERDICT_CPU] = "cpu",
	[VERDICT_CPUS] = "cpus", [VERDICT_CLOCK] = "clock",     [VERDICT_END] = "end",
};

struct verdict *verdict_new(void)
{
	return calloc(1, sizeof(struct verdict));
}

static void drop_records(struct verdict *v)
{
	for (size_t i = 0; i < VERDICT_PARTS; i++)
		json_decref(v->parts[i]);
	for (size_t i = 0; i < v->nr_failed; i++)
		json_decref(v->failed[i]);
}

void verdict_free(struct verdict *v)
{
	if (!v)
		return;
	drop_records(v);
	free(v);
}

__attribute__((format(printf, 2, 3))) static void problem(struct verdict *v, const char *fmt, ...)
{
	va_list args;

	if (v->nr_problems < VERDICT_PROBLEM_MAX) {
		va_start(args, fmt);
		vsnprintf(v->problems[v->nr_problems], VERDICT_TEXT_MAX, fmt, args);
		va_end(args);
	}
	v->nr_problems++;
}

static void add_damage(struct verdict *v, const struct log_item *item)
{
	v->begun = true;
	if (item->seq == LOG_SEQ_NONE)
		problem(v, "line %" PRIu64 ": a damaged record: %s", item->line, item->reason);
	else
		problem(v, "line %" PRIu64 ": damaged, as it seems record %u: %s", item->line,
			item->seq, item->reason);
}

static bool is_seen(const struct verdict *v, uint32_t seq)
{
	return v->boots[seq] == v->earlier + 1;
}

static bool is_copy(const struct verdict *v, const struct log_item *item)
{
	return is_seen(v, item->seq) && v->crcs[item->seq] == item->crc;
}

static bool begins_boot(const struct verdict *v, const struct log_item *item)
{
	if (!v->begun)
		return false;
	/* Record 0 right after itself is a doubled line; a boot takes longer. */
	if (item->seq == 0)
		return !(is_copy(v, item) && v->records == 1);
	return is_seen(v, item->seq) && !is_copy(v, item);
}

static void begin_boot(struct verdict *v)
{
	uint64_t earlier = v->earlier + 1;

	drop_records(v);
	/* What came in earlier boots stays, and counts for nothing: a log may hold very many. */
	memset(v, 0, offsetof(struct verdict, crcs));
	v->earlier = earlier;
}

static void add_missing(struct verdict *v, const struct log_item *item)
{
	uint32_t first = v->expected, last = item->seq - 1;

	if (first == last)
		problem(v, "line %" PRIu64 ": record %u is missing before this", item->line, first);
	else
		problem(v, "line %" PRIu64 ": records %u to %u are missing before this", item->line,
			first, last);
}

/* Its place in the sequence. False for a copy, which counts for nothing. */
static bool add_seq(struct verdict *v, const struct log_item *item)
{
	if (is_seen(v, item->seq)) {
		problem(v, "line %" PRIu64 ": record %u comes again", item->line, item->seq);
		return false;
	}
	if (item->seq > v->expected)
		add_missing(v, item);
	else if (item->seq < v->expected)
		problem(v, "line %" PRIu64 ": record %u is out of order", item->line, item->seq);
	v->boots[item->seq] = v->earlier + 1;
	v->crcs[item->seq] = item->crc;
	v->records++;
	if (item->seq >= v->expected)
		v->expected = item->seq + 1;
	return true;
}

static void add_check(struct verdict *v, const struct log_item *item)
{
	const char *name = json_string_value(json_object_get(item->record, "result"));
	size_t result = 0;

	while (result < VERDICT_RESULTS && !(name && !strcmp(name, result_names[result])))
		result++;
	if (result == VERDICT_RESULTS) {
		problem(v, "line %" PRIu64 ": a check without a known result", item->line);
		return;
	}
	v->counts[result]++;
	if (result == VERDICT_FAIL && v->nr_failed < VERDICT_FAILED_MAX)
		v->failed[v->nr_failed++] = json_incref(item->record);
}

static void keep_part(struct verdict *v, const struct log_item *item)
{
	for (size_t i = 0; i < VERDICT_PARTS; i++) {
		if (!v->parts[i] && !strcmp(item->type, part_types[i]))
			v->parts[i] = json_incref(item->record);
	}
}

/* What the harness sends in place of a record that did not fit (record_end()). */
static bool is_stub(const json_t *record)
{
	const char *error = json_string_value(json_object_get(record, "error"));

	return error && !strcmp(error, "too long");
}

static void add_content(struct verdict *v, const struct log_item *item)
{
	if (v->parts[VERDICT_END])
		problem(v, "line %" PRIu64 ": record %u comes after the end", item->line,
			item->seq);
	if ((item->seq == 0) != !strcmp(item->type, "run"))
		problem(v, "line %" PRIu64 ": record %u should%s be of type run", item->line,
			item->seq, item->seq ? " not" : "");
	if (is_stub(item->record))
		problem(v, "line %" PRIu64 ": record %u was too long to be sent", item->line,
			item->seq);
	else if (!strcmp(item->type, "check"))
		add_check(v, item);
	else if (!strcmp(item->type, "skip"))
		v->counts[VERDICT_SKIP]++;
	else
		keep_part(v, item);
}

void verdict_add(struct verdict *v, const struct log_item *item)
{
	if (item->kind == LOG_DAMAGED) {
		add_damage(v, item);
		return;
	}
	if (begins_boot(v, item))
		begin_boot(v);
	v->begun = true;
	if (add_seq(v, item))
		add_content(v, item);
}

/* A member of the end record; -1 where it is no count. */
static json_int_t end_count(const struct verdict *v, const char *key)
{
	const json_t *value = json_object_get(v->parts[VERDICT_END], key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void check_end(struct verdict *v)
{
	json_int_t seq = end_count(v, "seq"), records = end_count(v, "records");

	if (records != seq + 1)
		problem(v,
			"the end counts %" JSON_INTEGER_FORMAT
			" records, but is itself record %" JSON_INTEGER_FORMAT,
			records, seq);
	for (size_t i = 0; i < VERDICT_RESULTS; i++) {
		json_int_t count = end_count(v, result_names[i]);

		if (count != v->counts[i])
			problem(v, "the end counts %" JSON_INTEGER_FORMAT " %s, the records %u",
				count, result_names[i], v->counts[i]);
	}
}

void verdict_finish(struct verdict *v)
{
	if (!v->records)
		return;
	if (v->parts[VERDICT_END])
		check_end(v);
	else
		problem(v, "there is no end: the last record is %u", v->expected - 1);
}

bool verdict_whole(const struct verdict *v)
{
	return v->records && !v->nr_problems;
}
