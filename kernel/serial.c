/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for a serial port by ACPI and on PCI. */
#include "kernel/serial.h"

#include "arch/x86/acpi.h"
#include "arch/x86/pci.h"
#include "arch/x86/uart.h"
#include "kernel/console.h"
#include "mm/kernel_space.h"

#define SECOND_PORT 0x2f8
#define USUAL_BAUD  115200

/* Tables are foreign data: an address in RAM would hold what is written and pass for a UART. */
static bool try_uart(const struct uart *u)
{
	volatile void *registers = NULL;

	if (u->space == UART_MEMORY) {
		if (kernel_is_ram(u->base, uart_bytes(u)))
			return false;
		registers = kernel_map_mmio(u->base, uart_bytes(u));
		if (!registers)
			return false;
	}
	return console_use_serial(u, registers);
}

static bool try_spcr(uint64_t rsdp)
{
	struct uart u;
	size_t bytes;
	const char *why;
	const uint8_t *table = acpi_find(rsdp, "SPCR", kernel_map_firmware, &bytes, &why);

	return table && acpi_parse_spcr(table, bytes, &u) && try_uart(&u);
}

static bool try_dbg2(uint64_t rsdp)
{
	struct uart u;
	size_t bytes;
	const char *why;
	const uint8_t *table = acpi_find(rsdp, "DBG2", kernel_map_firmware, &bytes, &why);

	for (unsigned i = 0; table && acpi_parse_dbg2(table, bytes, i, &u); i++) {
		if (try_uart(&u))
			return true;
	}
	return false;
}

static bool try_pci(void)
{
	struct pci_search search = {0};
	struct uart u;

	while (pci_next_serial(&search, &u)) {
		if (try_uart(&u))
			return true;
	}
	return false;
}

void serial_find(const struct boot_info *info)
{
	struct uart second = uart_legacy(SECOND_PORT, USUAL_BAUD);

	if (!console_wants_serial())
		return;
	if (!try_spcr(info->rsdp) && !try_dbg2(info->rsdp) && !try_pci())
		try_uart(&second);
}
