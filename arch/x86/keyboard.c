/* SPDX-License-Identifier: BSD-2-Clause */
/* Polls the PS/2 controller. */
#include "arch/x86/keyboard.h"

#include "arch/x86/clock.h"
#include "arch/x86/insn.h"

#define KEYBOARD_DATA   0x60
#define KEYBOARD_STATUS 0x64

#define STATUS_OUTPUT 0x01
#define STATUS_MOUSE  0x20
#define STATUS_ABSENT 0xff

/* Set in the scan code of a key that goes up; controllers translate whatever keyboards send. */
#define SCAN_RELEASE 0x80

/* More than the controller and any keyboard hold back. */
#define MAX_PENDING 64

bool keyboard_present(void)
{
	return inb(KEYBOARD_STATUS) != STATUS_ABSENT;
}

/* What was typed before nobody meant for now. */
static void drop_pending(void)
{
	for (int i = 0; i < MAX_PENDING && inb(KEYBOARD_STATUS) & STATUS_OUTPUT; i++) {
		(void)inb(KEYBOARD_DATA);
		clock_delay_us(1000);
	}
}

static bool key_went_down(void)
{
	uint8_t status = inb(KEYBOARD_STATUS), code;

	if (!(status & STATUS_OUTPUT))
		return false;
	code = inb(KEYBOARD_DATA);
	return !(status & STATUS_MOUSE) && code && !(code & SCAN_RELEASE);
}

bool keyboard_wait(uint32_t timeout_us)
{
	uint64_t deadline = clock_deadline(timeout_us);

	drop_pending();
	while (!clock_passed(deadline)) {
		if (key_went_down())
			return true;
		pause();
	}
	return false;
}
