/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things are in the kernel's address space, the same with 4 and with 5 levels: the upper half
 * below PML4 entry 256 and up, shared by all address spaces. The lower half is each space's own.
 */
#ifndef MM_LAYOUT_H
#define MM_LAYOUT_H

#define DIRECT_MAP_BASE 0xffff800000000000ull /* RAM by physical address */
#define DIRECT_MAP_END  0xffffc00000000000ull
#define STACKS_BASE     0xffffd00000000000ull /* kernel stacks, a guard page below each */
#define MMIO_BASE       0xffffe00000000000ull /* device registers, uncached */
#define TEST_BASE       0xfffff00000000000ull /* pages that benchmarks and checks map */
#define TEST_SLOT_BASE  0xfffff80000000000ull /* 512 GiB under a top-level entry of their own */
#define KERNEL_BASE     0xffffffff80000000ull /* the image; linker.ld has the same number */

#endif
