/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects a log's last boot, and finds its rows. */
#define _GNU_SOURCE /* asprintf */
#include "tools/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/log.h"

const char *const row_type_names[ROW_KINDS] = {
	[ROW_BENCH] = "bench",         [ROW_RATE] = "rate",     [ROW_MATRIX] = "matrix",
	[ROW_RETENTION] = "retention", [ROW_ADVICE] = "advice", [ROW_CHECK] = "check",
	[ROW_SKIP] = "skip",
};

const char *record_text(const json_t *record, const char *key)
{
	return json_string_value(json_object_get(record, key));
}

bool record_number(const json_t *record, const char *key, double *value)
{
	const json_t *number = json_object_get(record, key);

	if (!json_is_number(number) || !isfinite(json_number_value(number)))
		return false;
	*value = json_number_value(number);
	return true;
}

bool record_pair(const json_t *record, const char *key, double *lo, double *hi)
{
	const json_t *pair = json_object_get(record, key);
	const json_t *first = json_array_get(pair, 0), *second = json_array_get(pair, 1);

	if (!json_is_number(first) || !json_is_number(second))
		return false;
	*lo = json_number_value(first);
	*hi = json_number_value(second);
	return *lo <= *hi;
}

const json_t *report_part(const struct report *r, enum verdict_part part)
{
	return r->verdict->parts[part];
}

static bool is_modelled(const json_t *record)
{
	return json_is_true(json_object_get(record, "modelled"));
}

/* What a tick counts for in a unit; 0 where it is not known. */
static double unit_per_tick(const struct report *r, enum report_unit unit)
{
	switch (unit) {
	case UNIT_TICKS:
		return 1;
	case UNIT_NS:
		return r->tsc_hz > 0 ? 1e9 / r->tsc_hz : 0;
	default:
		return 0;
	}
}

/* What has the row's figures in a unit, and how they are scaled; NULL where it has none. */
static const json_t *row_figures(const struct report *r, const struct row *row,
				 enum report_unit unit, double *scale)
{
	*scale = unit == UNIT_CORE ? 1 : unit_per_tick(r, unit);
	if (row->kind != ROW_BENCH || row->modelled || !*scale)
		return NULL;
	return unit == UNIT_CORE ? json_object_get(row->record, "core") : row->record;
}

bool row_time(const struct report *r, const struct row *row, const char *key, enum report_unit unit,
	      double *value)
{
	double scale;

	if (!record_number(row_figures(r, row, unit, &scale), key, value))
		return false;
	*value *= scale;
	return isfinite(*value);
}

bool row_interval(const struct report *r, const struct row *row, bool net, enum report_unit unit,
		  double *lo, double *hi)
{
	double scale, baseline = 0;
	const json_t *figures = row_figures(r, row, unit, &scale);

	if (!record_pair(figures, "ci", lo, hi) ||
	    (net && !record_number(figures, "baseline", &baseline)))
		return false;
	*lo = (*lo - baseline) * scale;
	*hi = (*hi - baseline) * scale;
	return isfinite(*lo) && isfinite(*hi);
}

double row_scale(const struct report *r, const struct row *row, enum report_unit unit)
{
	const char *own = record_text(row->record, "unit");

	return own && !strcmp(own, "tsc") ? unit_per_tick(r, unit) : 1;
}

const struct row *report_find(const struct report *r, const char *id)
{
	const json_t *place = json_object_get(r->places, id);

	return place ? &r->rows[json_integer_value(place)] : NULL;
}

bool same_group(const struct row *a, const struct row *b)
{
	return a->group_length == b->group_length && !memcmp(a->name, b->name, a->group_length);
}

/*
 * A CPU runs at about the frequency its CPUID says. One that seems to run at half of it, or twice,
 * is simulated, and so is the time.
 */
