/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 16550 serial port at I/O ports or in memory, transmit only, polled, every wait bounded. There is
 * one at a time; its callers serialize.
 * Source: National Semiconductor PC16550D data sheet.
 */
#ifndef ARCH_X86_UART_H
#define ARCH_X86_UART_H

#include <stdbool.h>
#include <stdint.h>

enum uart_space { UART_PORTS, UART_MEMORY };

#define UART_LEGACY_HZ 1843200 /* the crystal of a PC's port: 115200 baud at most */
#define UART_REGISTERS 8

/* Where a 16550 is and how it wants to be driven. */
struct uart {
	uint64_t base;        /* I/O port or physical address, of register 0 */
	uint32_t clock_hz;    /* 0: unknown, the rate stays as the firmware set it */
	uint32_t baud;        /* 0: the same */
	uint8_t space;        /* enum uart_space */
	uint8_t stride_bytes; /* from one register to the next: 1, 2 or 4 */
	uint8_t access_bits;  /* of a read or write: 8, 16 or 32 */
};

/* A PC's port at `base`. */
static inline struct uart uart_legacy(uint16_t base, uint32_t baud)
{
	return (struct uart){.base = base,
			     .clock_hz = UART_LEGACY_HZ,
			     .baud = baud,
			     .space = UART_PORTS,
			     .stride_bytes = 1,
			     .access_bits = 8};
}

/* From the base to the end of the last register. */
static inline uint32_t uart_bytes(const struct uart *u)
{
	return u->stride_bytes * (UART_REGISTERS - 1) + u->access_bits / 8;
}

/*
 * 8 data bits, no parity, 1 stop bit. `registers` is where the caller mapped u->base, uncached, for
 * good; NULL for I/O ports. False where no UART answers.
 */
bool uart_open(const struct uart *u, volatile void *registers);

/* Does nothing after a failed uart_open, or once the transmitter has stopped for good. */
void uart_write(const char *text, unsigned bytes);

/* Waits until the last character has left. */
void uart_drain(void);

#endif
