/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes text, and writes whole files. */
#define _GNU_SOURCE /* asprintf */
#include "tools/report/markup.h"

#include <errno.h>
#include <limits.h>
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

/* That of new files; mkstemp() makes some that only their owner can read. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Takes `fd`. */
static bool write_fd(int fd, mode_t mode, const char *text, size_t length)
{
	FILE *to = fchmod(fd, mode) ? NULL : fdopen(fd, "w");
	int error = errno;

	if (to)
		return write_stream(to, text, length);
	close(fd);
	errno = error;
	return false;
}

/* `path` is the file's own, no link to it. */
static bool replace(const char *path, mode_t mode, const char *text, size_t length)
{
	char *name = NULL;
	bool good = false;
	int fd, error;

	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return false;
	fd = mkstemp(name);
	if (fd >= 0) {
		good = write_fd(fd, mode, text, length) && !rename(name, path);
		error = errno;
		if (!good)
			unlink(name);
		errno = error;
	}
	free(name);
	return good;
}

/* What the symbolic link `path` says, by where it stands. */
static char *link_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char text[PATH_MAX], *target;
	ssize_t length = readlink(path, text, sizeof(text) - 1);

	if (length < 0)
		return NULL;
	text[length] = 0;
	if (*text == '/' || !slash)
		return strdup(text);
	if (asprintf(&target, "%.*s/%s", (int)(slash - path), path, text) < 0)
		return NULL;
	return target;
}

#define LINKS_MAX 40 /* as Linux has it */

/* The name that a path leads to over links, whether something is there or not. */
static char *follow(const char *path)
{
	char *at = strdup(path);
	struct stat there;

	for (unsigned i = 0; at && !lstat(at, &there) && S_ISLNK(there.st_mode); i++) {
		char *next = i < LINKS_MAX ? link_target(at) : NULL;

		if (i == LINKS_MAX)
			errno = ELOOP;
		free(at);
		at = next;
	}
	return at;
}

static bool write_path(const char *path, const char *text, size_t length)
{
	mode_t mode = usual_mode();
	struct stat there;
	bool good;
	char *target;

	if (!strcmp(path, "-"))
		return write_stream(stdout, text, length);
	if (!stat(path, &there)) {
		if (S_ISDIR(there.st_mode)) {
			errno = EISDIR;
			return false;
		}
		if (!S_ISREG(there.st_mode))
			return write_stream(fopen(path, "w"), text, length);
		mode = there.st_mode & 0777;
	}
	target = follow(path);
	good = target && replace(target, mode, text, length);
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
