/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial port, screen and RAM log. */
#include "kernel/console.h"

#include "arch/x86/features.h"
#include "arch/x86/mem.h"
#include "arch/x86/spinlock.h"
#include "arch/x86/uart.h"
#include "kernel/format.h"
#include "kernel/framebuffer.h"

#define LOG_BYTES  (256 * 1024)
#define LINE_BYTES 512
#define FIRST_PORT 0x3f8

/* Found by name in a memory dump of a machine without a port. It keeps the start of the run. */
static char ram_log[LOG_BYTES];
static size_t ram_log_length;

static struct spinlock lock;
static bool opened, serial_wanted, serial, screen_wanted, screen;
static bool text_wanted = true, records_wanted = true;
static struct uart port; /* where `serial` */
static uint32_t screen_width, screen_height;

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

static void emit_record(const char *line, size_t n)
{
	log_append(line, n);
	if (serial)
		serial_write(line, n);
}

static void emit_text(const char *text, size_t n)
{
	emit_record(text, n);
	framebuffer_write(text, n);
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
	screen_wanted = o->console_fb;
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

void console_use_screen(const struct boot_framebuffer *fb)
{
	uint64_t flags;

	if (!screen_wanted)
		return;
	flags = spin_lock_irqsave(&lock);
	screen = framebuffer_open(fb);
	screen_width = fb->width;
	screen_height = fb->height;
	if (text_wanted)
		framebuffer_write(ram_log, ram_log_length);
	spin_unlock_irqrestore(&lock, flags);
}

/* Under a hypervisor nobody may be looking, and whoever does can give the machine a port. */
void console_turn_pages(void)
{
	if (!serial && !feature_has(FEATURE_HYPERVISOR))
		framebuffer_set_paging(true);
}

void console_describe(char *out, size_t size)
{
	char place[32] = "no serial port", size_text[32] = "no screen";

	if (serial)
		format(place, sizeof(place), "serial %s0x%lx",
		       port.space == UART_MEMORY ? "memory " : "", port.base);
	if (screen)
		format(size_text, sizeof(size_text), "screen %ux%u", screen_width, screen_height);
	format(out, size, "%s, %s", place, size_text);
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
	emit_text(text, n < sizeof(text) ? n : sizeof(text) - 1);
	spin_unlock_irqrestore(&lock, flags);
}

void console_record(const char *line, size_t length)
{
	uint64_t flags;

	if (!records_wanted)
		return;
	flags = spin_lock_irqsave(&lock);
	emit_record(line, length);
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
	framebuffer_set_paging(false);
	emit_text(text, n < sizeof(text) ? n : sizeof(text) - 1);
}

void console_drain(void)
{
	if (serial)
		uart_drain();
}
