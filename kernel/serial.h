/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port of a machine that has it elsewhere than a PC of old. */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include "boot/boot_info.h"

/*
 * Where the console has no serial port yet, gives it the first that answers: the SPCR's, those of
 * the DBG2, those on PCI, the PC's second. Once, on the first CPU, after kernel_space_init().
 */
void serial_find(const struct boot_info *info);

#endif
