/* SPDX-License-Identifier: BSD-2-Clause */
/* The svg command: one picture, or the names of those that there are. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"
#include "tools/report/picture.h"
#include "tools/report/plots.h"

struct svg {
	const char *plot, *out;
	struct unit_choice unit;
};

static void print_names(const struct plots *plots, FILE *to)
{
	for (size_t i = 0; i < plots->n; i++) {
		print_safe(to, plots->plots[i].name, SIZE_MAX);
		fprintf(to, "  ");
		print_safe(to, plots->plots[i].title, SIZE_MAX);
		fprintf(to, "\n");
	}
}

/* By its name as it is printed. NULL, and said on standard error, where there is none. */
static const struct plot *find_plot(const struct plots *plots, const char *name)
{
	for (size_t i = 0; i < plots->n; i++) {
		char *printed = must_have(safe_copy(plots->plots[i].name));
		bool found = !strcmp(printed, name) || !strcmp(plots->plots[i].name, name);

		free(printed);
		if (found)
			return &plots->plots[i];
	}
	fprintf(stderr, "shootdown-report: no plot '%s'; there %s\n", name,
		plots->n ? "are:" : "is none");
	print_names(plots, stderr);
	return NULL;
}

static bool write_plot(const struct plot *plot, const char *out)
{
	char *text = NULL, why[200];
	size_t length = 0;
	FILE *to = must_have(open_memstream(&text, &length));
	bool drawn;

	fprintf(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
	drawn = picture_draw(to, plot, 0, PICTURE_ALONE, why, sizeof(why));
	if (fclose(to))
		must_have(NULL);
	if (!drawn)
		fprintf(stderr, "shootdown-report: no picture: %s\n", why);
	drawn = drawn && write_whole(out, text, length);
	free(text);
	return drawn;
}

static int draw(const struct input *in, const struct svg *svg)
{
	struct plots *plots = plots_find(in);
	int status = input_status(in);

	if (!strcmp(svg->plot, "list")) {
		print_names(plots, stdout);
	} else {
		const struct plot *plot = find_plot(plots, svg->plot);

		if (!plot || !write_plot(plot, svg->out))
			status = STATUS_USAGE;
	}
	plots_free(plots);
	return status;
}

static bool take_option(struct svg *svg, int option)
{
	switch (option) {
	case 'p':
		svg->plot = optarg;
		return true;
	case 'o':
		svg->out = optarg;
		return true;
	case 'u':
		return input_unit(optarg, &svg->unit);
	default:
		return false;
	}
}

int svg_run(int argc, char **argv)
{
	static const struct option options[] = {{"plot", required_argument, NULL, 'p'},
						{"output", required_argument, NULL, 'o'},
						{"unit", required_argument, NULL, 'u'},
						{NULL, 0, NULL, 0}};
	struct svg svg = {0};
	struct input in = {0};
	int option, status = STATUS_USAGE;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (!take_option(&svg, option))
			return command_usage(argv[0]);
	}
	if (optind == argc || !svg.plot || (!svg.out && strcmp(svg.plot, "list")))
		return command_usage(argv[0]);
	if (input_load(&in, argv + optind, argc - optind, svg.unit))
		status = draw(&in, &svg);
	input_free(&in);
	return status;
}
