/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings made harmless, figures made short, colours, the terminal's width. */
#include "tools/report/output.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/report/commands.h"

static char safe(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

int print_safe(FILE *to, const char *text, size_t max)
{
	size_t n = 0;

	for (; n < max && text[n]; n++)
		putc(safe(text[n]), to);
	return n < INT_MAX ? (int)n : INT_MAX;
}

void print_member(FILE *to, const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	if (!n)
		fputs("unknown", to);
	for (size_t i = 0; i < n; i++)
		putc(safe(text[i]), to);
}

char *safe_copy(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		*c = safe(*c);
	return copy;
}

void *must_have(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "shootdown-report: no memory\n");
	exit(STATUS_USAGE);
}

struct figure figure(double value)
{
	double size = fabs(value);
	struct figure f;

	if (!isfinite(value))
		snprintf(f.text, sizeof(f.text), "-");
	else if (size >= 1e9)
		snprintf(f.text, sizeof(f.text), "%.4g", value);
	else if (size >= 1000 || value == rint(value))
		snprintf(f.text, sizeof(f.text), "%.0f", value);
	else
		snprintf(f.text, sizeof(f.text), "%.*f", size >= 10 ? 1 : 2, value);
	/* What rounds to nothing has no sign. */
	if (!strcmp(f.text, "-0.00") || !strcmp(f.text, "-0"))
		memmove(f.text, f.text + 1, strlen(f.text));
	return f;
}

static bool colors_wanted(void)
{
	static int wanted = -1;
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (wanted < 0)
		wanted = isatty(STDOUT_FILENO) && !(no && *no) && term && *term &&
			 strcmp(term, "dumb");
	return wanted;
}

void color_begin(enum color color)
{
	static const char *const codes[] = {
		[COLOR_NONE] = "",          [COLOR_GOOD] = "\033[32m", [COLOR_BAD] = "\033[31m",
		[COLOR_FAINT] = "\033[90m", [COLOR_TITLE] = "\033[1m",
	};

	if (colors_wanted())
		fputs(codes[color], stdout);
}

void color_end(enum color color)
{
	if (color != COLOR_NONE && colors_wanted())
		fputs("\033[0m", stdout);
}

int terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}
