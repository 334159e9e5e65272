/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where lines go: a serial port, a screen and a log in RAM. Anyone may print, on any CPU; a call's
 * text is never torn. Before a port or screen is open text goes to the log only, and to them from
 * its start then. Records go to the port and the log, never to the screen.
 */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include "arch/x86/uart.h"
#include "boot/boot_info.h"
#include "kernel/cmdline.h"

/* Opens the port the options name, else a PC's first one. May be before anything is mapped. */
void console_init(const struct options *o);

/* Whether the options want a serial port and none has answered yet. */
bool console_wants_serial(void);

/* Opens another port, as uart_open. Before the first record. */
bool console_use_serial(const struct uart *u, volatile void *registers);

/*
 * Shows the text, what has been printed too, on the firmware's screen if the options want that.
 * As framebuffer_open(), and before the first record.
 */
void console_use_screen(const struct boot_framebuffer *fb);

/*
 * On a machine that has no way to keep the report but the reader's eyes, lets each full screen wait
 * for a key. After clock_init().
 */
void console_turn_pages(void);

/* Where it all goes, for people: "serial 0x3f8, screen 1280x800". */
void console_describe(char *out, size_t size);

/* Text for people: dropped where format= leaves text out. One call at most 512 characters. */
void printk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A whole line for programs, its end included: dropped where format= leaves records out. */
void console_record(const char *line, size_t length);

/* printk for a dying machine: takes no lock, drops nothing. */
void console_emergency(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Waits until everything has left the machine. */
void console_drain(void);

#endif
