/* SPDX-License-Identifier: BSD-2-Clause */
/* The html command: one page with everything, that needs nothing else. */
#include "tools/report/html.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"

/* "unknown" where it is missing or empty. */
static void put_member(struct page *page, const json_t *record, const char *key)
{
	const char *text = record_text(record, key);

	put_text(page->to, text && *text ? text : "unknown");
}

static void put_integer(struct page *page, const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);

	if (json_is_integer(value))
		fprintf(page->to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		putc('?', page->to);
}

static void put_strings(struct page *page, const json_t *list)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
	{
		if (i)
			putc(' ', page->to);
		put_text(page->to, json_string_value(item));
	}
	if (!json_array_size(list))
		putc('-', page->to);
}

void html_name(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];
	struct letter name = letter(page->in, report);

	if (*name.text)
		fprintf(page->to, "%s: ", name.text);
	put_member(page, report_part(r, VERDICT_CPU), "brand");
	fprintf(page->to, " <span class=\"soft\">");
	put_text(page->to, report_basename(r));
	fprintf(page->to, "</span>");
}

static void put_cpu(struct page *page, const struct report *r)
{
	const json_t *cpu = report_part(r, VERDICT_CPU);
	const json_t *microcode = json_object_get(cpu, "microcode");

	put_member(page, cpu, "brand");
	fprintf(page->to, ", ");
	put_member(page, cpu, "vendor");
	fprintf(page->to, " family ");
	put_integer(page, cpu, "family");
	fprintf(page->to, ", model ");
	put_integer(page, cpu, "model");
	fprintf(page->to, ", stepping ");
	put_integer(page, cpu, "stepping");
	if (json_is_integer(microcode))
		fprintf(page->to, ", microcode %#" PRIx64, (uint64_t)json_integer_value(microcode));
}

static void put_cpus(struct page *page, const struct report *r)
{
	const json_t *cpus = report_part(r, VERDICT_CPUS);

	put_integer(page, cpus, "online");
	fprintf(page->to, " of ");
	put_integer(page, cpus, "expected");
	fprintf(page->to, " online, ");
	put_member(page, cpus, "apic_mode");
}

static void put_machine(struct page *page, const struct report *r)
{
	const json_t *machine = report_part(r, VERDICT_MACHINE);

	put_member(page, machine, "vendor");
	putc(' ', page->to);
	put_member(page, machine, "product");
	fprintf(page->to, ", ");
	put_integer(page, machine, "memory_mib");
	fprintf(page->to, " MiB, BIOS ");
	put_member(page, machine, "bios");
}

static void put_firmware(struct page *page, const struct report *r)
{
	const json_t *run = report_part(r, VERDICT_RUN);

	put_member(page, run, "firmware");
	fprintf(page->to, "; Secure Boot ");
	put_member(page, run, "secure_boot");
	fprintf(page->to, "; boot ");
	put_member(page, run, "boot");
}

static void put_hypervisor(struct page *page, const struct report *r)
{
	put_member(page, report_part(r, VERDICT_RUN), "hypervisor");
	if (r->emulator)
		fprintf(page->to, " (an emulator: %s)", r->emulator);
}

static void put_clock(struct page *page, const struct report *r)
{
	const json_t *clock = report_part(r, VERDICT_CLOCK), *check;
	const json_t *invariant = json_object_get(clock, "invariant");
	size_t i;

	if (r->tsc_hz > 0)
		fprintf(page->to, "TSC %.1f MHz", r->tsc_hz / 1e6);
	else
		fprintf(page->to, "TSC unknown");
	fprintf(page->to, " by ");
	put_member(page, clock, "source");
	if (json_is_boolean(invariant))
		fprintf(page->to, ", %sinvariant", json_is_true(invariant) ? "" : "not ");
	json_array_foreach(json_object_get(clock, "checks"), i, check)
	{
		fprintf(page->to, "; ");
		put_member(page, check, "source");
		putc(' ', page->to);
		put_integer(page, check, "ppm");
		fprintf(page->to, " ppm");
	}
}

static void put_features(struct page *page, const struct report *r)
{
	put_strings(page, json_object_get(report_part(r, VERDICT_CPU), "features"));
}

static void put_disabled(struct page *page, const struct report *r)
{
	put_strings(page, json_object_get(report_part(r, VERDICT_CPU), "disabled"));
}

static void put_errata(struct page *page, const struct report *r)
{
	put_strings(page, json_object_get(report_part(r, VERDICT_CPU), "errata"));
}

static void put_version(struct page *page, const struct report *r)
{
	const json_t *run = report_part(r, VERDICT_RUN);

	put_member(page, run, "version");
	fprintf(page->to, ", commit ");
	put_member(page, run, "commit");
	fprintf(page->to, ", ");
	put_member(page, run, "compiler");
}

