/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit, power off, reset, halt. */
#include "arch/x86/power.h"

#include "arch/x86/insn.h"

#define DEBUG_EXIT_PORT     0xf4
#define RESET_PORT          0xcf9 /* Intel chipset data sheets, "RST_CNT" */
#define RESET_FULL          0x0e
#define PM1_SLEEP_TYPE      10
#define PM1_SLEEP_TYPE_MASK (7u << PM1_SLEEP_TYPE)
#define PM1_SLEEP           (1u << 13)

void power_debug_exit(uint8_t code)
{
	outl(DEBUG_EXIT_PORT, code);
}

static void write_sleep_type(uint16_t port, uint8_t type)
{
	uint16_t kept = inw(port) & ~PM1_SLEEP_TYPE_MASK;

	outw(port, kept | (type << PM1_SLEEP_TYPE & PM1_SLEEP_TYPE_MASK) | PM1_SLEEP);
}

void power_off(uint16_t pm1a_port, uint16_t pm1b_port, uint8_t type_a, uint8_t type_b)
{
	if (!pm1a_port)
		return;
	write_sleep_type(pm1a_port, type_a);
	if (pm1b_port)
		write_sleep_type(pm1b_port, type_b);
	/* The write starts a transition: give it time without a clock that may be gone. */
	for (unsigned i = 0; i < 100000; i++)
		(void)inb(0x80);
}

void power_reset(void)
{
	static const struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) no_idt;

	cli();
	outb(RESET_PORT, RESET_FULL & ~4);
	outb(RESET_PORT, RESET_FULL);
	for (unsigned i = 0; i < 100000; i++)
		(void)inb(0x80);
	__asm__ volatile("lidt %0\n\tint3" : : "m"(no_idt) : "memory");
	power_halt();
}

void power_halt(void)
{
	for (;;) {
		cli();
		hlt();
	}
}
