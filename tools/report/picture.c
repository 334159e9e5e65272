/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes gnuplot's scripts, and makes of its SVG something that fits into a page. */
#include "tools/report/picture.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/gnuplot.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"

#define WIDTH       420 /* as wide as a phone's page, so that text stays legible there */
#define PLOT_HEIGHT 250
#define KEY_LINE    19
#define STRIP_LINE  40
#define STRIP_BELOW 58 /* for the axis */
#define LABEL_MAX   56
#define TITLE_LINE  26 /* above a picture that stands alone */

/* Light is what gnuplot is given; for dark screens the style sheet puts in the other. */
struct ink {
	unsigned light, dark;
};

/* Told apart without colour by their points and dashes. */
#define NR_INKS 8
static const struct ink inks[NR_INKS] = {
	{0x0065a3, 0x6cb8f0}, {0xc04a00, 0xff9d5c}, {0x00785a, 0x3fd6a6}, {0xa03c78, 0xf0a0d0},
	{0x7a5c00, 0xe8c84a}, {0x4b4ba8, 0xb0b0ff}, {0x8a2a2a, 0xff9a9a}, {0x3a6a2a, 0xa6d890},
};
static const struct ink axis_ink = {0x707681, 0x8b929c}, grid_ink = {0xd8dce1, 0x353b43},
			mark_ink = {0x25292e, 0xe4e7ea};

/* As gnuplot has it in attributes. */
static void print_rgb(FILE *to, unsigned color)
{
	fprintf(to, "rgb(%3u, %3u, %3u)", color >> 16, color >> 8 & 255, color & 255);
}

static void print_rule(FILE *to, const char *property, const struct ink *ink)
{
	fprintf(to, "svg.plot [%s=\"", property);
	print_rgb(to, ink->light);
	fprintf(to, "\"]{%s:#%06x}\n", property, ink->dark);
}

static void print_dark(FILE *to, const struct ink *ink)
{
	print_rule(to, "stroke", ink);
	print_rule(to, "fill", ink);
	print_rule(to, "color", ink);
}

void picture_style(FILE *to)
{
	fprintf(to, "svg.plot{color:#25292e;background:#fff}\n"
		    "svg.plot text{fill:#25292e;font-family:system-ui,sans-serif}\n");
	heat_style(to);
	fprintf(to, "@media screen and (prefers-color-scheme:dark){\n"
		    "svg.plot{color:#e4e7ea;background:#15181c}\n"
		    "svg.plot text{fill:#e4e7ea}\nsvg.plot .gap{stroke:#15181c}\n");
	for (size_t i = 0; i < NR_INKS; i++)
		print_dark(to, &inks[i]);
	print_dark(to, &axis_ink);
	print_dark(to, &grid_ink);
	print_dark(to, &mark_ink);
	fprintf(to, "}\n");
}

static void put_title(FILE *to, const struct plot *plot, double width)
{
	fprintf(to, "<title>");
	put_text(to, plot->title);
	fprintf(to, "</title>\n<style>\n");
	picture_style(to);
	fprintf(to,
		"</style>\n<text x=\"%.0f\" y=\"-7\" font-family=\"sans-serif\" font-size=\"14\" "
		"text-anchor=\"middle\">",
		width / 2);
	put_text(to, plot->title);
	fprintf(to, "</text>\n");
}

void picture_begin(FILE *to, const struct plot *plot, double width, double height,
		   enum picture_place place)
{
	double title = place == PICTURE_ALONE ? TITLE_LINE : 0;

	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"xmlns:xlink=\"http://www.w3.org/1999/xlink\" class=\"plot\" role=\"img\" "
		"viewBox=\"0 %.0f %.0f %.0f\"",
		title ? -title : 0, width, height + title);
	if (place == PICTURE_ALONE)
		fprintf(to, " width=\"%.0f\" height=\"%.0f\"", width, height + title);
	fprintf(to, " aria-label=\"");
	put_text(to, plot->title);
	fprintf(to, "\">\n");
	if (place == PICTURE_ALONE)
		put_title(to, plot, width);
}

