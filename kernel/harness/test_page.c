/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps pages for tests. */
#include "kernel/harness/test_page.h"

#include "arch/x86/mem.h"
#include "arch/x86/tlb.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "mm/layout.h"

static uint64_t next = TEST_BASE;

uint64_t test_space_reserve(uint64_t bytes, uint64_t align)
{
	uint64_t va = (next + align - 1) & ~(align - 1);

	next = va + bytes;
	return va;
}

/* Maps `frame`, which is freed where that can't be. */
static uint64_t map_frame(uint64_t frame, unsigned flags)
{
	uint64_t va;

	if (!frame)
		return 0;
	va = test_space_reserve(FRAME_SIZE, FRAME_SIZE);
	if (!paging_map(&kernel_tables, va, frame, PAGE_4K, flags)) {
		frames_free(frame, 1);
		return 0;
	}
	return va;
}

uint64_t test_page_map(unsigned flags)
{
	return map_frame(frame_alloc_zeroed(), MAP_WRITE | flags);
}

uint64_t test_page_map_code(const void *code, size_t bytes)
{
	uint64_t frame = frame_alloc_zeroed();

	if (frame)
		memcpy(phys_to_virt(frame), code, bytes);
	return map_frame(frame, MAP_EXECUTE | MAP_USER);
}

void test_page_unmap(uint64_t va)
{
	uint64_t *entry = paging_entry(&kernel_tables, va, NULL);
	uint64_t frame;

	if (!entry)
		return;
	frame = *entry & PTE_ADDR_MASK;
	*entry = 0;
	tlb_flush_page_local(va);
	frames_free(frame, 1);
}
