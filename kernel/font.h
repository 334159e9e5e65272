/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The font of the screen: ASCII of Lat15-VGA16, from Debian's package console-setup-linux. Made by
 * Dmitry Bolkhovityanov (u_vga16.bdf, 2000 and 2001), under the X11 licence.
 */
#ifndef KERNEL_FONT_H
#define KERNEL_FONT_H

#include "kernel/screen.h"

extern const uint8_t font_glyphs[GLYPH_COUNT][GLYPH_HEIGHT];

#endif
