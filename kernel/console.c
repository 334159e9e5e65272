/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial port, screen and RAM log. */
#include "kernel/console.h"

#include "arch/x86/mem.h"
#include "arch/x86/spinlock.h"
#include "arch/x86/uart.h"
#include "kernel/format.h"

#define LOG_BYTES  (256 * 1024)
#define LINE_BYTES 512
#define FIRST_PORT 0x3f8

/* Found by name in a memory dump of a machine without a port. It keeps the start of the run. */
static char ram_log[LOG_BYTES];
static size_t ram_log_length;

static struct spinlock lock;
static bool opened, serial_wanted, serial, text_wanted = true, records_wanted = true;
static struct uart port; /* where `serial` */

static void log_append(const char *text, size_t n)
{
	size_t room = LOG_BYTES - ram_log_length;

	if (n > room)
		n = room;
	memcpy(ram_log + ram_log_length, text, n);
	ram_log_length += n;
}

/* Terminals want a carriage return before each line feed. */
static void serial_write(const char *text, size_t n)
{
	size_t start = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] != '\n')
			continue;
		uart_write(text + start, i - start);
		uart_write("\r\n", 2);
		start = i + 1;
	}
	uart_write(text + start, n - start);
}

static void emit(const char *text, size_t n)
{
	log_append(text, n);
	if (serial)
		serial_write(text, n);
}

/* All so far is text. */
static bool open_serial(const struct uart *u, volatile void *registers)
{
	if (!uart_open(u, registers))
		return false;
	serial = true;
	port = *u;
	if (text_wanted)
		serial_write(ram_log, ram_log_length);
	return true;
}

void console_init(const struct options *o)
{
	struct uart named = uart_legacy(o->uart_port, o->uart_baud);
	struct uart first = uart_legacy(FIRST_PORT, o->uart_baud);
	uint64_t flags = spin_lock_irqsave(&lock);

	text_wanted = o->format_text;
	records_wanted = o->format_records;
	serial_wanted = o->console_serial;
	opened = true;
	if (serial_wanted && !(o->uart_port && open_serial(&named, NULL)))
		open_serial(&first, NULL);
	spin_unlock_irqrestore(&lock, flags);
	if (serial_wanted && o->uart_port && !(serial && port.base == o->uart_port))
		printk("uart=0x%lx: no serial port answers there\n", o->uart_port);
}

bool console_wants_serial(void)
{
	return serial_wanted && !serial;
}

bool console_use_serial(const struct uart *u, volatile void *registers)
{
	uint64_t flags = spin_lock_irqsave(&lock);
	bool open = open_serial(u, registers);

	spin_unlock_irqrestore(&lock, flags);
	return open;
}

void console_describe(char *out, size_t size)
{
	if (serial)
		format(out, size, "serial %s0x%lx",
		       port.space == UART_MEMORY ? "in memory at " : "", port.base);
	else
		format(out, size, "no serial port");
}

void printk(const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list args;
	uint64_t flags;
	size_t n;

	if (opened && !text_wanted)
		return;
	va_start(args, fmt);
	n = format_args(text, sizeof(text), fmt, args);
	va_end(args);
	flags = spin_lock_irqsave(&lock);
	emit(text, n < sizeof(text) ? n : sizeof(text) - 1);
	spin_unlock_irqrestore(&lock, flags);
}

void console_record(const char *line, size_t length)
{
	uint64_t flags;

	if (!records_wanted)
		return;
	flags = spin_lock_irqsave(&lock);
	emit(line, length);
	spin_unlock_irqrestore(&lock, flags);
}

void console_emergency(const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = format_args(text, sizeof(text), fmt, args);
	va_end(args);
	emit(text, n < sizeof(text) ? n : sizeof(text) - 1);
}

void console_drain(void)
{
	if (serial)
		uart_drain();
}
