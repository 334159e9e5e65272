/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 16550 serial port, transmit only, polled, every wait bounded.
 * Source: National Semiconductor PC16550D data sheet.
 */
#ifndef ARCH_X86_UART_H
#define ARCH_X86_UART_H

#include <stdbool.h>
#include <stdint.h>

/* 8 data bits, no parity, 1 stop bit. False where no UART answers at `port`. */
bool uart_init(uint16_t port, uint32_t baud);

/* Does nothing after a failed uart_init, or once the transmitter has stopped for good. */
void uart_write(const char *text, unsigned bytes);

/* Waits until the last character has left. */
void uart_drain(void);

#endif
