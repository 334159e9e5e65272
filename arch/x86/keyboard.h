/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for a key of a PS/2 keyboard, or of one that the firmware makes look so. Polled.
 * Source: IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device
 * Controller".
 */
#ifndef ARCH_X86_KEYBOARD_H
#define ARCH_X86_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a controller answers. */
bool keyboard_present(void);

/* Until a key goes down, true, or the time is over, false. After clock_init(). */
bool keyboard_wait(uint32_t timeout_us);

#endif
