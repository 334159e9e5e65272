/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the kernel's address space and gives out parts of it. */
#include "mm/kernel_space.h"

#include "arch/x86/features.h"
#include "arch/x86/mem.h"
#include "arch/x86/spinlock.h"
#include "mm/frames.h"
#include "mm/layout.h"
#include "mm/memory_map.h"

/* linker.ld: the parts of the image, page aligned, in this order. */
extern const uint8_t __kernel_start[], __text_end[], __rodata_end[], __kernel_end[];

/* The boot path maps at least this much at its own address. */
#define BOOT_MAPPED_BYTES (1ull << 32)

/* Firmware and SMM code are known to write to the first MiB whatever the map says of it. */
#define LOW_MEMORY_BYTES (1ull << 20)

struct page_tables kernel_tables;

static struct memory_map memory;
static uint64_t next_stack = STACKS_BASE;
static uint64_t next_mmio = MMIO_BASE;
static struct spinlock lock;

/* One past the highest physical address that can be mapped here. */
static uint64_t phys_limit(void)
{
	uint64_t limit = 1ull << cpu_physical_bits();

	return limit < DIRECT_MAP_END - DIRECT_MAP_BASE ? limit : DIRECT_MAP_END - DIRECT_MAP_BASE;
}

/* Gives what is of `type`, and of it alone, inside [from, to) to the allocator. */
static void add_free(enum boot_mem_type type, uint64_t from, uint64_t to)
{
	struct memory_range range;
	struct memory_walk walk;

	memory_walk_begin(&walk, &memory);
	while (memory_walk_next(&walk, type, from, to, &range))
		frames_add(range.base, (range.end - range.base) / FRAME_SIZE);
}

static bool map_image_part(const uint8_t *start, const uint8_t *end, uint64_t base, unsigned flags)
{
	uint64_t va = (uint64_t)start;

	return paging_map_range(&kernel_tables, va, base + (va - KERNEL_BASE), end - start,
				flags | MAP_GLOBAL, false);
}

static bool map_image(uint64_t base)
{
	return map_image_part(__kernel_start, __text_end, base, MAP_EXECUTE) &&
	       map_image_part(__text_end, __rodata_end, base, 0) &&
	       map_image_part(__rodata_end, __kernel_end, base, MAP_WRITE);
}

/* Run by run, not entry by entry: neighbours share large pages. */
static bool map_ram(void)
{
	struct memory_range run;
	struct memory_walk walk;

	memory_walk_begin(&walk, &memory);
	while (memory_walk_next_ram(&walk, &run)) {
		if (!paging_map_range(&kernel_tables, DIRECT_MAP_BASE + run.base, run.base,
				      run.end - run.base, MAP_WRITE | MAP_GLOBAL, true))
			return false;
	}
	return true;
}

/*
 * Creates the tables below the top entries of the regions that grow, so that copies of the top
 * table made later stay complete without being told of anything. With 5 levels one entry is above
 * all.
 */
static bool fill_top(void)
{
	static const uint64_t regions[] = {STACKS_BASE, MMIO_BASE, TEST_BASE};
	uint64_t *top = phys_to_virt(kernel_tables.root);

	for (unsigned i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		uint64_t *entry = &top[regions[i] >> (12 + 9 * (kernel_tables.levels - 1)) & 511];
		uint64_t frame;

		if (*entry & PTE_PRESENT)
			continue;
		frame = frame_alloc_zeroed();
		if (!frame)
			return false;
		*entry = frame | PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_ACCESSED;
	}
	return true;
}

enum kernel_space_error kernel_space_init(const struct boot_info *info)
{
	uint64_t kernel_base = info->kernel_base, map = info->memory;

	memory_map_init(&memory, (struct boot_mem *)map, info->nr_memory, phys_limit());
	add_free(BOOT_MEM_FREE, LOW_MEMORY_BYTES, BOOT_MAPPED_BYTES);
	if (!frames_free_count())
		return KERNEL_SPACE_NO_FREE_MEMORY;
	if (!paging_create(&kernel_tables) || !map_image(kernel_base) || !map_ram() || !fill_top())
		return KERNEL_SPACE_OUT_OF_MEMORY;
	/* Entries may have NX set, which is a reserved bit until EFER.NXE is on. */
	if (feature_has(FEATURE_NX))
		wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
	write_cr3(kernel_tables.root);
	direct_map = DIRECT_MAP_BASE;
	memory.entries = phys_to_virt(map); /* `info` itself is out of reach from here on */
	add_free(BOOT_MEM_FREE, BOOT_MAPPED_BYTES, UINT64_MAX);
	add_free(BOOT_MEM_RECLAIM, LOW_MEMORY_BYTES, UINT64_MAX);
	return KERNEL_SPACE_OK;
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + FRAME_SIZE - 1) & ~(FRAME_SIZE - 1);
}

