/* SPDX-License-Identifier: BSD-2-Clause */
/* Patches weak_wrmsr_fence() into the kernel's text. */
#include "arch/x86/fence.h"

#include "arch/x86/mem.h"

extern const uint64_t __fence_sites_start[], __fence_sites_end[];

static enum fence in_use = FENCE_BOTH;

/* Read by fence_by_branch. */
uint8_t fence_is_needed = 1;

/* Called with nothing saved: it must change no register but RFLAGS. */
__asm__(".pushsection .text\n"
	".globl fence_by_branch\n"
	"fence_by_branch:\n\t"
	"cmpb $0, fence_is_needed(%rip)\n\t"
	"je 1f\n\t"
	"mfence\n\t"
	"lfence\n"
	"1:\tret\n"
	".popsection");
extern const uint8_t fence_by_branch[];

enum fence fence_in_use(void)
{
	return in_use;
}

size_t fence_sites(const uint64_t **addresses)
{
	*addresses = __fence_sites_start;
	return __fence_sites_end - __fence_sites_start;
}

uint64_t fence_branch_target(void)
{
	return (uint64_t)fence_by_branch;
}

void fence_patch(enum fence fence)
{
	uint64_t flags = irq_save(), cr0 = read_cr0();
	const uint64_t *sites;
	size_t n = fence_sites(&sites);

	fence_is_needed = fence_of_vendor(cpu_identity.vendor) == FENCE_BOTH;
	in_use = fence == FENCE_AUTO ? fence_of_vendor(cpu_identity.vendor) : fence;
	write_cr0(cr0 & ~CR0_WP);
	for (size_t i = 0; i < n; i++)
		fence_encode(in_use, sites[i], fence_branch_target(), (uint8_t *)sites[i]);
	write_cr0(cr0);
	(void)cpuid(0, 0);
	irq_restore(flags);
}
