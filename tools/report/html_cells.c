/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells of a page's tables. */
#include "tools/report/html.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"

static void begin(struct page *page, const char *label)
{
	fprintf(page->to, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
	put_text(page->to, label);
	fprintf(page->to, "\">\n<table>\n");
}

void table_open(struct page *page, const char *label)
{
	begin(page, label);
	fprintf(page->to, "<thead>\n<tr>");
}

void headless_table_open(struct page *page, const char *label)
{
	begin(page, label);
	fprintf(page->to, "<tbody>\n");
}

void table_body(struct page *page)
{
	fprintf(page->to, "</tr>\n</thead>\n<tbody>\n");
}

void table_close(struct page *page)
{
	fprintf(page->to, "</tbody>\n</table>\n</div>\n");
}

void row_open(struct page *page)
{
	fprintf(page->to, "<tr>");
}

void row_close(struct page *page)
{
	fprintf(page->to, "</tr>\n");
}

void head_cell(struct page *page, const char *text, bool number)
{
	if (!*text) {
		text_cell(page, text);
		return;
	}
	fprintf(page->to, "<th scope=\"col\"%s>", number ? " class=\"n\"" : "");
	put_text(page->to, text);
	fprintf(page->to, "</th>");
}

void class_cell(struct page *page, const char *class_name, const char *text)
{
	fprintf(page->to, "<td class=\"%s\">", class_name);
	put_text(page->to, text);
	fprintf(page->to, "</td>");
}

void row_head(struct page *page, const char *text)
{
	fprintf(page->to, "<th scope=\"row\">");
	put_text(page->to, text);
	fprintf(page->to, "</th>");
}

void text_cell(struct page *page, const char *text)
{
	fprintf(page->to, "<td>");
	put_text(page->to, text);
	fprintf(page->to, "</td>");
}

void number_cell(struct page *page, bool there, double value)
{
	class_cell(page, "n", there ? figure(value).text : "-");
}

void member_cell(struct page *page, const json_t *record, const char *key)
{
	double value = 0;
	bool there = record_number(record, key, &value);

	number_cell(page, there, value);
}

void interval_cell(struct page *page, bool there, double lo, double hi)
{
	char text[64] = "-";

	if (there)
		snprintf(text, sizeof(text), "[%s, %s]", figure(lo).text, figure(hi).text);
	class_cell(page, "n", text);
}

void head_cells(struct page *page, const char *const *titles, size_t n, bool numbers)
{
	for (size_t i = 0; i < n; i++)
		head_cell(page, titles[i], numbers);
}
