/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts gnuplot, reads its output to the end or to the deadline, and says what went wrong. */
#define _GNU_SOURCE /* pipe2 */
#include "tools/report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_NOT_THERE 127 /* as shells have it */

struct child {
	pid_t pid;
	int output;
	FILE *errors;
};

#define ERRORS_MAX 65536 /* bytes of messages, and of any file that it writes */

/*
 * Between fork() and exec(). Where this program was started without its first three, those that
 * gnuplot is to have may be among them: they go out of each other's way first.
 */
static void become_gnuplot(int script, int output, int errors)
{
	struct rlimit limit = {ERRORS_MAX, ERRORS_MAX};
	struct rlimit had;

	if (!getrlimit(RLIMIT_FSIZE, &had) && had.rlim_max < limit.rlim_max)
		limit = had;
	script = fcntl(script, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	output = fcntl(output, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	errors = fcntl(errors, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (script >= 0 && dup2(script, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(errors, STDERR_FILENO) >= 0 && !setrlimit(RLIMIT_FSIZE, &limit))
		execlp("gnuplot", "gnuplot", "--default-settings", (char *)NULL);
	_exit(EXIT_NOT_THERE);
}

/* The script is a file, so that nobody waits for a reader of it. */
static bool start(struct child *child, FILE *script)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	child->pid = fork();
	if (!child->pid)
		become_gnuplot(fileno(script), ends[1], fileno(child->errors));
	close(ends[1]);
	child->output = ends[0];
	if (child->pid > 0)
		return true;
	close(ends[0]);
	return false;
}

static int milliseconds_to(const struct timespec *deadline)
{
	struct timespec now;
	long long left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (deadline->tv_sec - now.tv_sec) * 1000LL +
	       (deadline->tv_nsec - now.tv_nsec) / 1000000;
	return left > 0 ? (int)left : 0;
}

/* False where it took too long, or was too much; errno says which. */
static bool read_all(int from, FILE *to, const struct timespec *deadline)
{
	struct pollfd ready = {.fd = from, .events = POLLIN};
	size_t all = 0;
	char piece[16384];

	while (all <= GNUPLOT_OUTPUT) {
		int n = poll(&ready, 1, milliseconds_to(deadline));
		ssize_t got;

		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = ETIMEDOUT;
		if (n <= 0)
			return false;
		got = read(from, piece, sizeof(piece));
		if (got <= 0)
			return !got;
		fwrite(piece, 1, got, to);
		all += got;
	}
	errno = EFBIG;
	return false;
}

/* Its first line of text that is not the script quoted at us. */
static void quote_errors(FILE *errors, char *why, size_t size)
{
	char line[256];

	snprintf(why, size, "gnuplot failed");
	rewind(errors);
	while (fgets(line, sizeof(line), errors)) {
		char *colon = strstr(line, ": ");

		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "line ", 5) && colon)
			snprintf(why, size, "gnuplot failed: %.150s", colon + 2);
	}
}

/* Whether it ended by itself before the deadline; it has ended in any case. */
static bool ended(pid_t pid, int *status, const struct timespec *deadline)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	pid_t got;

	while (!(got = waitpid(pid, status, WNOHANG)) && milliseconds_to(deadline))
		nanosleep(&pause, NULL);
	if (got)
		return got == pid;
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	errno = ETIMEDOUT;
	return false;
}

/* `error` is 0 where its output was read to the end. */
static bool finish(struct child *child, int error, const struct timespec *deadline, char *why,
		   size_t size)
{
	int status = 0;

	if (error)
		kill(child->pid, SIGKILL);
	close(child->output);
	if (!ended(child->pid, &status, deadline) && !error)
		error = errno;
	if (error)
		snprintf(why, size, "gnuplot was stopped: %s", strerror(error));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_THERE)
		snprintf(why, size, "gnuplot is missing (Debian's package gnuplot-nox)");
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		quote_errors(child->errors, why, size);
	else
		return true;
	return false;
}

static char *run(FILE *script, FILE *errors, char *why, size_t size)
{
	struct child child = {.errors = errors};
	struct timespec deadline;
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	bool good;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += GNUPLOT_SECONDS;
	if (!to || !start(&child, script)) {
		snprintf(why, size, "gnuplot can't be started: %s", strerror(errno));
		good = false;
	} else {
		int error = read_all(child.output, to, &deadline) ? 0 : errno;

		good = finish(&child, error, &deadline, why, size);
	}
	if (to && fclose(to))
		good = false;
	if (good)
		return text;
	free(text);
	return NULL;
}

char *gnuplot_run(const char *script, size_t length, char *why, size_t why_size)
{
	FILE *file = tmpfile(), *errors = tmpfile();
	char *text = NULL;

	if (!file || !errors || fwrite(script, 1, length, file) != length || fflush(file) ||
	    fseek(file, 0, SEEK_SET))
		snprintf(why, why_size, "no temporary file: %s", strerror(errno));
	else
		text = run(file, errors, why, why_size);
	if (file)
		fclose(file);
	if (errors)
		fclose(errors);
	return text;
}
