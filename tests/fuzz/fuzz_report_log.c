/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the input as a captured console and judges it, as shootdown-report does. */
#include <stdio.h>

#include "tests/fuzz/records.h"
#include "tools/report/log.h"
#include "tools/report/verdict.h"

static void check_item(const struct log_item *item)
{
	if (item->kind == LOG_RECORD) {
		must(item->seq < LOG_SEQ_LIMIT);
		must(json_is_object(item->record) && item->type);
	} else {
		must(item->kind == LOG_DAMAGED && item->reason);
		must(item->seq < LOG_SEQ_LIMIT || item->seq == LOG_SEQ_NONE);
	}
}

static void check_verdict(const struct verdict *v)
{
	must(v->records <= v->expected && v->expected <= LOG_SEQ_LIMIT);
	must(v->nr_failed <= VERDICT_FAILED_MAX && v->nr_failed <= v->counts[VERDICT_FAIL]);
	/* A whole report has all that its end says: nothing is missing, nothing came twice. */
	if (verdict_whole(v))
		must(v->parts[VERDICT_END] && v->records == v->expected);
}

static void judge(FILE *capture)
{
	struct log *log = log_open(capture);
	struct verdict *v = verdict_new();
	struct log_item item;

	must(log && v);
	while (log_next(log, &item) < LOG_END) {
		check_item(&item);
		verdict_add(v, &item);
	}
	must(item.kind == LOG_END);
	verdict_finish(v);
	check_verdict(v);
	verdict_free(v);
	log_close(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	FILE *capture = bytes ? fmemopen((void *)data, bytes, "rb") : NULL;

	if (!capture)
		return -1;
	judge(capture);
	fclose(capture);
	return 0;
}
