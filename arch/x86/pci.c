/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for serial controllers on PCI. */
#include "arch/x86/pci.h"

#include "arch/x86/insn.h"

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  0x80000000u

#define PCI_ID      0x00
#define PCI_COMMAND 0x04
#define PCI_CLASS   0x08
#define PCI_HEADER  0x0c
#define PCI_BAR0    0x10
#define PCI_BAR1    0x14

#define COMMAND_IO     1u
#define COMMAND_MEMORY 2u
#define CLASS_SERIAL   0x0700u
#define HEADER_TYPE    0x007f0000u
#define HEADER_MANY    0x00800000u
#define BAR_IO         1u
#define BAR_64_BIT     4u
#define NO_DEVICE      0xffffffffu

/* Every function of 256 buses of 32 devices, 8 functions each. */
#define NR_FUNCTIONS 65536u
#define NR_PER_SLOT  8u

static uint32_t config_read(uint32_t function, uint8_t offset)
{
	outl(CONFIG_ADDRESS, CONFIG_ENABLE | function << 8 | offset);
	return inl(CONFIG_DATA);
}

static void config_write(uint32_t function, uint8_t offset, uint32_t value)
{
	outl(CONFIG_ADDRESS, CONFIG_ENABLE | function << 8 | offset);
	outl(CONFIG_DATA, value);
}

/* The address register can be read back where there is one. */
static bool has_config_ports(void)
{
	outl(CONFIG_ADDRESS, CONFIG_ENABLE);
	return inl(CONFIG_ADDRESS) == CONFIG_ENABLE;
}

/* The upper half of the command register is status, whose bits a 1 would clear. */
static void switch_on(uint32_t function, uint32_t bits)
{
	uint32_t command = config_read(function, PCI_COMMAND) & 0xffff;

	config_write(function, PCI_COMMAND, command | bits);
}

/* What BAR 0 says; a device in memory has its registers side by side, as far as its class tells. */
static bool take_bar(uint32_t function, struct uart *u)
{
	uint32_t bar = config_read(function, PCI_BAR0);

	*u = uart_legacy(0, 115200);
	if (bar & BAR_IO) {
		u->base = bar & 0xfffc;
		switch_on(function, COMMAND_IO);
	} else {
		u->space = UART_MEMORY;
		u->base = bar & ~0xfu;
		if (bar & BAR_64_BIT)
			u->base |= (uint64_t)config_read(function, PCI_BAR1) << 32;
		switch_on(function, COMMAND_MEMORY);
	}
	return u->base != 0;
}

/* Where to look after `function`: single-function devices answer for all eight. */
static uint32_t after(uint32_t function, bool many)
{
	if (function % NR_PER_SLOT == 0 && !many)
		return function + NR_PER_SLOT;
	return function + 1;
}

bool pci_next_serial(struct pci_search *search, struct uart *u)
{
	if (!has_config_ports())
		return false;
	while (search->next < NR_FUNCTIONS) {
		uint32_t function = search->next, header;

		if (config_read(function, PCI_ID) == NO_DEVICE) {
			search->next = after(function, false);
			continue;
		}
		header = config_read(function, PCI_HEADER);
		search->next = after(function, header & HEADER_MANY);
		if (!(header & HEADER_TYPE) &&
		    config_read(function, PCI_CLASS) >> 16 == CLASS_SERIAL && take_bar(function, u))
			return true;
	}
	return false;
}
