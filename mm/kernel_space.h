/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own address space: image, RAM, stacks, device registers.
 * Addresses are given out upwards and never taken back; every CPU shares the upper half.
 */
#ifndef MM_KERNEL_SPACE_H
#define MM_KERNEL_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "mm/paging.h"

extern struct page_tables kernel_tables;

enum kernel_space_error {
	KERNEL_SPACE_OK,
	KERNEL_SPACE_NO_FREE_MEMORY, /* the map has no free RAM that the boot path mapped */
	KERNEL_SPACE_OUT_OF_MEMORY   /* not enough of it for the page tables */
};

/*
 * Takes the memory map, whose entries it sorts where they are, builds the tables, loads them and turns the reclaimable memory into free
 * memory. Afterwards phys_to_virt() reaches all RAM and `info` is readable through it only. Once,
 * on the first CPU, after features_init() and any feature_disable().
 */
enum kernel_space_error kernel_space_init(const struct boot_info *info);

/* A stack of `bytes`, an unmapped page below it. Returns its top, 0: no memory. */
uint64_t kernel_stack_alloc(uint64_t bytes);

/* Memory of the kernel's own, zeroed, at its direct-map address. NULL: none. */
void *kernel_memory_alloc(size_t bytes);
void kernel_memory_free(void *memory, size_t bytes);

/* Whether any of [phys, phys + bytes) is RAM by the map, and whether all of it is. */
bool kernel_is_ram(uint64_t phys, uint64_t bytes);
bool kernel_is_all_ram(uint64_t phys, uint64_t bytes);

/* Device registers, uncached. NULL: no memory, or the address can't be. */
volatile void *kernel_map_mmio(uint64_t phys, uint64_t bytes);

/* Pixels: written in bursts, never to be read. NULL as above. After cpu_setup(). */
void *kernel_map_framebuffer(uint64_t phys, uint64_t bytes);

/*
 * Something the firmware left in memory, to be read: where it is RAM of the map this is its
 * direct-map address; elsewhere it is mapped, cached and read-only. NULL as above.
 */
const void *kernel_map_firmware(uint64_t phys, size_t bytes);

/*
 * A page below 640 KiB that the map calls free and that nothing uses, for boot paths that found
 * none while the firmware still held it. 0: none.
 */
uint64_t kernel_low_page(void);

/* How much RAM the memory map describes, all types together, bytes. */
uint64_t kernel_ram_bytes(void);

/*
 * A copy of the kernel's upper half, with [page, page + 4 KiB) also mapped executable at its own
 * physical address: what an AP's way up from real mode needs. Its root is below 4 GiB. 0: no
 * memory.
 */
uint32_t kernel_space_create_trampoline(uint64_t page);

#endif
