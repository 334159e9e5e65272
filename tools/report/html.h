/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a page. */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/report/input.h"
#include "tools/report/plots.h"

struct page {
	FILE *to;
	const struct input *in;
	const struct plots *plots;
	unsigned pictures; /* drawn so far */
	char missing[200]; /* why some are not; "" while there is none */
	unsigned nr_missing;
	unsigned failures; /* to draw */
};

void html_style(FILE *to);

/* Pictures by sections, with what was published beside them. */
void html_pictures(struct page *page);

/* All tables of a report but its skips. */
void html_tables(struct page *page, size_t report);

/* What two or more reports have of the same, side by side. */
void html_comparison(struct page *page);

/* The checks that failed, expected or not. */
void html_failures(struct page *page, size_t report);

void html_skips(struct page *page, size_t report);

/* For the files that write them. A report as it is called in a heading: "A: CPU, file". */
void html_name(struct page *page, size_t report);

/* Whether a heading of a report's own stands above its tables: theirs are a level lower then. */
bool html_named(const struct page *page);

/* A table that scrolls by itself where it is too wide. Its head follows, as cells of a row. */
void table_open(struct page *page, const char *label);
void headless_table_open(struct page *page, const char *label); /* its body follows */
void table_body(struct page *page);                             /* ends the head */
void table_close(struct page *page);
void row_open(struct page *page);
void row_close(struct page *page);
/* Without text it is an empty corner. */
void head_cell(struct page *page, const char *text, bool number);
void head_cells(struct page *page, const char *const *titles, size_t n, bool numbers);
void row_head(struct page *page, const char *text);
void class_cell(struct page *page, const char *class_name, const char *text);
void text_cell(struct page *page, const char *text);
void number_cell(struct page *page, bool there, double value);
void member_cell(struct page *page, const json_t *record, const char *key);
void interval_cell(struct page *page, bool there, double lo, double hi);

#endif