static void put_cmdline(struct page *page, const struct report *r)
{
	const char *text = record_text(report_part(r, VERDICT_RUN), "cmdline");

	put_text(page->to, text && *text ? text : "-");
}

static void put_date(struct page *page, const struct report *r)
{
	put_member(page, report_part(r, VERDICT_RUN), "date");
}

static void put_file(struct page *page, const struct report *r)
{
	put_text(page->to, report_basename(r));
	if (r->verdict->earlier)
		fprintf(page->to, ", its last boot of %" PRIu64, r->verdict->earlier + 1);
}

static void put_counts(struct page *page, const struct report *r)
{
	const struct verdict *v = r->verdict;

	fprintf(page->to,
		"%" PRIu32 " passed, %" PRIu32 " failed, %" PRIu32 " skipped, %" PRIu32
		" failed as expected; ",
		v->counts[VERDICT_PASS], v->counts[VERDICT_FAIL], v->counts[VERDICT_SKIP],
		v->counts[VERDICT_XFAIL]);
	put_integer(page, report_part(r, VERDICT_END), "benches");
	fprintf(page->to, " benchmarks in ");
	put_integer(page, report_part(r, VERDICT_END), "elapsed_ms");
	fprintf(page->to, " ms");
}

static const struct property {
	const char *title;
	void (*put)(struct page *page, const struct report *r);
} properties[] = {
	{"result", put_counts},
	{"cpu", put_cpu},
	{"cpus", put_cpus},
	{"machine", put_machine},
	{"hypervisor", put_hypervisor},
	{"clock", put_clock},
	{"firmware", put_firmware},
	{"features", put_features},
	{"disabled", put_disabled},
	{"errata", put_errata},
	{"command line", put_cmdline},
	{"shootdown", put_version},
	{"date", put_date},
	{"file", put_file},
};

static void put_summary(struct page *page)
{
	const struct input *in = page->in;

	fprintf(page->to, "<section id=\"summary\">\n<h2>Summary</h2>\n<div class=\"about\">\n");
	if (in->n > 1) {
		table_open(page, "the machines");
		head_cell(page, "", false);
		for (size_t i = 0; i < in->n; i++)
			head_cell(page, letter(in, i).text, false);
		table_body(page);
	} else {
		headless_table_open(page, "the machine");
	}
	for (size_t p = 0; p < sizeof(properties) / sizeof(properties[0]); p++) {
		row_open(page);
		row_head(page, properties[p].title);
		for (size_t i = 0; i < in->n; i++) {
			fprintf(page->to, "<td>");
			properties[p].put(page, in->reports[i]);
			fprintf(page->to, "</td>");
		}
		row_close(page);
	}
	table_close(page);
	fprintf(page->to, "</div>\n</section>\n");
}

static void put_damage(struct page *page, const struct verdict *v)
{
	fprintf(page->to, "<ul>\n");
	for (uint64_t i = 0; i < v->nr_problems && i < VERDICT_PROBLEM_MAX; i++) {
		fprintf(page->to, "<li>");
		put_text(page->to, v->problems[i]);
		fprintf(page->to, "</li>\n");
	}
	if (v->nr_problems > VERDICT_PROBLEM_MAX)
		fprintf(page->to, "<li>and %" PRIu64 " more</li>\n",
			v->nr_problems - VERDICT_PROBLEM_MAX);
	fprintf(page->to, "</ul>\n");
}

/* What a report is worth, in a box of its colour. */
static void put_verdict(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];
	const struct verdict *v = r->verdict;
	bool whole = verdict_whole(v);
	uint32_t failed = v->counts[VERDICT_FAIL], expected = v->counts[VERDICT_XFAIL];

	fprintf(page->to, "<div class=\"verdict %s\">\n<p>%s ", failed || !whole ? "bad" : "good",
		failed || !whole ? "✗" : "✓");
	html_name(page, report);
	fprintf(page->to, "<br><strong>");
	if (failed)
		fprintf(page->to, "%" PRIu32 " check%s failed", failed, failed == 1 ? "" : "s");
	else
		fprintf(page->to, "No check failed");
	fprintf(page->to, "</strong>, %" PRIu32 " passed, %" PRIu32 " skipped",
		v->counts[VERDICT_PASS], v->counts[VERDICT_SKIP]);
	if (expected)
		fprintf(page->to, ", %" PRIu32 " failed as expected", expected);
	fprintf(page->to, "; the report is %s</p>\n",
		whole ? "whole" : "<strong>damaged or incomplete</strong>");
	if (!whole)
		put_damage(page, v);
	fprintf(page->to, "</div>\n");
	if (failed || expected)
		html_failures(page, report);
}

static size_t count_modelled(const struct report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nr_rows; i++)
		n += r->rows[i].modelled;
	return n;
}

