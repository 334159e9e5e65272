/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures cells, chooses what fits, prints. */
#include "tools/report/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP         2  /* blanks between columns */
#define TEXT_LEAST  12 /* a text has at least as much in a line */
#define WORD_MOST   32 /* longer words may be divided */
#define NOTE_INDENT 7

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
	size_t *floors; /* with less their words would be divided */
	size_t total;
};

/* The line that is being printed. */
struct line {
	size_t length;
	size_t due; /* blanks before what comes next */
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

/* The longest word, as far as one is kept whole. */
static size_t longest_word(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		longest = length > longest ? length : longest;
		text += length;
		text += strspn(text, " ");
	}
	return longest < WORD_MOST ? longest : WORD_MOST;
}

static void measure_column(const struct table *t, struct layout *l, size_t column)
{
	size_t widest = 0, floor = TEXT_LEAST, title = strlen(t->columns[column].title);

	for (size_t i = column; i < t->nr_cells; i += t->nr_columns) {
		size_t width = strlen(t->cells[i]), word = longest_word(t->cells[i]);

		widest = width > widest ? width : widest;
		floor = word > floor ? word : floor;
	}
	if (widest)
		widest = widest > title ? widest : title;
	l->widths[column] = widest;
	l->floors[column] = floor;
}

static bool is_note(const struct table *t, size_t column)
{
	return t->columns[column].align == ALIGN_NOTE;
}

static void add_up(const struct table *t, struct layout *l)
{
	l->total = 0;
	for (size_t i = 0; i < t->nr_columns; i++)
		l->total += l->widths[i] && !is_note(t, i) ? l->widths[i] + GAP : 0;
	l->total -= l->total ? GAP : 0;
}

/* False where there is none to spare as much as that. */
static bool drop_column(const struct table *t, struct layout *l, unsigned least)
{
	size_t sparest = t->nr_columns;
	unsigned spare = least - 1;

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (l->widths[i] && t->columns[i].spare > spare) {
			spare = t->columns[i].spare;
			sparest = i;
		}
	}
	if (sparest == t->nr_columns)
		return false;
	l->widths[sparest] = 0;
	return true;
}

/* What a text can give. */
static size_t room_of(const struct table *t, const struct layout *l, size_t column, bool divide)
{
	size_t floor = divide ? TEXT_LEAST : l->floors[column];

	if (t->columns[column].align != ALIGN_LEFT || l->widths[column] <= floor)
		return 0;
	return l->widths[column] - floor;
}

/* Takes what is too much off the text that can give most. False where all of them can't. */
static bool narrow_text(const struct table *t, struct layout *l, size_t width)
{
	size_t most = 0, all = 0, excess = l->total - width, room;

	for (size_t i = 0; i < t->nr_columns; i++) {
		room = room_of(t, l, i, false);
		all += room;
		most = room > room_of(t, l, most, false) ? i : most;
	}
	if (all < excess)
		return false;
	room = room_of(t, l, most, false);
	l->widths[most] -= excess < room ? excess : room;
	return true;
}

/* The same from the widest text, in the midst of words. False where none can give any. */
static bool divide_text(const struct table *t, struct layout *l, size_t width)
{
	size_t most = 0, excess = l->total - width, room;

	for (size_t i = 0; i < t->nr_columns; i++)
		most = room_of(t, l, i, true) > room_of(t, l, most, true) ? i : most;
	room = room_of(t, l, most, true);
	l->widths[most] -= excess < room ? excess : room;
	return room;
}

static void lay_out(const struct table *t, struct layout *l, size_t width)
{
	l->widths = must_have(calloc(t->nr_columns, sizeof(l->widths[0])));
	l->floors = must_have(calloc(t->nr_columns, sizeof(l->floors[0])));
	for (size_t i = 0; i < t->nr_columns; i++)
		measure_column(t, l, i);
	add_up(t, l);
	while (width && l->total > width) {
		if (!drop_column(t, l, 2) && !narrow_text(t, l, width) && !drop_column(t, l, 1) &&
		    !divide_text(t, l, width))
			break;
		add_up(t, l);
	}
}

/* Lines have no blanks at their ends. */
static void put(struct line *line, const char *text, size_t n)
{
	if (!n)
		return;
	line->length += line->due + n;
	for (; line->due; line->due--)
		putchar(' ');
	print_safe(stdout, text, n);
}

/* How much of a text goes into a line: to the end of a word, if one ends there. */
static size_t piece_length(const char *text, size_t width)
{
	size_t n = strlen(text), end;

	if (n <= width)
		return n;
	for (end = width; end && text[end] != ' '; end--)
		;
	return end ? end : width;
}

/* Prints what goes into the line, and returns the rest. */
static const char *put_cell(struct line *line, const struct column *c, const char *text,
			    size_t width)
{
	size_t n = c->align == ALIGN_RIGHT ? strlen(text) : piece_length(text, width);
	size_t pad = n < width ? width - n : 0;

	line->due += c->align == ALIGN_RIGHT ? pad : 0;
	put(line, text, n);
	line->due += (c->align == ALIGN_RIGHT ? 0 : pad) + GAP;
	text += n;
	return text + strspn(text, " ");
}

/* Prints a line of the cells, which then are what is left of them. True if that is any. */
static bool put_cells(const struct table *t, const struct layout *l, const char **cells,
		      struct line *line)
{
	bool more = false;

	*line = (struct line){.length = 0};
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!l->widths[i] || is_note(t, i))
			continue;
		cells[i] = put_cell(line, &t->columns[i], cells[i], l->widths[i]);
		more = more || *cells[i];
	}
	return more;
}

/* In its column, else as near as it comes, else below. */
static void put_note(struct line *line, const char *note, size_t width)
{
	size_t length = strlen(note), column = line->length + line->due;

	if (width && column + length > width && line->length + GAP + length <= width)
		line->due = line->length ? GAP : 0;
	if (!width || line->length + line->due + length <= width) {
		put(line, note, length);
		return;
	}
	width = width > NOTE_INDENT + TEXT_LEAST ? width - NOTE_INDENT : TEXT_LEAST;
	while (*note) {
		size_t n = piece_length(note, width);

		putchar('\n');
		*line = (struct line){.due = NOTE_INDENT};
		put(line, note, n);
		note += n;
		note += strspn(note, " ");
	}
}

static void print_row(const struct table *t, const struct layout *l, char *const *texts,
		      enum color color, size_t width)
{
	const char **cells = must_have(calloc(t->nr_columns, sizeof(cells[0])));
	size_t last = t->nr_columns - 1;
	struct line line;

	for (size_t i = 0; i < t->nr_columns; i++)
		cells[i] = texts ? texts[i] : t->columns[i].title;
	color_begin(color);
	while (put_cells(t, l, cells, &line))
		putchar('\n');
	if (is_note(t, last) && *cells[last])
		put_note(&line, cells[last], width);
	color_end(color);
	putchar('\n');
	free(cells);
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
		print_row(t, &l, NULL, COLOR_TITLE, width);
	for (size_t i = 0; i + t->nr_columns <= t->nr_cells; i += t->nr_columns)
		print_row(t, &l, t->cells + i, t->colors[i / t->nr_columns], width);
	free(l.widths);
	free(l.floors);
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