/* Between single quotes nothing but a quote means anything to gnuplot. To be sure, no character that
 * means something to it anywhere gets there. */
static void put_label(FILE *to, const char *text, size_t max)
{
	size_t length = strlen(text), n = length > max ? max - 3 : length;

	putc('\'', to);
	for (size_t i = 0; i < n; i++)
		putc(isalnum((unsigned char)text[i]) || strchr(" ._:/=+,;()%*<>[]-", text[i])
			     ? text[i]
			     : '?',
		     to);
	fprintf(to, "%s'", length > max ? "..." : "");
}

static size_t longest_label(const struct plot *plot)
{
	size_t longest = 0;

	for (size_t i = 0; i < plot->nr_series; i++) {
		size_t length = strlen(plot->series[i].label);

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* As many to a line of the key as their labels have room. */
static size_t key_columns(const struct plot *plot)
{
	size_t longest = longest_label(plot);

	return longest <= 5 ? 3 : longest <= 13 ? 2 : 1;
}

static size_t key_lines(const struct plot *plot)
{
	size_t columns = key_columns(plot);

	return (plot->nr_series + columns - 1) / columns;
}

static double height_of(const struct plot *plot)
{
	if (plot->kind == PLOT_STRIPS)
		return 6 + STRIP_LINE * (plot->nr_strips + 0.3) + STRIP_BELOW;
	return PLOT_HEIGHT + 62 + KEY_LINE * (double)key_lines(plot);
}

static void put_color(FILE *to, const struct ink *ink)
{
	fprintf(to, "lc rgb '#%06x'", ink->light);
}

static void put_frame(FILE *to, const struct plot *plot)
{
	fprintf(to,
		"set terminal svg size %d,%.0f dynamic noenhanced font 'sans-serif,13'\n"
		"set border 3 ",
		WIDTH, height_of(plot));
	put_color(to, &axis_ink);
	fprintf(to, "\nset grid lt 1 lw 0.7 ");
	put_color(to, &grid_ink);
	fprintf(to, "\nset tics nomirror out scale 0.5\nset bars 0.5\n");
	fprintf(to, "set xlabel ");
	put_label(to, plot->x_title, LABEL_MAX);
	fprintf(to, " offset 0, 0.4\n");
	if (plot->log_x)
		fprintf(to, "set logscale x %d\n", plot->kind == PLOT_STRIPS ? 10 : 2);
	if (plot->log_y)
		fprintf(to, "set logscale y 10\n");
}

static double largest_y(const struct plot *plot)
{
	double most = 0;

	for (size_t i = 0; i < plot->nr_series; i++) {
		for (size_t j = 0; j < plot->series[i].n; j++)
			most = fmax(most, plot->series[i].points[j].hi);
	}
	return most;
}

/* Large figures are in thousands or millions, so that their margin is narrow. */
struct prefix {
	double factor;
	const char *text;
};

static struct prefix prefix_of(const struct plot *plot)
{
	double most = plot->log_y ? 0 : largest_y(plot);

	if (most >= 1e7)
		return (struct prefix){1e6, "million "};
	if (most >= 1e4)
		return (struct prefix){1e3, "thousand "};
	return (struct prefix){1, ""};
}

/* Whether x is a count of few: then there are ticks at whole numbers only. */
static bool counts_few(const struct plot *plot)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < plot->nr_series; i++) {
		for (size_t j = 0; j < plot->series[i].n; j++) {
			double x = plot->series[i].points[j].x;

			if (x != rint(x))
				return false;
			least = fmin(least, x);
			most = fmax(most, x);
		}
	}
	return most - least <= 10;
}

