/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC, in x2APIC mode where the CPU has it and xAPIC mode elsewhere.
 * Source: Intel SDM vol. 3A, "Advanced Programmable Interrupt Controller (APIC)"; AMD APM vol. 2,
 * "Advanced Programmable Interrupt Controller (APIC)".
 */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include <stdbool.h>
#include <stdint.h>

enum apic_mode { APIC_XAPIC, APIC_X2APIC };

/* The largest ID an xAPIC destination can name; 255 is broadcast. */
#define XAPIC_MAX_ID 254

/* Physical address of the xAPIC registers, for the caller to map uncached. */
uint64_t apic_mmio_base(void);

/*
 * Chooses the mode for all CPUs: x2APIC where feature_has() it, or where the CPU has locked itself
 * into it (IA32_XAPIC_DISABLE_STATUS). `mmio` is where apic_mmio_base() is mapped, used in xAPIC
 * mode only. Once, on the first CPU, after traps_init().
 */
void apic_init(volatile uint32_t *mmio);

enum apic_mode apic_mode(void);

/* Puts the calling CPU's APIC into the chosen mode from whatever mode it is in, LVTs masked. */
void apic_enable(void);

/* The calling CPU's ID. */
uint32_t apic_id(void);

void apic_eoi(void);

/*
 * Sends `vector` to the CPU with `apic_id`. What the sender stored before is visible to the
 * receiver's handler. In xAPIC mode the caller has interrupts off: ICR is two registers.
 */
void ipi_send(uint32_t apic_id, uint8_t vector);

void ipi_send_init(uint32_t apic_id);

/* `page` = physical address >> 12 of the real-mode code, below 100h. */
void ipi_send_startup(uint32_t apic_id, uint8_t page);

/* NMI to every CPU but this one. */
void ipi_send_nmi_others(void);

#endif
