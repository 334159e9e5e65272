/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a matrix as a heat map, CPUs sorted and bracketed by package and last-level cache. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/markup.h"
#include "tools/report/output.h"
#include "tools/report/picture.h"
#include "tools/report/places.h"

#define WIDTH       420.0
#define LEFT        46.0
#define RIGHT       6.0
#define BAND        15.0 /* of a bracket and its text */
#define LEGEND      62.0
#define NR_STEPS    8
#define NUMBERS_MAX 12 /* CPUs: more, and there is no room for numbers in cells */
#define TITLES_MAX  32 /* ... and a cell no longer says what it is when pointed at */
#define TICKS_MAX   32

/* viridis, from the cheap to the dear end; on the first ones black is read, on the others white. */
static const char *const steps[NR_STEPS] = {"#fde725", "#a0da39", "#4ac16d", "#2bb07f",
					    "#277f8e", "#365c8d", "#46327e", "#440154"};
#define NR_BLACK 4

struct heat {
	const struct plot *plot;
	struct places *p;
	size_t *rows; /* those that are drawn */
	size_t nr_rows;
	double cell, top;
	double begins[NR_STEPS + 1]; /* of steps, and the end of the last */
};

void heat_style(FILE *to)
{
	fprintf(to, "svg.plot text.on-light{fill:#000}\nsvg.plot text.on-dark{fill:#fff}\n"
		    "svg.plot .gap{stroke:#fff}\n");
}

/* Steps are ratios, or differences where there is none. */
static void divide(struct heat *h, double least, double most)
{
	for (unsigned i = 0; i <= NR_STEPS; i++) {
		double step = (double)i / NR_STEPS;

		h->begins[i] =
			least > 0 ? least * pow(most / least, step) : least + (most - least) * step;
	}
}

static void find_steps(struct heat *h)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < h->p->n; i++) {
		for (size_t j = 0; h->p->rows[i] && j < h->p->n; j++) {
			least = fmin(least, h->p->rows[i][j]);
			most = fmax(most, h->p->rows[i][j]);
		}
	}
	divide(h, least <= most ? least : 0, least <= most ? most : 0);
}

/* NR_STEPS for no value. */
static unsigned step_of(const struct heat *h, double value)
{
	unsigned step = 0;

	if (isnan(value))
		return NR_STEPS;
	while (step < NR_STEPS - 1 && value >= h->begins[step + 1])
		step++;
	return step;
}

/* All, so that it is a square; where most CPUs have none, those that have one. */
static void find_rows(struct heat *h)
{
	size_t n = h->p->n, there = 0;

	for (size_t i = 0; i < n; i++)
		there += h->p->rows[i] != NULL;
	h->rows = must_have(calloc(n + 1, sizeof(h->rows[0])));
	for (size_t i = 0; i < n; i++) {
		if (h->p->rows[i] || 2 * there >= n)
			h->rows[h->nr_rows++] = i;
	}
}

static double bottom(const struct heat *h)
{
	return h->top + h->nr_rows * h->cell;
}

/* `row` is one of those drawn. */
static double value_at(const struct heat *h, size_t row, size_t to)
{
	return places_value(h->p, h->rows[row], to);
}

static void put_place(FILE *to, const struct place *place)
{
	fprintf(to, "CPU %u", place->cpu);
	if (place->known)
		fprintf(to, " (package %d, cache %d, core %d, thread %d)", place->package,
			place->llc, place->core, place->thread);
}

/* 843, 4.2k, 33k, 1.2M */
static void put_short(FILE *to, double value)
{
	if (fabs(value) >= 1e6)
		fprintf(to, "%.3gM", value / 1e6);
	else if (fabs(value) >= 1e3)
		fprintf(to, "%.3gk", value / 1e3);
	else
		fprintf(to, "%.3g", value);
}