static void put_line_axes(FILE *to, const struct plot *plot)
{
	char *title = new_text("%s%s", prefix_of(plot).text, plot->y_title);

	fprintf(to, "set label 99 ");
	put_label(to, title, LABEL_MAX);
	free(title);
	fprintf(to, " at screen 0.02, graph 1 left offset 0, 1\nset tmargin 2\n");
	if (plot->log_y)
		fprintf(to, "set format y '%%.0s%%c'\n");
	else if (plot->from_zero)
		fprintf(to, "set yrange [0:*]\n");
	if (!plot->log_x && counts_few(plot))
		fprintf(to, "set xtics 1\n");
	fprintf(to, "set autoscale xfix\nset offsets graph 0.03, graph 0.03, graph 0.03, 0\n");
}

static void put_points(FILE *to, const struct series *series, size_t number, double factor)
{
	fprintf(to, "$d%zu << EOD\n", number);
	for (size_t i = 0; i < series->n; i++)
		fprintf(to, "%.17g %.17g %.17g %.17g\n", series->points[i].x,
			series->points[i].y / factor, series->points[i].lo / factor,
			series->points[i].hi / factor);
	fprintf(to, "EOD\n");
}

static void put_mark(FILE *to, const struct plot *plot)
{
	if (isnan(plot->mark) || (plot->log_x && plot->mark <= 0))
		return;
	fprintf(to,
		"set arrow 1 from first %.17g, graph 0 to first %.17g, graph 1 nohead dt 2 lw 1.5 ",
		plot->mark, plot->mark);
	put_color(to, &mark_ink);
	fprintf(to, "\nset label 1 ");
	put_label(to, plot->mark_label, LABEL_MAX);
	fprintf(to, " at first %.17g, graph 0.96 left offset 0.6, 0\n", plot->mark);
}

static bool has_intervals(const struct series *series)
{
	for (size_t i = 0; i < series->n; i++) {
		if (series->points[i].lo < series->points[i].hi)
			return true;
	}
	return false;
}

static void put_lines(FILE *to, const struct plot *plot)
{
	/* Shapes of gnuplot's that are told apart at this size. */
	static const int shapes[] = {7, 5, 9, 13, 11, 6, 4, 8};

	fprintf(to,
		"set key bmargin left horizontal Left reverse samplen 2.5 maxcols %zu width 1 height 0.4\n",
		key_columns(plot));
	put_line_axes(to, plot);
	put_mark(to, plot);
	for (size_t i = 0; i < plot->nr_series; i++)
		put_points(to, &plot->series[i], i, prefix_of(plot).factor);
	for (size_t i = 0; i < plot->nr_series; i++) {
		const struct series *series = &plot->series[i];
		const struct ink *ink = &inks[series->ink % NR_INKS];

		fprintf(to, "%s $d%zu using 1:2 with linespoints pt %d ps 0.6 lw 1.8 dt %u ",
			i ? "," : "plot", i, shapes[(series->ink + series->dash) % 8],
			plot->published ? 3 : series->dash % 4 + 1);
		put_color(to, ink);
		fprintf(to, " title ");
		put_label(to, series->label, LABEL_MAX);
		if (!has_intervals(series))
			continue;
		fprintf(to, ", $d%zu using 1:3:(0):($4-$3) with vectors nohead lw 1 dt 1 ", i);
		put_color(to, ink);
		fprintf(to, " notitle");
	}
	fprintf(to, "\n");
}

static void put_strip_data(FILE *to, const struct plot *plot)
{
	fprintf(to, "$d << EOD\n");
	for (size_t i = 0; i < plot->nr_strips; i++) {
		const struct strip *strip = &plot->strips[i];

		fprintf(to, "%zu", plot->nr_strips - 1 - i);
		for (size_t j = 0; j < STRIP_POINTS; j++)
			fprintf(to, " %.17g", strip->at[j]);
		if (isnan(strip->baseline) || (plot->log_x && strip->baseline <= 0))
			fprintf(to, " NaN");
		else
			fprintf(to, " %.17g", strip->baseline);
		fprintf(to, " %u\n", inks[strip->ink % NR_INKS].light);
	}
	fprintf(to, "EOD\n");
}

