/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a boot path tells the kernel: the only struct that crosses from boot/ into it.
 *
 * The boot path fills it in memory that the map marks as BOOT_MEM_LOADER, leaves interrupts off and
 * an identity mapping of all memory below 4 GiB (all of RAM, where firmware gave one) in CR3, and
 * calls kernel_entry in 64-bit mode with its physical address in RDI. Every pointer is physical;
 * 0 means "the machine has none". Nothing else of the firmware's is used afterwards.
 */
#ifndef BOOT_BOOT_INFO_H
#define BOOT_BOOT_INFO_H

#include <stdint.h>

#define BOOT_INFO_MAGIC   0x314e574f44544853ull /* "SHTDOWN1", little endian */
#define BOOT_PAGE_SIZE    4096u
#define BOOT_CMDLINE_MAX  65536u
#define BOOT_FIRMWARE_MAX 96

enum boot_path { BOOT_EFI, BOOT_MULTIBOOT2_EFI, BOOT_MULTIBOOT2_BIOS };

enum boot_secure { BOOT_SECURE_UNKNOWN, BOOT_SECURE_OFF, BOOT_SECURE_ON, BOOT_SECURE_SETUP_MODE };

enum boot_mem_type {
	BOOT_MEM_RESERVED,  /* never touched */
	BOOT_MEM_FREE,      /* RAM, free from the start */
	BOOT_MEM_RECLAIM,   /* RAM, free once the firmware's own page tables are left */
	BOOT_MEM_LOADER,    /* RAM: the kernel, boot_info and what it points to */
	BOOT_MEM_ACPI,      /* RAM that holds ACPI tables or other firmware data to be read */
	BOOT_MEM_TYPE_COUNT /* not a type */
};

struct boot_mem {
	uint64_t base;     /* bytes, page aligned */
	uint64_t nr_pages; /* of 4 KiB */
	uint32_t type;     /* enum boot_mem_type */
	uint32_t reserved;
};

/* Linear framebuffer. Masks say which bits of a 32-bit pixel carry each colour. */
struct boot_framebuffer {
	uint64_t base;
	uint32_t width, height;
	uint32_t stride_bytes;
	uint32_t red_mask, green_mask, blue_mask;
};

struct boot_info {
	uint64_t magic;
	uint32_t path;        /* enum boot_path */
	uint32_t secure_boot; /* enum boot_secure */

	uint64_t memory; /* -> struct boot_mem[nr_memory], in any order; the kernel sorts it */
	uint64_t nr_memory;

	uint64_t kernel_base; /* where the image lies, and its size with .bss */
	uint64_t kernel_bytes;
	uint64_t low_page; /* a page below 1 MiB for the AP trampoline */

	uint64_t apic_ids;    /* -> uint32_t[nr_apic_ids]: CPUs as the firmware itself uses them, */
	uint64_t nr_apic_ids; /* for machines whose ACPI does not list any */

	uint64_t rsdp;
	uint64_t smbios; /* entry point, 2.x or 3.x */

	uint64_t cmdline; /* -> char[cmdline_bytes], no terminating zero */
	uint64_t cmdline_bytes;
	uint64_t notes; /* -> char[notes_bytes]: lines of the boot path's for the log */
	uint64_t notes_bytes;

	struct boot_framebuffer framebuffer;

	char firmware[BOOT_FIRMWARE_MAX]; /* printable ASCII, zero-terminated */
	char date[32]; /* ISO 8601, zero-terminated, "" where there is no clock */
};

/* What a boot path that runs in the kernel's own image calls at last, instead of kernel_entry. */
_Noreturn void kernel_main(const struct boot_info *info, uint64_t kernel_base);

_Static_assert(sizeof(struct boot_mem) == 24, "shared by two separately built programs");
_Static_assert(sizeof(struct boot_info) ==
		       16 + 16 + 24 + 16 + 16 + 32 + 32 + BOOT_FIRMWARE_MAX + 32,
	       "no padding: the boot path and the kernel may be built by different compilers");

#endif
