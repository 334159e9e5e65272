/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line against one table. */
#include "kernel/cmdline.h"

#include "arch/x86/fence.h"
#include "kernel/format.h"
#include "mm/flush_policy.h"
#include "mm/flush_request.h"
#include "mm/global_asid.h"

enum kind {
	KIND_FLAG,   /* bool; takes no value */
	KIND_NUMBER, /* uint64_t, decimal or 0x */
	KIND_CHOICE, /* uint32_t: index in `choices` */
	KIND_SET,    /* bools, one for each of `choices`, from `offset` on; comma-separated */
	KIND_TEXT,   /* struct slice */
	KIND_UART    /* uint64_t port, uint64_t baud */
};

struct option {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *const *choices; /* ends with NULL */
	uint64_t min, max;          /* of a number */
};

#define AT(member) offsetof(struct options, member)
#define LIST(...)  ((const char *const[]){__VA_ARGS__, NULL})

/* Every choice of a set is one bool: the members lie side by side. */
_Static_assert(AT(format_records) == AT(format_text) + sizeof(bool), "format=");
_Static_assert(AT(console_fb) == AT(console_serial) + sizeof(bool), "console=");
_Static_assert(AT(uart_baud) == AT(uart_port) + sizeof(uint64_t), "uart=");

const char *const others_names[] = {"hlt", "poll", "busy", NULL};

