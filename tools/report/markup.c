/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes text, and writes whole files. */
#define _GNU_SOURCE /* asprintf */
#include "tools/report/markup.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/report/output.h"

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void put_text(FILE *to, const char *text)
{
	put_part(to, text, SIZE_MAX);
}

void put_part(FILE *to, const char *text, size_t max)
{
	for (; max && text && *text; text++, max--) {
		const char *markup = entity(*text);

		if (markup)
			fputs(markup, to);
		else
			print_safe(to, text, 1);
	}
}

static bool write_stream(FILE *to, const char *text, size_t length)
{
	bool good = to && fwrite(text, 1, length, to) == length && !fflush(to);

	if (to && to != stdout && fclose(to))
		good = false;
	return good;
}

/* mkstemp() makes files that only their owner can read. */
static bool give_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

/* `path` is the file's own, no link to it. */
static bool replace(const char *path, const char *text, size_t length)
{
	char *name = NULL;
	bool good = false;
	int fd, error;

	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return false;
	fd = mkstemp(name);
	if (fd >= 0) {
		good = give_usual_mode(fd) && write_stream(fdopen(fd, "w"), text, length) &&
		       !rename(name, path);
		error = errno;
		if (!good)
			unlink(name);
		errno = error;
	}
	free(name);
	return good;
}

static bool write_path(const char *path, const char *text, size_t length)
{
	struct stat there;
	bool good;
	char *target;

	if (!strcmp(path, "-"))
		return write_stream(stdout, text, length);
	if (stat(path, &there))
		return replace(path, text, length);
	if (S_ISDIR(there.st_mode)) {
		errno = EISDIR;
		return false;
	}
	if (!S_ISREG(there.st_mode))
		return write_stream(fopen(path, "w"), text, length);
	target = realpath(path, NULL);
	good = target && replace(target, text, length);
	free(target);
	return good;
}

bool write_whole(const char *path, const char *text, size_t length)
{
	if (write_path(path, text, length))
		return true;
	fprintf(stderr, "shootdown-report: %s: %s\n", path, strerror(errno));
	return false;
}
