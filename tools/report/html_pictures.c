/* SPDX-License-Identifier: BSD-2-Clause */
/* The pictures of a page, what they show in words, and what was published of the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/html.h"
#include "tools/report/interval.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"
#include "tools/report/picture.h"
#include "tools/report/places.h"

#define PICTURES_MAX 200 /* no real report has as many */
#define FAILURES_MAX 3   /* then gnuplot is not waited for again */

static const struct section {
	const char *title, *text;
} sections[SECTIONS] = {
	[SECTION_SCALING] =
		{"Shootdowns over CPUs",
		 "How often all CPUs together map, touch and unmap while each unmapping must reach "
		 "the others, a line for each flush policy. More is better; bars are 95% intervals."},
	[SECTION_PRIVATE] =
		{"Local while private, against always everywhere",
		 "The same for memory that no other CPU has used: what it is worth to know that. "
		 "More is better."},
	[SECTION_RATES] = {"Rates over CPUs",
			   "How often something went per second, all CPUs together. More is "
			   "better; bars are 95% intervals."},
	[SECTION_MATRIX] =
		{"From CPU to CPU",
		 "Medians between each two CPUs, which are sorted by package (P), last-level cache "
		 "(L) and core."},
	[SECTION_RANGE] =
		{"Flushing a range",
		 "Page by page against everything at once, over the pages of a range, what it costs "
		 "to refill included. The dashed line is where the program advises to change over."},
	[SECTION_SWEEP] = {"Costs over a parameter",
			   "Medians without the empty section; bars are 95% intervals."},
	[SECTION_SPREAD] =
		{"Distributions",
		 "The whole section, one operation in it. Line: least to greatest sample. Thin bar: "
		 "5% to 95%. Thick bar: 25% to 75%. Tick: the median. Dotted: the empty section."},
};

static void put_missing(struct page *page, const char *why)
{
	fprintf(page->to, "<p class=\"missing\">No picture: ");
	put_text(page->to, why);
	fprintf(page->to, ". The figures are in the tables.</p>\n");
	page->nr_missing++;
}

/* False where the page has as many as it may. */
static bool put_picture(struct page *page, const struct plot *plot)
{
	char why[sizeof(page->missing)];

	if (page->pictures >= PICTURES_MAX) {
		put_missing(page, "there are too many for a page");
		return false;
	}
	if (page->failures >= FAILURES_MAX && plot->kind != PLOT_HEAT) {
		put_missing(page, page->missing);
		return true;
	}
	if (picture_draw(page->to, plot, ++page->pictures, PICTURE_IN_PAGE, why, sizeof(why)))
		return true;
	put_missing(page, why);
	memcpy(page->missing, why, sizeof(why));
	page->failures++;
	return true;
}

static const struct published *published_of(const struct plot *plot)
{
	for (size_t i = 0; i < NR_PUBLISHED; i++) {
		if (!strcmp(plot->name, published[i].name))
			return &published[i];
	}
	return NULL;
}

static void put_published(struct page *page, const struct published *table)
{
	table_open(page, table->title);
	head_cell(page, table->x_title, true);
	head_cell(page, table->ways[0], true);
	head_cell(page, table->ways[1], true);
	head_cell(page, "ratio", true);
	table_body(page);
	for (size_t i = 0; i < table->n; i++) {
		const double *row = table->rows[i];

		row_open(page);
		number_cell(page, true, row[0]);
		number_cell(page, true, row[1] * table->factor);
		number_cell(page, true, row[2] * table->factor);
		number_cell(page, true, row[2] / row[1]);
		row_close(page);
	}
	table_close(page);
}

/* The values between CPUs, by how near those are to each other. */
struct pairs {
	double *values[RELATIONS];
	size_t n[RELATIONS];
};

static void add_pair(struct pairs *pairs, enum relation relation, double value)
{
	size_t n = pairs->n[relation]++;

	/* Room doubles at each power of two. */
	if (!(n & (n - 1)))
		pairs->values[relation] = must_have(
			realloc(pairs->values[relation], (n ? 2 * n : 1) * sizeof(double)));
	pairs->values[relation][n] = value;
}

static struct pairs find_pairs(const struct places *p)
{
	struct pairs pairs = {0};

	for (size_t i = 0; i < p->n; i++) {
		for (size_t j = 0; p->rows[i] && j < p->n; j++) {
			if (!isnan(p->rows[i][j]))
				add_pair(&pairs, relation_of(&p->places[i], &p->places[j]),
					 p->rows[i][j]);
		}
	}
	return pairs;
}

static void relation_row(struct page *page, enum relation relation, double *values, size_t n)
{
	double middle = median(values, n);

	row_open(page);
	row_head(page, relation_names[relation]);
	number_cell(page, true, n);
	number_cell(page, true, values[0]);
	number_cell(page, true, middle);
	number_cell(page, true, values[n - 1]);
	row_close(page);
}

