/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where lines go: the serial port and a log in RAM. Anyone may print, on any CPU; a call's text is
 * never torn. Before console_init() text goes to the log only, and to the port from its start then.
 */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include "kernel/cmdline.h"

/* Opens the port the options name. False: nothing answers there. */
bool console_init(const struct options *o);

/* Text for people: dropped where format= leaves text out. One call at most 512 characters. */
void printk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A whole line for programs, its end included: dropped where format= leaves records out. */
void console_record(const char *line, size_t length);

/* printk for a dying machine: takes no lock, drops nothing. */
void console_emergency(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Waits until everything has left the machine. */
void console_drain(void);

#endif
