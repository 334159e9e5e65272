/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmits on a 16550. */
#include "arch/x86/uart.h"

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

#define UART_HZ           1843200
#define LINE_8N1          0x03
#define LINE_DIVISOR      0x80
#define FIFO_ENABLE_CLEAR 0x07
#define MODEM_DTR_RTS     0x03
#define STATUS_FIFO_EMPTY 0x20
#define STATUS_ALL_SENT   0x40
#define STATUS_ABSENT     0xff
#define FIFO_BYTES        16

/* A port read takes about 1 us, 16 characters at 1200 baud 133 ms. */
#define MAX_POLLS 1000000

static uint16_t base;

static bool scratch_holds(uint16_t port, uint8_t value)
{
	outb(port + UART_SCRATCH, value);
	return inb(port + UART_SCRATCH) == value;
}

bool uart_init(uint16_t port, uint32_t baud)
{
	uint32_t divisor = baud ? UART_HZ / 16 / baud : 1;

	base = 0;
	if (inb(port + UART_LINE_STATUS) == STATUS_ABSENT || !scratch_holds(port, 0x5a) ||
	    !scratch_holds(port, 0xa5))
		return false;
	if (!divisor)
		divisor = 1;
	outb(port + UART_INTERRUPTS, 0);
	outb(port + UART_LINE_CONTROL, LINE_DIVISOR | LINE_8N1);
	outb(port + UART_DIVISOR_LOW, divisor & 0xff);
	outb(port + UART_DIVISOR_HIGH, divisor >> 8);
	outb(port + UART_LINE_CONTROL, LINE_8N1);
	outb(port + UART_FIFO, FIFO_ENABLE_CLEAR);
	outb(port + UART_MODEM_CONTROL, MODEM_DTR_RTS);
	base = port;
	return true;
}

static bool wait_status(uint8_t bits)
{
	for (unsigned i = 0; base && i < MAX_POLLS; i++) {
		if (inb(base + UART_LINE_STATUS) & bits)
			return true;
		pause();
	}
	base = 0; /* it has stopped: the log in RAM goes on without it */
	return false;
}

void uart_write(const char *text, unsigned bytes)
{
	while (bytes && wait_status(STATUS_FIFO_EMPTY)) {
		for (unsigned i = 0; i < FIFO_BYTES && bytes; i++, bytes--)
			outb(base + UART_DATA, *text++);
	}
}

void uart_drain(void)
{
	if (base)
		wait_status(STATUS_ALL_SENT);
}