static void put_relations(struct page *page, const struct plot *plot)
{
	struct places *p = places_of_matrix(plot);
	struct pairs pairs = find_pairs(p);
	char *title = new_text("median, %s", plot->y_title);

	table_open(page, "by how near they are");
	head_cell(page, "from, to", false);
	head_cell(page, "pairs", true);
	head_cell(page, "least", true);
	head_cell(page, title, true);
	head_cell(page, "greatest", true);
	table_body(page);
	for (enum relation relation = 0; relation < RELATIONS; relation++) {
		if (pairs.n[relation])
			relation_row(page, relation, pairs.values[relation], pairs.n[relation]);
		free(pairs.values[relation]);
	}
	table_close(page);
	free(title);
	places_free(p);
}

static const char *class_of(const struct plot *plot)
{
	if (plot->published)
		return "published";
	return plot->kind == PLOT_HEAT ? "wide" : "measured";
}

static void put_figure(struct page *page, const struct plot *plot)
{
	const struct published *table = published_of(plot);
	bool drawn;

	fprintf(page->to, "<figure class=\"%s\">\n<figcaption><b>", class_of(plot));
	put_text(page->to, plot->title);
	fprintf(page->to, "</b>");
	if (table) {
		fprintf(page->to, "<span class=\"tag\">published, not measured here</span> <span>");
		put_text(page->to, table->source);
		fprintf(page->to, "</span>");
	}
	if (plot->note) {
		fprintf(page->to, "<span>");
		put_text(page->to, plot->note);
		fprintf(page->to, "</span>");
	}
	fprintf(page->to, "</figcaption>\n");
	drawn = put_picture(page, plot);
	if (table)
		put_published(page, table);
	if (plot->kind == PLOT_HEAT && drawn)
		put_relations(page, plot);
	fprintf(page->to, "</figure>\n");
}

/* Published times of two ways to flush everything, and what was measured of the same. */
static const struct {
	const char *what, *bench;
	double ns;
} flush_all[] = {
	{"INVPCID, type 2", "local/invpcid-all", 376},
	{"CR4.PGE off and on, with the flags saved", "local/cr4-pge-toggle", 539},
};

#define NR_FLUSH_ALL (sizeof(flush_all) / sizeof(flush_all[0]))

/* Where least is live. */
static bool measured_ns(const struct report *r, const char *bench, double *ns)
{
	double least = INFINITY;

	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];
		double live = 0;

		if (!is_latency(row) || strcmp(row->name, bench))
			continue;
		record_number(json_object_get(row->record, "params"), "live", &live);
		if (live < least && row_time(r, row, "net", UNIT_NS, ns))
			least = live;
	}
	return least < INFINITY;
}

static bool any_flush_all(const struct page *page)
{
	double ns;

	for (size_t r = 0; r < page->in->n; r++) {
		for (size_t i = 0; i < NR_FLUSH_ALL; i++) {
			if (measured_ns(page->in->reports[r], flush_all[i].bench, &ns))
				return true;
		}
	}
	return false;
}

static void put_flush_all(struct page *page)
{
	fprintf(page->to,
		"<figure class=\"published\">\n<figcaption><b>Published: flushing everything, "
		"ns</b><span class=\"tag\">published, not measured here</span> "
		"<span>Linux, x86/mm: INVPCID support, January 2016; a Skylake laptop. On the right "
		"what these reports have.</span></figcaption>\n");
	table_open(page, "flushing everything");
	head_cell(page, "", false);
	head_cell(page, "published", true);
	for (size_t r = 0; r < page->in->n; r++)
		head_cell(page, page->in->n > 1 ? letter(page->in, r).text : "measured", true);
	table_body(page);
	for (size_t i = 0; i < NR_FLUSH_ALL; i++) {
		row_open(page);
		text_cell(page, flush_all[i].what);
		number_cell(page, true, flush_all[i].ns);
		for (size_t r = 0; r < page->in->n; r++) {
			double ns = 0;
			bool there = measured_ns(page->in->reports[r], flush_all[i].bench, &ns);

			number_cell(page, there, ns);
		}
		row_close(page);
	}
	table_close(page);
	fprintf(page->to, "</figure>\n");
}

static void put_section(struct page *page, enum plot_section section)
{
	bool begun = false;

	for (size_t i = 0; i < page->plots->n; i++) {
		const struct plot *plot = &page->plots->plots[i];

		if (plot->section != section)
			continue;
		if (!begun)
			fprintf(page->to,
				"<section id=\"section-%d\">\n<h2>%s</h2>\n<p>%s</p>\n"
				"<div class=\"figures\">\n",
				section, sections[section].title, sections[section].text);
		begun = true;
		put_figure(page, plot);
	}
	if (!begun)
		return;
	if (section == SECTION_SPREAD && any_flush_all(page))
		put_flush_all(page);
	fprintf(page->to, "</div>\n</section>\n");
}

void html_pictures(struct page *page)
{
	fprintf(page->to, "<div id=\"pictures\">\n");
	for (enum plot_section section = 0; section < SECTIONS; section++)
		put_section(page, section);
	fprintf(page->to, "</div>\n");
}
