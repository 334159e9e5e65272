/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serial ports on PCI, through configuration mechanism #1.
 * Source: PCI Local Bus Specification 3.0, "Software Generation of Configuration Transactions".
 */
#ifndef ARCH_X86_PCI_H
#define ARCH_X86_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/uart.h"

/* How far a search has come: 0 before the first call. */
struct pci_search {
	uint32_t next;
};

/*
 * The next serial controller (class 07h, subclass 00h), its first BAR's registers switched on.
 * False: there are no more. A whole search asks each of 8192 possible devices for its ID. On one
 * CPU, before anything else uses the configuration ports.
 */
bool pci_next_serial(struct pci_search *search, struct uart *u);

#endif
