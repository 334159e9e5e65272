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

#include "arch/x86/fence.h"
#include "arch/x86/insn.h"

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

/* ICR, low half: delivery modes, destination mode, level and shorthand. */
#define ICR_FIXED   (0u << 8)
#define ICR_NMI     (4u << 8)
#define ICR_INIT    (5u << 8)
#define ICR_STARTUP (6u << 8)
#define ICR_LOGICAL (1u << 11)
#define ICR_PENDING (1u << 12) /* xAPIC only */
#define ICR_ASSERT  (1u << 14)
#define ICR_SELF    (1u << 18)
#define ICR_OTHERS  (3u << 18) /* every APIC but the sender's */

/* Indices of the xAPIC's 32-bit registers. */
#define XAPIC_ICR_LOW  (0x300 / 4)
#define XAPIC_ICR_HIGH (0x310 / 4)

/* Polls of ICR_PENDING before a send goes ahead regardless: an IPI is taken in well under 1000. */
#define XAPIC_MAX_POLLS 100000

/* Where the xAPIC's registers are mapped. */
extern volatile uint32_t *xapic;

/* Writes ICR with the mode known, so that a timed section holds no call and no choice. */
ALWAYS_INLINE void x2apic_write_icr(uint32_t apic_id, uint32_t low)
{
	/* Without it the receiver could run before the stores it is told about. */
	weak_wrmsr_fence();
	wrmsr(MSR_X2APIC_ICR, (uint64_t)apic_id << 32 | low);
}

/* The low half alone, for a shorthand, which names its destination itself. */
ALWAYS_INLINE void xapic_write_icr_low(uint32_t low)
{
	for (unsigned i = 0; i < XAPIC_MAX_POLLS && xapic[XAPIC_ICR_LOW] & ICR_PENDING; i++)
		pause();
	xapic[XAPIC_ICR_LOW] = low;
}

/* `high` has the destination in bits 31:24. */
ALWAYS_INLINE void xapic_write_icr_halves(uint32_t high, uint32_t low)
{
	for (unsigned i = 0; i < XAPIC_MAX_POLLS && xapic[XAPIC_ICR_LOW] & ICR_PENDING; i++)
		pause();
	/* Uncached stores are ordered behind earlier stores by themselves. */
	xapic[XAPIC_ICR_HIGH] = high;
	xapic[XAPIC_ICR_LOW] = low;
}

ALWAYS_INLINE void xapic_write_icr(uint32_t apic_id, uint32_t low)
{
	xapic_write_icr_halves(apic_id << 24, low);
}

void ipi_send_init(uint32_t apic_id);

/* `page` = physical address >> 12 of the real-mode code, below 100h. */
void ipi_send_startup(uint32_t apic_id, uint8_t page);

void ipi_send_nmi(uint32_t apic_id);

#endif
