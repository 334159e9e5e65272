/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmits on a 16550. */
#include "arch/x86/uart.h"

#include <stddef.h>

#include "arch/x86/insn.h"

enum uart_register {
	UART_DATA = 0,
	UART_DIVISOR_LOW = 0,
	UART_INTERRUPTS = 1,
	UART_DIVISOR_HIGH = 1,
	UART_FIFO = 2,
	UART_LINE_CONTROL = 3,
	UART_MODEM_CONTROL = 4,
	UART_LINE_STATUS = 5,
	UART_SCRATCH = 7,
};

#define LINE_8N1          0x03
#define LINE_DIVISOR      0x80
#define FIFO_ENABLE_CLEAR 0x07
#define MODEM_DTR_RTS     0x03
#define STATUS_FIFO_EMPTY 0x20
#define STATUS_ALL_SENT   0x40
#define STATUS_ABSENT     0xff
#define FIFO_BYTES        16
#define MAX_DIVISOR       0xffff

/* A read takes about 1 us, 16 characters at 1200 baud 133 ms. */
#define MAX_POLLS 1000000

static struct uart uart;
static volatile uint8_t *mapped;
static bool alive;

static uint8_t read_port(uint16_t port)
{
	switch (uart.access_bits) {
	case 32:
		return inl(port);
	case 16:
		return inw(port);
	default:
		return inb(port);
	}
}

static void write_port(uint16_t port, uint8_t value)
{
	switch (uart.access_bits) {
	case 32:
		outl(port, value);
		break;
	case 16:
		outw(port, value);
		break;
	default:
		outb(port, value);
	}
}

static uint8_t read_memory(volatile uint8_t *at)
{
	switch (uart.access_bits) {
	case 32:
		return *(volatile uint32_t *)at;
	case 16:
		return *(volatile uint16_t *)at;
	default:
		return *at;
	}
}

static void write_memory(volatile uint8_t *at, uint8_t value)
{
	switch (uart.access_bits) {
	case 32:
		*(volatile uint32_t *)at = value;
		break;
	case 16:
		*(volatile uint16_t *)at = value;
		break;
	default:
		*at = value;
	}
}

static uint8_t get(enum uart_register r)
{
	if (uart.space == UART_MEMORY)
		return read_memory(mapped + r * uart.stride_bytes);
	return read_port(uart.base + r * uart.stride_bytes);
}

static void put(enum uart_register r, uint8_t value)
{
	if (uart.space == UART_MEMORY)
		write_memory(mapped + r * uart.stride_bytes, value);
	else
		write_port(uart.base + r * uart.stride_bytes, value);
}

static bool scratch_holds(uint8_t value)
{
	put(UART_SCRATCH, value);
	return get(UART_SCRATCH) == value;
}

/* What the divisor latch shall hold; 0: what it holds already. */
static uint32_t wanted_divisor(void)
{
	uint64_t divisor;

	if (!uart.clock_hz || !uart.baud)
		return 0;
	divisor = (uart.clock_hz + 8ull * uart.baud) / (16ull * uart.baud);
	if (!divisor)
		return 1;
	return divisor < MAX_DIVISOR ? divisor : MAX_DIVISOR;
}

static void set_line(void)
{
	uint32_t divisor = wanted_divisor();

	put(UART_LINE_CONTROL, LINE_DIVISOR | LINE_8N1);
	/* Firmware that left the rate to us without ever setting it: the fastest is the usual one. */
	if (!divisor && !get(UART_DIVISOR_LOW) && !get(UART_DIVISOR_HIGH))
		divisor = 1;
	if (divisor) {
		put(UART_DIVISOR_LOW, divisor & 0xff);
		put(UART_DIVISOR_HIGH, divisor >> 8);
	}
	put(UART_LINE_CONTROL, LINE_8N1);
}

bool uart_open(const struct uart *u, volatile void *registers)
{
	alive = false;
	uart = *u;
	mapped = registers;
	if (uart.space == UART_MEMORY && !mapped)
		return false;
	if (get(UART_LINE_STATUS) == STATUS_ABSENT || !scratch_holds(0x5a) || !scratch_holds(0xa5))
		return false;
	put(UART_INTERRUPTS, 0);
	set_line();
	put(UART_FIFO, FIFO_ENABLE_CLEAR);
	put(UART_MODEM_CONTROL, MODEM_DTR_RTS);
	alive = true;
	return true;
}

static bool wait_status(uint8_t bits)
{
	for (unsigned i = 0; alive && i < MAX_POLLS; i++) {
		if (get(UART_LINE_STATUS) & bits)
			return true;
		pause();
	}
	alive = false; /* it has stopped: the log in RAM goes on without it */
	return false;
}

void uart_write(const char *text, unsigned bytes)
{
	while (bytes && wait_status(STATUS_FIFO_EMPTY)) {
		for (unsigned i = 0; i < FIFO_BYTES && bytes; i++, bytes--)
			put(UART_DATA, *text++);
	}
}

void uart_drain(void)
{
	if (alive)
		wait_status(STATUS_ALL_SENT);
}
