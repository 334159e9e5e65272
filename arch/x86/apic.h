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
#define XAPIC_ICR_LOW     (0x300 / 4)
#define XAPIC_ICR_HIGH    (0x310 / 4)
#define XAPIC_LVT_TIMER   (0x320 / 4)
#define XAPIC_TIMER_COUNT (0x380 / 4)

/* LVT timer; one-shot mode is 0. */
#define LVT_TSC_DEADLINE (2u << 17)

/* Polls of ICR_PENDING before a send goes ahead regardless: an IPI is taken in well under 1000. */
#define XAPIC_MAX_POLLS 100000

/* Where the xAPIC's registers are mapped. */
extern volatile uint32_t *xapic;

/*
 * Writes ICR with the mode known, so that a timed section holds no call and no choice. The _bare
 * ones are for those who measure and test what belongs before them.
 */
ALWAYS_INLINE void x2apic_write_icr_bare(uint32_t apic_id, uint32_t low)
{
	wrmsr(MSR_X2APIC_ICR, (uint64_t)apic_id << 32 | low);
}

ALWAYS_INLINE void x2apic_write_icr(uint32_t apic_id, uint32_t low)
{
	/* Without it the receiver could run before the stores it is told about. */
	weak_wrmsr_fence();
	x2apic_write_icr_bare(apic_id, low);
}

ALWAYS_INLINE void xapic_wait_idle(void)
{
	for (unsigned i = 0; i < XAPIC_MAX_POLLS && xapic[XAPIC_ICR_LOW] & ICR_PENDING; i++)
		pause();
}

/* `base` = xapic, for an operand in a register. After xapic_wait_idle(). */
ALWAYS_INLINE void xapic_write_icr_bare(volatile uint32_t *base, uint32_t apic_id, uint32_t low)
{
	/* Uncached stores are ordered behind earlier stores by themselves. */
	base[XAPIC_ICR_HIGH] = apic_id << 24;
	base[XAPIC_ICR_LOW] = low;
}

/* The low half alone, for a shorthand, which names its destination itself. */
ALWAYS_INLINE void xapic_write_icr_low(uint32_t low)
{
	xapic_wait_idle();
	xapic[XAPIC_ICR_LOW] = low;
}

/* `high` has the destination in bits 31:24. */
ALWAYS_INLINE void xapic_write_icr_halves(uint32_t high, uint32_t low)
{
	xapic_wait_idle();
	/* Uncached stores are ordered behind earlier stores by themselves. */
	xapic[XAPIC_ICR_HIGH] = high;
	xapic[XAPIC_ICR_LOW] = low;
}

ALWAYS_INLINE void xapic_write_icr(uint32_t apic_id, uint32_t low)
{
	xapic_write_icr_halves(apic_id << 24, low);
}

enum apic_timer_mode {
	APIC_TIMER_ONE_SHOT, /* counts down at the rate of the bus or crystal, undivided */
	APIC_TIMER_DEADLINE  /* only with FEATURE_TSC_DEADLINE */
};

/*
 * Lets the calling CPU's timer raise `vector` once it is armed. Arming is ordered behind this in
 * either mode of the APIC (Intel SDM vol. 3A, "TSC-Deadline Mode").
 */
void apic_timer_enable(enum apic_timer_mode mode, uint8_t vector);

/* Disarms and masks it, as apic_enable() left it. One that has fired may still be pending. */
void apic_timer_disable(void);

/*
 * What apic_timer_enable() does for deadline mode, without what orders it: for those who test that.
 * `mode` = apic_mode().
 */
ALWAYS_INLINE void apic_timer_choose_deadline_bare(enum apic_mode mode, uint8_t vector)
{
	if (mode == APIC_X2APIC)
		wrmsr(MSR_X2APIC_LVT_TIMER, LVT_TSC_DEADLINE | vector);
	else
		xapic[XAPIC_LVT_TIMER] = LVT_TSC_DEADLINE | vector;
}

/* Arms it in one-shot mode; 0 disarms. */
void apic_timer_write_count(uint32_t count);

/* What is left of the count. */
uint32_t apic_timer_read_count(void);

ALWAYS_INLINE void apic_timer_write_deadline_bare(uint64_t tsc)
{
	wrmsr(MSR_TSC_DEADLINE, tsc);
}

/* Arms it in deadline mode, for when the TSC reaches `tsc`, at once if it has; 0 disarms. */
ALWAYS_INLINE void apic_timer_write_deadline(uint64_t tsc)
{
	/* Without it the handler could run before the stores it is to see (fence.h). */
	weak_wrmsr_fence();
	apic_timer_write_deadline_bare(tsc);
}

void ipi_send_init(uint32_t apic_id);

/* `page` = physical address >> 12 of the real-mode code, below 100h. */
void ipi_send_startup(uint32_t apic_id, uint8_t page);

void ipi_send_nmi(uint32_t apic_id);

#endif