/* Columns: 1 y, 2 min, 3 p5, 4 p25, 5 p50, 6 p75, 7 p95, 8 max, 9 baseline, 10 colour. */
static void put_strips(FILE *to, const struct plot *plot)
{
	double height = height_of(plot);

	fprintf(to,
		"unset key\nunset ytics\nset border 1\nset grid noy\nset lmargin 2\n"
		"set rmargin 3\nset bmargin at screen %.4f\nset tmargin at screen %.4f\n"
		"set yrange [-0.5:%zu-0.2]\nset format x '%s'\n",
		STRIP_BELOW / height, 1 - 6 / height, plot->nr_strips,
		plot->log_x ? "%.0s%c" : "%g");
	for (size_t i = 0; i < plot->nr_strips; i++) {
		fprintf(to, "set label %zu ", i + 1);
		put_label(to, plot->strips[i].label, LABEL_MAX);
		fprintf(to, " at graph 0, first %.2f left\n", plot->nr_strips - 1 - i + 0.46);
	}
	put_strip_data(to, plot);
	fprintf(to, "plot $d using 9:($1-0.3):(0):(0.6) with vectors nohead dt 3 lw 1.5 ");
	put_color(to, &axis_ink);
	fprintf(to, ", $d using 2:1:($8-$2):(0):10 with vectors nohead lw 1.2 lc rgb variable"
		    ", $d using 5:1:3:7:($1-0.1):($1+0.1):10 with boxxyerror fs solid noborder "
		    "lc rgb variable"
		    ", $d using 5:1:4:6:($1-0.22):($1+0.22):10 with boxxyerror fs solid noborder "
		    "lc rgb variable"
		    ", $d using 5:($1-0.27):(0):(0.54) with vectors nohead lw 2.5 ");
	put_color(to, &mark_ink);
	fprintf(to, "\n");
}

/* Ids and references to them get the picture's number; groups with nothing in them are left out. */
static void put_adapted(FILE *to, const char *line, size_t length, unsigned number)
{
	static const char *const keys[] = {"id='", "id=\"", "href='#"};

	for (size_t i = 0; i < length; i++) {
		putc(line[i], to);
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			size_t n = strlen(keys[k]);

			if (i + 1 >= n && !memcmp(line + i + 1 - n, keys[k], n))
				fprintf(to, "p%u-", number);
		}
	}
}

/* What gnuplot draws is in the group of this id, which is the last element. */
static const char *drawing_in(const char *svg)
{
	const char *drawing = strstr(svg, "<g id=\"gnuplot_canvas\">");

	return drawing && strstr(drawing, "</svg>") ? drawing : NULL;
}

static void adapt(FILE *to, const char *line, unsigned number)
{
	const char *next;

	for (; *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] == '\n');
		if (!strncmp(line, "<g fill=\"none\"", 14) && !strncmp(next, "</g>\n", 5)) {
			next += 5;
			continue;
		}
		put_adapted(to, line, length, number);
		if (length)
			putc('\n', to);
	}
}

static char *script_of(const struct plot *plot, size_t *length)
{
	char *script = NULL;
	FILE *to = must_have(open_memstream(&script, length));

	put_frame(to, plot);
	if (plot->kind == PLOT_STRIPS)
		put_strips(to, plot);
	else
		put_lines(to, plot);
	if (fclose(to))
		must_have(NULL);
	return script;
}

bool picture_draw(FILE *to, const struct plot *plot, unsigned number, enum picture_place place,
		  char *why, size_t why_size)
{
	const char *drawing;
	char *script, *svg;
	size_t length;

	if (plot->kind == PLOT_HEAT) {
		heat_draw(to, plot, place);
		return true;
	}
	script = script_of(plot, &length);
	svg = gnuplot_run(script, length, why, why_size);
	free(script);
	if (!svg)
		return false;
	drawing = drawing_in(svg);
	if (drawing) {
		picture_begin(to, plot, WIDTH, height_of(plot), place);
		adapt(to, drawing, number);
	} else {
		snprintf(why, why_size, "gnuplot's output is no picture");
	}
	free(svg);
	return drawing;
}