static const struct option options[] = {
	{"run", KIND_TEXT, AT(run), NULL, 0, 0},
	{"suite", KIND_CHOICE, AT(suite), LIST("quick", "full"), 0, 0},
	{"cpus", KIND_NUMBER, AT(cpus), NULL, 1, UINT32_MAX},
	{"budget", KIND_NUMBER, AT(budget), NULL, 1, 600000},
	{"samples", KIND_NUMBER, AT(samples), NULL, 16, 1000000},
	{"seed", KIND_NUMBER, AT(seed), NULL, 0, UINT64_MAX},
	{"noinvpcid", KIND_FLAG, AT(noinvpcid), NULL, 0, 0},
	{"nopcid", KIND_FLAG, AT(nopcid), NULL, 0, 0},
	{"nopge", KIND_FLAG, AT(nopge), NULL, 0, 0},
	{"noinvlpgb", KIND_FLAG, AT(noinvlpgb), NULL, 0, 0},
	{"nox2apic", KIND_FLAG, AT(nox2apic), NULL, 0, 0},
	{"invlpgb", KIND_CHOICE, AT(invlpgb), LIST("cpu", "model"), 0, 0},
	{"fence", KIND_CHOICE, AT(fence), fence_names, 0, 0},
	{"policy", KIND_CHOICE, AT(policy), flush_policy_names, 0, 0},
	{"pti", KIND_FLAG, AT(pti), NULL, 0, 0},
	{"ceiling", KIND_NUMBER, AT(ceiling), NULL, 1, 1000000},
	{"gasid_cpus", KIND_NUMBER, AT(gasid_cpus), NULL, 0, 100000},
	{"gasid_sample", KIND_NUMBER, AT(gasid_sample), NULL, 1, 1000000},
	{"gasids", KIND_NUMBER, AT(gasids), NULL, 1, GLOBAL_ASIDS_MAX},
	{"inject", KIND_CHOICE, AT(inject), inject_names, 0, 0},
	{"others", KIND_CHOICE, AT(others), others_names, 0, 0},
	{"freq", KIND_SET, 0, LIST("leave"), 0, 0},
	{"console", KIND_SET, AT(console_serial), LIST("serial", "fb"), 0, 0},
	{"uart", KIND_UART, AT(uart_port), NULL, 0, 0},
	{"format", KIND_SET, AT(format_text), LIST("text", "records"), 0, 0},
	{"exit", KIND_CHOICE, AT(exit), LIST("auto", "poweroff", "reboot", "halt"), 0, 0},
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

static cmdline_error_fn report;

/* A word as it may be shown: printable and not too long. */
struct shown {
	char text[44];
};

static struct shown show(struct slice s)
{
	struct shown out;
	size_t n = 0;

	for (; n < s.length && n < 40; n++)
		out.text[n] = s.at[n] >= ' ' && s.at[n] <= '~' ? s.at[n] : '?';
	if (s.length > 40) {
		for (int i = 0; i < 3; i++)
			out.text[n++] = '.';
	}
	out.text[n] = 0;
	return out;
}

static void complain(const char *what, struct slice word, const char *hint_label, const char *hint)
{
	char message[160];

	if (!report)
		return;
	format(message, sizeof(message), "%s '%s'%s%s", what, show(word).text, hint_label, hint);
	report(message);
}

bool slice_split(struct slice *rest, char separator, struct slice *piece)
{
	size_t n = 0;

	if (!rest->at)
		return false;
	while (n < rest->length && rest->at[n] != separator)
		n++;
	*piece = (struct slice){rest->at, n};
	if (n < rest->length)
		*rest = (struct slice){rest->at + n + 1, rest->length - n - 1};
	else
		*rest = (struct slice){NULL, 0};
	return true;
}

static const char *nearest_choice(struct slice value, const char *const *choices)
{
	const char *best = choices[0];

	for (; *choices; choices++) {
		if (text_distance(value, *choices) < text_distance(value, best))
			best = *choices;
	}
	return best;
}

static bool choose(struct slice value, const char *const *choices, uint32_t *index)
{
	for (uint32_t i = 0; choices[i]; i++) {
		if (slice_equals(value, choices[i])) {
			*index = i;
			return true;
		}
	}
	return false;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_number(struct slice s, uint64_t *value)
{
	unsigned base = 10;
	size_t i = 0;

	if (s.length > 2 && s.at[0] == '0' && (s.at[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	if (i == s.length)
		return false;
	for (*value = 0; i < s.length; i++) {
		unsigned digit = digit_of(s.at[i]);

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

static void take_number(const struct option *opt, struct slice word, struct slice value,
			uint64_t *out)
{
	char range[64];
	uint64_t number;

	if (parse_number(value, &number) && number >= opt->min && number <= opt->max) {
		*out = number;
		return;
	}
	format(range, sizeof(range), "%lu to %lu", opt->min, opt->max);
	complain("ignored: bad value in", word, "; valid: ", range);
}

static void take_set(const struct option *opt, struct slice word, struct slice value, bool *out)
{
	bool wanted[8] = {false};
	struct slice piece;
	uint32_t index;

	while (slice_split(&value, ',', &piece)) {
		if (!choose(piece, opt->choices, &index)) {
			complain("ignored: bad value in", word,
				 "; nearest: ", nearest_choice(piece, opt->choices));
			return;
		}
		wanted[index] = true;
	}
	for (uint32_t i = 0; opt->offset && opt->choices[i]; i++)
		out[i] = wanted[i];
}

static void take_uart(struct slice word, struct slice value, uint64_t *out)
{
	struct slice port = {NULL, 0}, baud = {NULL, 0};
	uint64_t numbers[2] = {0, out[1]};

	slice_split(&value, ',', &port);
	if (!parse_number(port, &numbers[0]) || !numbers[0] || numbers[0] > 0xfff8 ||
	    (slice_split(&value, ',', &baud) &&
	     (!parse_number(baud, &numbers[1]) || !numbers[1] || numbers[1] > 115200)) ||
	    value.at) {
		complain("ignored: bad value in", word, "; valid: ", "PORT,BAUD as 0x3f8,115200");
		return;
	}
	out[0] = numbers[0];
	out[1] = numbers[1];
}

static void take(const struct option *opt, struct slice word, struct slice value, struct options *o)
{
	void *member = (char *)o + opt->offset;
	uint32_t index;

	if (opt->kind == KIND_FLAG) {
		if (value.at)
			complain("ignored:", word, " takes no value; valid: ", opt->name);
		else
			*(bool *)member = true;
		return;
	}
	if (!value.at || !value.length) {
		complain("ignored:", word, " needs a value", "");
		return;
	}
	switch (opt->kind) {
	case KIND_NUMBER:
		take_number(opt, word, value, member);
		break;
	case KIND_CHOICE:
		if (choose(value, opt->choices, &index))
			*(uint32_t *)member = index;
		else
			complain("ignored: bad value in", word,
				 "; nearest: ", nearest_choice(value, opt->choices));
		break;
	case KIND_SET:
		take_set(opt, word, value, member);
		break;
	case KIND_UART:
		take_uart(word, value, member);
		break;
	default:
		*(struct slice *)member = value;
	}
}

static const struct option *find(struct slice name)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (slice_equals(name, options[i].name))
			return &options[i];
	}
	return NULL;
}

static const char *nearest_option(struct slice name)
{
	const char *nearest = options[0].name;
	unsigned least = text_distance(name, nearest);

	for (size_t i = 1; i < NR_OPTIONS; i++) {
		unsigned distance = text_distance(name, options[i].name);

		if (distance < least) {
			nearest = options[i].name;
			least = distance;
		}
	}
	return nearest;
}

static void take_word(struct slice word, struct options *o)
{
	struct slice value = word, name;
	const struct option *opt;

	slice_split(&value, '=', &name);
	opt = find(name);
	if (opt)
		take(opt, word, value, o);
	else
		complain("ignored: unknown word", word, "; nearest: ", nearest_option(name));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0;
}

struct slice slice_trim(struct slice s)
{
	while (s.length && is_blank(s.at[s.length - 1]))
		s.length--;
	while (s.length && is_blank(*s.at)) {
		s.at++;
		s.length--;
	}
	return s;
}

/* What a 10 kB line of garbage may print before the rest is only counted. */
#define MAX_COMPLAINTS 32

static cmdline_error_fn unlimited;
static unsigned complaints;

static void report_some(const char *message)
{
	if (complaints++ < MAX_COMPLAINTS)
		unlimited(message);
}

void cmdline_parse(struct slice line, struct options *o, cmdline_error_fn error)
{
	size_t at = 0;

	*o = (struct options){
		.policy = POLICY_COUNT,
		.ceiling = FLUSH_CEILING,
		.gasid_cpus = GLOBAL_ASID_CPUS,
		.gasid_sample = GLOBAL_ASID_SAMPLE,
		.gasids = GLOBAL_ASIDS_MAX,
		.console_serial = true,
		.console_fb = true,
		.uart_baud = 115200,
		.format_text = true,
		.format_records = true,
	};
	report = error ? report_some : NULL;
	unlimited = error;
	complaints = 0;
	while (at < line.length) {
		size_t start;

		while (at < line.length && is_blank(line.at[at]))
			at++;
		start = at;
		while (at < line.length && !is_blank(line.at[at]))
			at++;
		if (at > start)
			take_word((struct slice){line.at + start, at - start}, o);
	}
	if (complaints > MAX_COMPLAINTS) {
		char message[64];

		format(message, sizeof(message), "ignored: %u more words that are not understood",
		       complaints - MAX_COMPLAINTS);
		error(message);
	}
}