static void put_cell(FILE *to, const struct heat *h, size_t row, size_t column)
{
	double x = LEFT + column * h->cell, y = h->top + row * h->cell;
	double value = value_at(h, row, column);
	unsigned step = step_of(h, value);

	if (step == NR_STEPS)
		return;
	fprintf(to, "<g><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>",
		x, y, h->cell, h->cell, steps[step]);
	fprintf(to, "<title>");
	put_place(to, &h->p->places[h->rows[row]]);
	fprintf(to, " to ");
	put_place(to, &h->p->places[column]);
	fprintf(to, ": %s", figure(value).text);
	fprintf(to, "</title>");
	if (h->p->n <= NUMBERS_MAX) {
		fprintf(to,
			"<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" font-size=\"%d\" "
			"text-anchor=\"middle\">",
			step < NR_BLACK ? "on-light" : "on-dark", x + h->cell / 2,
			y + h->cell / 2 + 4, h->p->n <= 8 ? 12 : 9);
		put_short(to, value);
		fprintf(to, "</text>");
	}
	fprintf(to, "</g>\n");
}

/* All cells of a step as one path, neighbours in a row together. */
static void put_step(FILE *to, const struct heat *h, unsigned step)
{
	size_t n = h->p->n, length;

	fprintf(to, "<path fill=\"%s\" d=\"", steps[step]);
	for (size_t i = 0; i < h->nr_rows; i++) {
		for (size_t j = 0; h->p->rows[h->rows[i]] && j < n; j += length) {
			for (length = 0;
			     j + length < n && step_of(h, value_at(h, i, j + length)) == step;)
				length++;
			if (length)
				fprintf(to, "M%zu %zuh%zuv1h-%zuz", j, i, length, length);
			else
				length = 1;
		}
	}
	fprintf(to, "\"/>\n");
}

static void put_cells(FILE *to, const struct heat *h)
{
	size_t n = h->p->n;

	if (n <= TITLES_MAX) {
		fprintf(to, "<g shape-rendering=\"crispEdges\">\n");
		for (size_t i = 0; i < h->nr_rows * n; i++)
			put_cell(to, h, i / n, i % n);
		fprintf(to, "</g>\n");
		return;
	}
	fprintf(to,
		"<g transform=\"translate(%.2f %.2f) scale(%.5f)\" "
		"shape-rendering=\"crispEdges\">\n",
		LEFT, h->top, h->cell);
	for (unsigned step = 0; step < NR_STEPS; step++)
		put_step(to, h, step);
	fprintf(to, "</g>\n");
}

static void put_axis_text(FILE *to, double x, double y, const char *anchor, bool upright)
{
	fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"11\" text-anchor=\"%s\"", x, y,
		anchor);
	if (upright)
		fprintf(to, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
	fprintf(to, ">");
}

/* The CPUs' numbers, as many as there is room for. */
static void put_numbers(FILE *to, const struct heat *h)
{
	size_t n = h->p->n, every = (n + TICKS_MAX - 1) / TICKS_MAX;

	if (n > 16)
		every = every * 2;
	for (size_t i = 0; i < n; i += every ? every : 1) {
		double middle = (i + 0.5) * h->cell;

		put_axis_text(to, LEFT + middle, h->top - 4, "middle", false);
		fprintf(to, "%u</text>\n", h->p->places[i].cpu);
		if (i >= h->nr_rows)
			continue;
		put_axis_text(to, LEFT - 4, h->top + middle + 4, "end", false);
		fprintf(to, "%u</text>\n", h->p->places[h->rows[i]].cpu);
	}
}

static bool same_group_of(const struct place *a, const struct place *b)
{
	return a->known == b->known && a->package == b->package && a->llc == b->llc;
}

static void put_line(FILE *to, double x1, double y1, double x2, double y2)
{
	fprintf(to, "<path stroke=\"currentColor\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n", x1, y1, x2, y2);
}

/* Between groups, in the colour of the paper, and not so wide that it hides a cell. */
static void put_gap(FILE *to, const struct heat *h, const struct place *a, const struct place *b)
{
	double width = a->package != b->package ? 5 : 2;

	fprintf(to, "<path class=\"gap\" stroke=\"#fff\" stroke-width=\"%.1f\" ",
		fmin(width, h->cell / 2));
}

