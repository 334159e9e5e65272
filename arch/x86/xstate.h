/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended state: the x87, SSE, AVX and AVX-512 registers, which the kernel itself never touches.
 * Source: Intel SDM vol. 1, "Managing State Using the XSAVE Feature Set".
 */
#ifndef ARCH_X86_XSTATE_H
#define ARCH_X86_XSTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/insn.h"

/* An area, aligned to 64: the standard format with AVX-512 takes 2688. */
#define XSTATE_BYTES 4096

/* What XSAVE keeps, by bits of XCR0; 0: there is no XSAVE, and FXSAVE keeps x87 and SSE. */
extern uint64_t xstate_components;

/* Part of cpu_setup(): lets the registers be used. */
void xstate_setup(void);

/* Fills `area` with values to be restored: every register in use, every byte of it that one. */
void xstate_fill(void *area, uint8_t byte);

/* Whether those were saved there, as far as the SSE registers tell. */
bool xstate_holds(const void *area, uint8_t byte);

/* XSAVE, not XSAVEOPT or XSAVEC: what it takes does not depend on what was there before. */
ALWAYS_INLINE void xstate_save(void *area)
{
	uint64_t components = xstate_components;

	if (components)
		__asm__ volatile("xsave64 (%0)"
				 :
				 : "r"(area), "a"((uint32_t)components), "d"(components >> 32)
				 : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
}

ALWAYS_INLINE void xstate_restore(const void *area)
{
	uint64_t components = xstate_components;

	if (components)
		__asm__ volatile("xrstor64 (%0)"
				 :
				 : "r"(area), "a"((uint32_t)components), "d"(components >> 32)
				 : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

#endif
