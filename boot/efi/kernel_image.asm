; SPDX-License-Identifier: BSD-2-Clause
; The kernel's ELF file, as data of the EFI application: one file on the stick is enough.
global kernel_image, kernel_image_end

section .rodata
align 4096
kernel_image:
	incbin "shootdown.stripped.elf"
kernel_image_end:

section .note.GNU-stack noalloc noexec nowrite progbits
