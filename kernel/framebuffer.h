/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen that the firmware left switched on, if any. Callers serialize, but for
 * framebuffer_write() of a dying machine.
 */
#ifndef KERNEL_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/boot_info.h"

/*
 * Maps and clears it. Once, on the first CPU, after kernel_space_init() and cpu_setup(). False:
 * there is none that can be drawn in, or no memory.
 */
bool framebuffer_open(const struct boot_framebuffer *fb);

/* Does nothing without a screen. */
void framebuffer_write(const char *text, size_t n);

/*
 * From now on, whether each full screen waits for a key, at most 30 s, so that all can be read
 * where there is nothing but the screen. Not without a keyboard controller. After clock_init().
 */
void framebuffer_set_paging(bool on);

#endif
