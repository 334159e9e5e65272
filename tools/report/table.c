/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures cells, chooses what fits, prints. */
#include "tools/report/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP        2  /* blanks between columns */
#define TEXT_LEAST 12 /* a text is not cut to less */

struct table {
	const struct column *columns;
	size_t nr_columns;
	char **cells;
	size_t nr_cells;
	enum color *colors; /* of each row */
	size_t room;        /* for so many rows */
};

/* What a table of a certain width shows. */
struct layout {
	size_t *widths; /* 0: left out */
	size_t total;
};

struct table *table_new(const struct column *columns, size_t nr_columns)
{
	struct table *t = must_have(calloc(1, sizeof(*t)));

	t->columns = columns;
	t->nr_columns = nr_columns;
	return t;
}

/* A row at a time: for the next cell, and for the colour of its row. */
static void make_room(struct table *t)
{
	size_t rows = t->nr_cells / t->nr_columns, room = t->room;

	if (t->nr_cells < room * t->nr_columns)
		return;
	t->room = 2 * (room + 1);
	t->cells = must_have(realloc(t->cells, t->room * t->nr_columns * sizeof(t->cells[0])));
	t->colors = must_have(realloc(t->colors, t->room * sizeof(t->colors[0])));
	for (; rows < t->room; rows++)
		t->colors[rows] = COLOR_NONE;
}

void table_add(struct table *t, const char *fmt, ...)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = must_have(open_memstream(&text, &length));
	va_list args;

	va_start(args, fmt);
	vfprintf(to, fmt, args);
	va_end(args);
	if (fclose(to))
		must_have(NULL);
	make_room(t);
	t->cells[t->nr_cells++] = text;
}

void table_color(struct table *t, enum color color)
{
	make_room(t);
	t->colors[t->nr_cells / t->nr_columns] = color;
}

static void measure_column(const struct table *t, struct layout *l, size_t column)
{
	size_t widest = 0, title = strlen(t->columns[column].title);

	for (size_t i = column; i < t->nr_cells; i += t->nr_columns) {
		size_t width = strlen(t->cells[i]);

		widest = width > widest ? width : widest;
	}
	if (widest)
		widest = widest > title ? widest : title;
	l->widths[column] = widest;
}

static void add_up(const struct table *t, struct layout *l)
{
	l->total = 0;
	for (size_t i = 0; i < t->nr_columns; i++)
		l->total += l->widths[i] ? l->widths[i] + GAP : 0;
	l->total -= l->total ? GAP : 0;
}

/* False where there is none to spare. */
static bool drop_column(const struct table *t, struct layout *l)
{
	size_t sparest = t->nr_columns;
	unsigned spare = 0;

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (l->widths[i] && t->columns[i].spare > spare) {
			spare = t->columns[i].spare;
			sparest = i;
		}
	}
	if (!spare)
		return false;
	l->widths[sparest] = 0;
	return true;
}

/* Takes what is too much off the widest text. False where none is wide enough to give any. */
static bool cut_text(const struct table *t, struct layout *l, size_t width)
{
	size_t widest = t->nr_columns, excess = l->total - width, most;

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].align == ALIGN_LEFT &&
		    (widest == t->nr_columns || l->widths[i] > l->widths[widest]))
			widest = i;
	}
	if (widest == t->nr_columns || l->widths[widest] <= TEXT_LEAST)
		return false;
	most = l->widths[widest] - TEXT_LEAST;
	l->widths[widest] -= excess < most ? excess : most;
	return true;
}

static void lay_out(const struct table *t, struct layout *l, int width)
{
	l->widths = must_have(calloc(t->nr_columns, sizeof(l->widths[0])));
	for (size_t i = 0; i < t->nr_columns; i++)
		measure_column(t, l, i);
	add_up(t, l);
	while (width && l->total > (size_t)width) {
		if (!drop_column(t, l) && !cut_text(t, l, width))
			break;
		add_up(t, l);
	}
}

static void print_padding(size_t n)
{
	while (n--)
		putchar(' ');
}

/* Cut text ends in "..". */
static void print_text(const char *text, size_t width)
{
	size_t length = strlen(text);

	if (length <= width || width < 2) {
		print_safe(stdout, text, width);
		return;
	}
	print_safe(stdout, text, width - 2);
	fputs("..", stdout);
}

/* Returns how much padding is due before the next one. */
static size_t print_cell(const struct column *c, const char *text, size_t width, size_t due)
{
	size_t length = strlen(text), pad = length < width ? width - length : 0;

	if (c->align == ALIGN_RIGHT)
		due += pad;
	if (length)
		print_padding(due);
	print_text(text, width);
	if (!length)
		return due + (c->align == ALIGN_RIGHT ? 0 : width) + GAP;
	return (c->align == ALIGN_RIGHT ? 0 : pad) + GAP;
}

/* Without blanks at its end. */
static void print_row(const struct table *t, const struct layout *l, char *const *cells,
		      enum color color)
{
	size_t due = 0;

	color_begin(color);
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (l->widths[i])
			due = print_cell(&t->columns[i], cells ? cells[i] : t->columns[i].title,
					 l->widths[i], due);
	}
	color_end(color);
	putchar('\n');
}

static bool has_titles(const struct table *t)
{
	size_t i = 0;

	while (i < t->nr_columns && !*t->columns[i].title)
		i++;
	return i < t->nr_columns;
}

void table_print(const struct table *t, int width)
{
	struct layout l;

	lay_out(t, &l, width);
	if (has_titles(t))
		print_row(t, &l, NULL, COLOR_TITLE);
	for (size_t i = 0; i + t->nr_columns <= t->nr_cells; i += t->nr_columns)
		print_row(t, &l, t->cells + i, t->colors[i / t->nr_columns]);
	free(l.widths);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_cells; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->colors);
	free(t);
}