static bool clocks_disagree(const struct report *r)
{
	const json_t *checks = json_object_get(report_part(r, VERDICT_CLOCK), "checks");
	size_t i;
	json_t *check;

	json_array_foreach((json_t *)checks, i, check)
	{
		const char *source = record_text(check, "source");
		double hz;

		if (source && !strncmp(source, "CPUID", 5) && record_number(check, "hz", &hz) &&
		    r->tsc_hz > 0 && (hz > 2 * r->tsc_hz || hz < r->tsc_hz / 2))
			return true;
	}
	return false;
}

/* Machines that are no CPU: by the hypervisor's signature, or by what SMBIOS and CPUID say. */
static const char *find_emulator(const struct report *r)
{
	static const struct {
		enum verdict_part part;
		const char *key, *text, *emulator;
	} signs[] = {
		{VERDICT_RUN, "hypervisor", "TCGTCGTCGTCG", "QEMU TCG"},
		{VERDICT_CPU, "brand", "QEMU TCG", "QEMU TCG"},
		{VERDICT_RUN, "hypervisor", "Bochs", "Bochs"},
		{VERDICT_CPU, "brand", "Bochs", "Bochs"},
		{VERDICT_MACHINE, "vendor", "Bochs", "Bochs"},
		{VERDICT_MACHINE, "bios", "Bochs", "Bochs"},
		{VERDICT_MACHINE, "product", "Bochs", "Bochs"},
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *text = record_text(report_part(r, signs[i].part), signs[i].key);

		if (text && strstr(text, signs[i].text))
			return signs[i].emulator;
	}
	return clocks_disagree(r) ? "one that gives no name" : NULL;
}

/* Without quotes where it is a string. NULL without memory. */
static char *value_text(const json_t *value)
{
	return json_is_string(value)
		       ? strdup(json_string_value(value))
		       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS |
						   JSON_ENSURE_ASCII);
}

char *params_text(const json_t *params, const json_t *common)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	const char *key;
	json_t *value;

	if (!to)
		return NULL;
	json_object_foreach((json_t *)params, key, value)
	{
		const json_t *same = json_object_get(common, key);
		char *printed = same && json_equal(same, value) ? NULL : value_text(value);

		if (printed)
			fprintf(to, "%s%s=%s", ftell(to) ? " " : "", key, printed);
		free(printed);
	}
	return fclose(to) ? NULL : text;
}

