/* SPDX-License-Identifier: BSD-2-Clause */
/* INVLPGB and TLBSYNC themselves, and their first use. */
#include "arch/x86/invlpgb.h"

#include "arch/x86/features.h"
#include "arch/x86/invlpgb_model.h"

struct invlpgb_limits invlpgb_limits;

/* As bytes: not every assembler knows the mnemonics. Not inlined: see the header. */
__attribute__((noinline)) fault_t invlpgb_safe(struct invlpgb_operands operands)
{
	fault_t fault;

	__asm__ volatile(GUARDED(".byte 0x0f, 0x01, 0xfe")
			 : "=a"(fault)
			 : "0"(operands.rax), "c"(operands.ecx), "d"(operands.edx)
			 : "memory", "cc");
	return fault;
}

__attribute__((noinline)) fault_t tlbsync_safe(void)
{
	fault_t fault;

	__asm__ volatile(GUARDED(".byte 0x0f, 0x01, 0xff") : "=a"(fault) : : "memory", "cc");
	return fault;
}

static uint32_t read_nr_asids(void)
{
	return cpuid(0x80000000, 0).eax < 0x8000000a ? 0 : cpuid(0x8000000a, 0).ebx;
}

fault_t invlpgb_setup(void)
{
	struct cpuid c;
	fault_t fault;

	if (!feature_has(FEATURE_INVLPGB))
		return FAULT_NONE;
	c = cpuid(0x80000008, 0);
	invlpgb_limits = invlpgb_model_is_on()
				 ? invlpgb_model_limits()
				 : invlpgb_limits_of(c.ebx, c.edx, read_nr_asids(), read_cr4());
	fault = invlpgb_safe(invlpgb_pack(invlpgb_of_all(false)));
	if (!fault)
		fault = tlbsync_safe();
	if (fault)
		feature_disable(FEATURE_INVLPGB, "the fault of its first use");
	return fault;
}
