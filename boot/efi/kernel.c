/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the kernel's ELF file from inside this image. Source: System V gABI, "Program Header". */
#include <efi.h>
#include <efilib.h>

#include "boot/efi/loader.h"

extern const UINT8 kernel_image[], kernel_image_end[];

struct elf_header {
	UINT8 ident[16];
	UINT16 type, machine;
	UINT32 version;
	UINT64 entry, phoff, shoff;
	UINT32 flags;
	UINT16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
_Static_assert(sizeof(struct elf_header) == 64, "Elf64_Ehdr");

struct elf_segment {
	UINT32 type, flags;
	UINT64 offset, vaddr, paddr, filesz, memsz, align;
};
_Static_assert(sizeof(struct elf_segment) == 56, "Elf64_Phdr");

#define ELF_MAGIC 0x464c457f
#define PT_LOAD   1

static const struct elf_segment *segment(const struct elf_header *elf, UINTN i)
{
	return (const struct elf_segment *)(kernel_image + elf->phoff) + i;
}

/* The span of addresses that the segments take. */
static void find_span(const struct elf_header *elf, UINT64 *lowest, UINT64 *end)
{
	*lowest = ~0ull;
	*end = 0;
	for (UINTN i = 0; i < elf->phnum; i++) {
		const struct elf_segment *s = segment(elf, i);

		if (s->type != PT_LOAD)
			continue;
		if (s->vaddr < *lowest)
			*lowest = s->vaddr;
		if (s->vaddr + s->memsz > *end)
			*end = s->vaddr + s->memsz;
	}
}

EFI_STATUS loader_load_kernel(struct boot_info *info, EFI_PHYSICAL_ADDRESS *entry)
{
	const struct elf_header *elf = (const struct elf_header *)kernel_image;
	UINT64 lowest, end;

	if (kernel_image_end - kernel_image < (INTN)sizeof(*elf) ||
	    *(UINT32 *)elf->ident != ELF_MAGIC)
		return EFI_LOAD_ERROR;
	find_span(elf, &lowest, &end);
	info->kernel_bytes = end - lowest;
	info->kernel_base = loader_code_pages(info->kernel_bytes);
	if (!info->kernel_base)
		return EFI_OUT_OF_RESOURCES;
	SetMem((void *)info->kernel_base, info->kernel_bytes, 0);
	for (UINTN i = 0; i < elf->phnum; i++) {
		const struct elf_segment *s = segment(elf, i);

		if (s->type == PT_LOAD)
			CopyMem((void *)(info->kernel_base + (s->vaddr - lowest)),
				(void *)(kernel_image + s->offset), s->filesz);
	}
	*entry = info->kernel_base + (elf->entry - lowest);
	return EFI_SUCCESS;
}