/* Without the number that tells equal ones apart. */
static char *plain_id(const struct row *row)
{
	json_t *id = json_array();
	const json_t *params = json_object_get(row->record, "params");
	json_t *matrix_row = json_object_get(row->record, "row");
	char *text;

	json_array_append_new(id, json_string(row_type_names[row->kind]));
	json_array_append_new(id, json_string(row->name));
	if (json_object_size(params))
		json_array_append(id, (json_t *)params);
	if (row->kind == ROW_MATRIX && matrix_row)
		json_array_append(id, matrix_row);
	text = json_dumps(id, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
	json_decref(id);
	return text;
}

/* `counts` has how often each plain id came. Takes `plain`. */
static char *number_id(char *plain, json_t *counts)
{
	json_int_t n;
	char *numbered;

	if (!plain)
		return NULL;
	n = json_integer_value(json_object_get(counts, plain)) + 1;
	if (json_object_set_new(counts, plain, json_integer(n)) || n == 1)
		return plain;
	if (asprintf(&numbered, "%s#%" JSON_INTEGER_FORMAT, plain, n) < 0)
		numbered = NULL;
	free(plain);
	return numbered;
}

static enum row_kind kind_of(const json_t *record)
{
	const char *type = record_text(record, "type");
	enum row_kind kind = 0;

	while (kind < ROW_KINDS && strcmp(type, row_type_names[kind]))
		kind++;
	return kind;
}

/* False where the record is none. Without memory the row has no id. */
static bool make_row(struct row *row, const json_t *record, json_t *counts)
{
	enum row_kind kind = kind_of(record);
	const char *name = kind < ROW_KINDS
				   ? record_text(record, kind == ROW_ADVICE ? "tunable" : "name")
				   : NULL;

	if (!name)
		return false;
	*row = (struct row){.kind = kind,
			    .record = record,
			    .name = name,
			    .group_length = strcspn(name, "/"),
			    .params = params_text(json_object_get(record, "params"), NULL),
			    .modelled = is_modelled(record)};
	row->id = number_id(plain_id(row), counts);
	return true;
}

static bool make_rows(struct report *r)
{
	json_t *counts = json_object();
	bool good;

	r->rows = calloc(r->nr_records + 1, sizeof(r->rows[0]));
	r->places = json_object();
	good = counts && r->rows && r->places;
	for (size_t i = 0; good && i < r->nr_records; i++) {
		struct row *row = &r->rows[r->nr_rows];

		if (!make_row(row, r->records[i], counts))
			continue;
		good = row->params && row->id &&
		       !json_object_set_new(r->places, row->id, json_integer(r->nr_rows));
		r->nr_rows++;
	}
	json_decref(counts);
	return good;
}

static void drop_records(struct report *r)
{
	for (size_t i = 0; i < r->nr_records; i++)
		json_decref(r->records[i]);
	r->nr_records = 0;
}

static bool keep_record(struct report *r, json_t *record)
{
	size_t n = r->nr_records;

	/* Room doubles at each power of two. */
	if (!(n & (n - 1))) {
		json_t **more = realloc(r->records, (n ? 2 * n : 1) * sizeof(more[0]));

		if (!more)
			return false;
		r->records = more;
	}
	r->records[r->nr_records++] = json_incref(record);
	return true;
}

/* What the verdict takes for news of the last boot is kept, and what it drops is dropped. */
static bool take_item(struct report *r, const struct log_item *item)
{
	uint64_t earlier = r->verdict->earlier;
	uint32_t records = r->verdict->records;

	verdict_add(r->verdict, item);
	if (r->verdict->earlier != earlier) {
		drop_records(r);
		records = 0;
	}
	return r->verdict->records == records || keep_record(r, item->record);
}

/* False and errno where it can't be read, or without memory. */
static bool take_items(struct report *r, struct log *log)
{
	struct log_item item;

	while (log_next(log, &item) < LOG_END) {
		if (!take_item(r, &item))
			return false;
	}
	if (item.kind == LOG_ERROR)
		return false;
	verdict_finish(r->verdict);
	return true;
}

static int by_seq(const void *a, const void *b)
{
	json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "seq"));
	json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "seq"));

	return (x > y) - (x < y);
}

static bool read_into(struct report *r, FILE *from, const char *name)
{
	struct log *log = log_open(from);
	bool good;

	r->verdict = verdict_new();
	r->file = strdup(name);
	good = log && r->verdict && r->file && take_items(r, log);
	log_close(log);
	if (!good)
		return false;
	if (r->nr_records)
		qsort(r->records, r->nr_records, sizeof(r->records[0]), by_seq);
	record_number(report_part(r, VERDICT_CLOCK), "tsc_hz", &r->tsc_hz);
	r->emulator = find_emulator(r);
	return make_rows(r);
}

struct report *report_read(FILE *from, const char *name)
{
	struct report *r = calloc(1, sizeof(*r));

	errno = 0;
	if (r && !read_into(r, from, name)) {
		int error = errno ? errno : ENOMEM;

		report_free(r);
		errno = error;
		return NULL;
	}
	return r;
}

struct report *report_load(const char *path)
{
	struct report *r;
	FILE *from;

	if (!strcmp(path, "-"))
		return report_read(stdin, "standard input");
	from = fopen(path, "r");
	if (!from)
		return NULL;
	r = report_read(from, path);
	fclose(from);
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_rows; i++) {
		free(r->rows[i].params);
		free(r->rows[i].id);
	}
	free(r->rows);
	json_decref(r->places);
	drop_records(r);
	free(r->records);
	verdict_free(r->verdict);
	free(r->file);
	free(r);
}