static void put_notes(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];
	const char *hypervisor = record_text(report_part(r, VERDICT_RUN), "hypervisor");
	size_t modelled = count_modelled(r);
	struct letter name = letter(page->in, report);
	const char *of = *name.text ? " of " : "";

	if (r->emulator)
		fprintf(page->to,
			"<p class=\"note warn\"><strong>Times%s%s are those of an emulator, "
			"%s</strong>, not of a CPU.</p>\n",
			of, name.text, r->emulator);
	else if (hypervisor && *hypervisor && strcmp(hypervisor, "none")) {
		fprintf(page->to,
			"<p class=\"note warn\"><strong>Times%s%s were taken under a "
			"hypervisor</strong>, ",
			of, name.text);
		put_text(page->to, hypervisor);
		fprintf(page->to, ": what it does at an exit is in them.</p>\n");
	}
	if (modelled)
		fprintf(page->to,
			"<p class=\"note warn\"><strong>%zu record%s%s%s modelled</strong>: software "
			"carried out INVLPGB there, so no time is given.</p>\n",
			modelled, modelled == 1 ? "" : "s", of, name.text);
}

static void put_top(struct page *page)
{
	fprintf(page->to, "<section id=\"verdict\">\n");
	for (size_t i = 0; i < page->in->n; i++)
		put_notes(page, i);
	for (size_t i = 0; i < page->in->n; i++)
		put_verdict(page, i);
	fprintf(page->to, "</section>\n"
			  "<nav aria-label=\"on this page\"><ul>"
			  "<li><a href=\"#summary\">Summary</a></li>"
			  "<li><a href=\"#pictures\">Pictures</a></li>"
			  "<li><a href=\"#tables\">Tables</a></li>"
			  "<li><a href=\"#skipped\">Skipped</a></li></ul></nav>\n");
}

static void put_head(struct page *page)
{
	fprintf(page->to,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; img-src data:\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>Shootdown");
	for (size_t i = 0; i < page->in->n; i++) {
		fprintf(page->to, "%s", i ? ", " : ": ");
		put_member(page, report_part(page->in->reports[i], VERDICT_CPU), "brand");
	}
	fprintf(page->to, "</title>\n<style>\n");
	html_style(page->to);
	fprintf(page->to,
		"</style>\n</head>\n<body>\n<header>\n<h1>Shootdown report</h1>\n"
		"<p class=\"soft\">What TLB invalidation costs, and whether it works</p>\n"
		"</header>\n<main>\n");
}

bool html_named(const struct page *page)
{
	return page->in->n > 1;
}

/* Under a heading for each report where there are several. */
static void put_each(struct page *page, void (*put)(struct page *page, size_t report))
{
	for (size_t i = 0; i < page->in->n; i++) {
		if (html_named(page)) {
			fprintf(page->to, "<h3 class=\"report\">");
			html_name(page, i);
			fprintf(page->to, "</h3>\n");
		}
		put(page, i);
	}
}

static void put_page(struct page *page)
{
	put_head(page);
	put_top(page);
	put_summary(page);
	html_pictures(page);
	fprintf(page->to, "<section id=\"tables\">\n<h2>Tables</h2>\n");
	if (page->in->n > 1)
		html_comparison(page);
	put_each(page, html_tables);
	fprintf(page->to, "</section>\n<section id=\"skipped\">\n<h2>Skipped, and why</h2>\n");
	put_each(page, html_skips);
	fprintf(page->to, "</section>\n</main>\n<footer>Written by shootdown-report html. net: the "
			  "median of a section with one operation, less that of an empty one. "
			  "</footer>\n</body>\n</html>\n");
}

static int write_page(const struct input *in, const char *out)
{
	struct plots *plots = plots_find(in);
	struct page page = {.in = in, .plots = plots};
	char *text = NULL;
	size_t length = 0;
	bool written;

	page.to = must_have(open_memstream(&text, &length));
	put_page(&page);
	if (fclose(page.to))
		must_have(NULL);
	if (page.nr_missing)
		fprintf(stderr, "shootdown-report: %u pictures are left out: %s\n", page.nr_missing,
			*page.missing ? page.missing : "too many");
	written = write_whole(out, text, length);
	free(text);
	plots_free(plots);
	return written ? input_status(in) : STATUS_USAGE;
}

int html_run(int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"unit", required_argument, NULL, 'u'},
						{NULL, 0, NULL, 0}};
	struct unit_choice unit = {0};
	const char *out = NULL;
	struct input in = {0};
	int option, status = STATUS_USAGE;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option == 'o')
			out = optarg;
		else if (option != 'u')
			return command_usage(argv[0]);
		else if (!input_unit(optarg, &unit))
			return STATUS_USAGE;
	}
	if (optind == argc || !out)
		return command_usage(argv[0]);
	if (input_load(&in, argv + optind, argc - optind, unit))
		status = write_page(&in, out);
	input_free(&in);
	return status;
}
