/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns extended state on, fills it and looks at it. */
#include "arch/x86/xstate.h"

#include "arch/x86/features.h"
#include "arch/x86/mem.h"

#define CPUID_XSTATE 0x0d

/* The legacy region and the header (Intel SDM vol. 1, "XSAVE Area"). */
#define FTW           4 /* abridged: a bit for each x87 register that is not empty */
#define X87_REGISTERS 32
#define SSE_REGISTERS 160
#define RESERVED      416
#define XSTATE_BV     512
#define HEADER_END    576

uint64_t xstate_components;

void xstate_setup(void)
{
	uint64_t has, wanted = XCR0_X87 | XCR0_SSE | XCR0_AVX;

	if (!feature_has(FEATURE_XSAVE))
		return;
	has = cpuid(CPUID_XSTATE, 0).eax;
	/* All of AVX-512's or none, or XSETBV faults. */
	if ((has & XCR0_AVX512) == XCR0_AVX512)
		wanted |= XCR0_AVX512;
	xstate_components = has & wanted;
	xsetbv(0, xstate_components);
}

void xstate_fill(void *area, uint8_t byte)
{
	uint8_t *bytes = area;

	memset(bytes, 0, XSTATE_BYTES);
	xstate_save(bytes); /* control words that can be loaded */
	bytes[FTW] = 0xff;
	memset(bytes + X87_REGISTERS, byte, RESERVED - X87_REGISTERS);
	if (!xstate_components)
		return;
	*(uint64_t *)(bytes + XSTATE_BV) = xstate_components;
	memset(bytes + HEADER_END, byte, cpuid(CPUID_XSTATE, 0).ebx - HEADER_END);
}

bool xstate_holds(const void *area, uint8_t byte)
{
	const uint8_t *bytes = area;

	if ((*(const uint64_t *)(bytes + XSTATE_BV) & xstate_components) != xstate_components)
		return false;
	for (unsigned i = SSE_REGISTERS; i < RESERVED; i++) {
		if (bytes[i] != byte)
			return false;
	}
	return true;
}