/* "package 0, cache 1", or as much of it as there is room for. */
static void put_group_name(FILE *to, const struct place *place, double room)
{
	if (!place->known)
		fprintf(to, "%s", room > 40 ? "unknown" : "?");
	else if (room > 115)
		fprintf(to, "package %d, cache %d", place->package, place->llc);
	else if (room > 34)
		fprintf(to, "P%d L%d", place->package, place->llc);
	else if (room > 12)
		fprintf(to, "%d", place->llc);
}

/* Columns first..end share a cache: a bracket above, a line before them. */
static void put_columns(FILE *to, const struct heat *h, size_t first, size_t end)
{
	const struct place *place = &h->p->places[first];
	double x = LEFT + first * h->cell, length = (end - first) * h->cell, y = h->top - BAND - 2;

	put_line(to, x + 1, y, x + length - 1, y);
	put_axis_text(to, x + length / 2, y - 4, "middle", false);
	put_group_name(to, place, length);
	fprintf(to, "</text>\n");
	if (!first)
		return;
	put_gap(to, h, place - 1, place);
	fprintf(to, "d=\"M%.2f %.2fV%.2f\"/>\n", x, h->top, bottom(h));
}

/* The same of rows, its bracket on the left. */
static void put_rows(FILE *to, const struct heat *h, size_t first, size_t end)
{
	const struct place *place = &h->p->places[h->rows[first]];
	double y = h->top + first * h->cell, length = (end - first) * h->cell, x = LEFT - 27;

	put_line(to, x, y + 1, x, y + length - 1);
	put_axis_text(to, x - 4, y + length / 2, "middle", true);
	put_group_name(to, place, length);
	fprintf(to, "</text>\n");
	if (!first)
		return;
	put_gap(to, h, &h->p->places[h->rows[first - 1]], place);
	fprintf(to, "d=\"M%.2f %.2fh%.2f\"/>\n", LEFT, y, h->p->n * h->cell);
}

static void put_groups(FILE *to, const struct heat *h)
{
	const struct place *places = h->p->places;
	size_t first = 0;

	for (size_t i = 1; i <= h->p->n; i++) {
		if (i < h->p->n && same_group_of(&places[first], &places[i]))
			continue;
		put_columns(to, h, first, i);
		first = i;
	}
	first = 0;
	for (size_t i = 1; i <= h->nr_rows; i++) {
		if (i < h->nr_rows && same_group_of(&places[h->rows[first]], &places[h->rows[i]]))
			continue;
		put_rows(to, h, first, i);
		first = i;
	}
}

static void put_legend(FILE *to, const struct heat *h)
{
	double y = bottom(h) + 12, width = (WIDTH - LEFT - RIGHT) / NR_STEPS;

	for (unsigned i = 0; i < NR_STEPS; i++)
		fprintf(to,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"10\" fill=\"%s\"/>\n",
			LEFT + i * width, y, width, steps[i]);
	for (unsigned i = 0; i <= NR_STEPS; i += 2) {
		put_axis_text(to, LEFT + i * width, y + 23,
			      !i              ? "start"
			      : i == NR_STEPS ? "end"
					      : "middle",
			      false);
		put_short(to, h->begins[i]);
		fprintf(to, "</text>\n");
	}
	put_axis_text(to, LEFT, y + 41, "start", false);
	fprintf(to, "medians, ");
	put_text(to, h->plot->y_title);
	fprintf(to, "; from the row's CPU to the column's</text>\n");
}

void heat_draw(FILE *to, const struct plot *plot, enum picture_place place)
{
	struct heat h = {.plot = plot, .p = places_of_matrix(plot)};

	h.cell = (WIDTH - LEFT - RIGHT) / (h.p->n ? h.p->n : 1);
	h.top = 2 * BAND + 6;
	find_rows(&h);
	find_steps(&h);
	picture_begin(to, plot, WIDTH, bottom(&h) + LEGEND, place);
	fprintf(to, "<g fill=\"currentColor\" font-family=\"sans-serif\">\n");
	put_cells(to, &h);
	put_groups(to, &h);
	put_numbers(to, &h);
	put_legend(to, &h);
	fprintf(to, "</g>\n</svg>\n");
	free(h.rows);
	places_free(h.p);
}