uint64_t kernel_stack_alloc(uint64_t bytes)
{
	uint64_t base, flags, frames = frames_alloc(round_up(bytes) / FRAME_SIZE, 1, 0);
	bool mapped;

	bytes = round_up(bytes);
	if (!frames)
		return 0;
	flags = spin_lock_irqsave(&lock);
	base = next_stack + FRAME_SIZE; /* the guard */
	next_stack = base + bytes;
	mapped = paging_map_range(&kernel_tables, base, frames, bytes, MAP_WRITE | MAP_GLOBAL,
				  false);
	spin_unlock_irqrestore(&lock, flags);
	return mapped ? base + bytes : 0;
}

void *kernel_memory_alloc(size_t bytes)
{
	uint64_t frames = frames_alloc(round_up(bytes) / FRAME_SIZE, 1, 0);

	if (!frames)
		return NULL;
	return memset(phys_to_virt(frames), 0, round_up(bytes));
}

void kernel_memory_free(void *memory_start, size_t bytes)
{
	if (memory_start)
		frames_free((uint64_t)memory_start - direct_map, round_up(bytes) / FRAME_SIZE);
}

/* Maps whole pages around [phys, phys + bytes) at fresh addresses. */
static void *map_fresh(uint64_t phys, uint64_t bytes, unsigned map_flags)
{
	uint64_t offset = phys & (FRAME_SIZE - 1), base, flags;
	bool mapped;

	if (!bytes || bytes > 1ull << 32 || phys >= phys_limit() || bytes > phys_limit() - phys)
		return NULL;
	bytes = round_up(offset + bytes);
	flags = spin_lock_irqsave(&lock);
	base = next_mmio;
	next_mmio += bytes;
	mapped = paging_map_range(&kernel_tables, base, phys - offset, bytes,
				  map_flags | MAP_GLOBAL, false);
	spin_unlock_irqrestore(&lock, flags);
	return mapped ? (void *)(base + offset) : NULL;
}

bool kernel_is_ram(uint64_t phys, uint64_t bytes)
{
	struct memory_range range;
	struct memory_walk walk;

	memory_walk_begin(&walk, &memory);
	while (memory_walk_next_ram(&walk, &range)) {
		if (range.base < phys + bytes && phys < range.end)
			return true;
	}
	return false;
}

bool kernel_is_all_ram(uint64_t phys, uint64_t bytes)
{
	uint64_t known = phys; /* RAM up to here */
	struct memory_range range;
	struct memory_walk walk;

	memory_walk_begin(&walk, &memory);
	while (memory_walk_next_ram(&walk, &range)) {
		if (range.base <= known && known < range.end)
			known = range.end;
	}
	return known >= phys + bytes;
}

volatile void *kernel_map_mmio(uint64_t phys, uint64_t bytes)
{
	return map_fresh(phys, bytes, MAP_WRITE | MAP_UNCACHED);
}

void *kernel_map_framebuffer(uint64_t phys, uint64_t bytes)
{
	return map_fresh(phys, bytes, MAP_WRITE | MAP_WRITE_COMBINING);
}

const void *kernel_map_firmware(uint64_t phys, size_t bytes)
{
	uint64_t last = phys + bytes - 1;

	if (!bytes || last < phys || last >= phys_limit())
		return NULL;
	for (uint64_t page = phys & ~(FRAME_SIZE - 1);; page += FRAME_SIZE) {
		if (page > last)
			return phys_to_virt(phys);
		if (!paging_entry(&kernel_tables, DIRECT_MAP_BASE + page, NULL))
			return map_fresh(phys, bytes, 0);
	}
}

uint64_t kernel_low_page(void)
{
	return memory_map_low_page(&memory);
}

uint64_t kernel_ram_bytes(void)
{
	struct memory_range run;
	struct memory_walk walk;
	uint64_t bytes = 0;

	memory_walk_begin(&walk, &memory);
	while (memory_walk_next_ram(&walk, &run))
		bytes += run.end - run.base;
	return bytes;
}

uint32_t kernel_space_create_trampoline(uint64_t page)
{
	struct page_tables tables = {frames_alloc(1, 1, BOOT_MAPPED_BYTES), kernel_tables.levels};

	if (!tables.root)
		return 0;
	memcpy(phys_to_virt(tables.root), phys_to_virt(kernel_tables.root), FRAME_SIZE);
	if (!paging_map(&tables, page, page, PAGE_4K, MAP_EXECUTE))
		return 0;
	return tables.root;
}
