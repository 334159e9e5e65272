/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the EFI application. All run on the boot CPU, before ExitBootServices. */
#ifndef BOOT_EFI_LOADER_H
#define BOOT_EFI_LOADER_H

#include <efi.h>

#include "boot/boot_info.h"

/*
 * Says why on the console, waits a while so that it can be read, and returns `status` to the
 * firmware.
 */
EFI_STATUS loader_fail(const CHAR16 *what, EFI_STATUS status);

/* Adds a line to boot_info.notes: what the kernel's log should say of the boot. Cut when full. */
void loader_note(const char *line);

/* Pages that stay, for data of the kernel's, or for code and data. 0: none. */
EFI_PHYSICAL_ADDRESS loader_pages(UINTN bytes);
EFI_PHYSICAL_ADDRESS loader_code_pages(UINTN bytes);

/* Writes the command line (LoadOptions, else \shootdown.cfg, else "") to info. */
void loader_read_cmdline(EFI_HANDLE image, struct boot_info *info);

/* Loads the kernel's ELF at any free address; *entry is where to jump. */
EFI_STATUS loader_load_kernel(struct boot_info *info, EFI_PHYSICAL_ADDRESS *entry);

/*
 * RSDP, SMBIOS, framebuffer, Secure Boot, date, firmware, CPUs, low page. What is missing stays 0.
 */
void loader_collect(EFI_SYSTEM_TABLE *system, struct boot_info *info);

/* Takes the final memory map and leaves boot services. */
EFI_STATUS loader_exit_boot_services(EFI_HANDLE image, struct boot_info *info);

#endif
