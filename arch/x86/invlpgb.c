/* SPDX-License-Identifier: BSD-2-Clause */
/* INVLPGB and TLBSYNC themselves, their first use, and ranges of any length. */
#include "arch/x86/invlpgb.h"

#include "arch/x86/features.h"

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
	invlpgb_limits = invlpgb_limits_of(c.ebx, c.edx, read_nr_asids(), read_cr4());
	fault = invlpgb_safe(invlpgb_pack(invlpgb_of_all(false)));
	if (!fault)
		fault = tlbsync_safe();
	if (fault)
		feature_disable(FEATURE_INVLPGB, "the fault of its first use");
	return fault;
}

uint32_t tlb_flush_range_pcid_broadcast_nosync(uint32_t pcid, uint64_t start, uint64_t end,
					       enum invlpgb_stride stride, bool freed_tables)
{
	unsigned shift = stride == INVLPGB_2M ? 21 : 12;
	uint32_t nr, issued = 0;

	for (uint64_t va = start; va < end; va += (uint64_t)nr << shift) {
		nr = invlpgb_pages_next(va, end, shift, invlpgb_limits.max_pages);
		tlb_flush_pages_pcid_broadcast_nosync(pcid, va, nr, stride, freed_tables);
		issued++;
	}
	return issued;
}
