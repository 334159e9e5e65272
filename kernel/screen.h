/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text as pixels in a linear framebuffer. Pure: the caller gives the memory, and serializes. The
 * framebuffer is only ever written, for reading it may take a microsecond a pixel; what it shows is
 * remembered, and only cells that change are drawn.
 */
#ifndef KERNEL_SCREEN_H
#define KERNEL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

#define GLYPH_WIDTH  8
#define GLYPH_HEIGHT 16
#define GLYPH_FIRST  ' '
#define GLYPH_LAST   '~'
#define GLYPH_COUNT  (GLYPH_LAST - GLYPH_FIRST + 1)

/* A byte for each row, its highest bit on the left. */
typedef const uint8_t (*glyphs_t)[GLYPH_HEIGHT];

struct screen {
	uint32_t *pixels;
	uint32_t stride; /* pixels */
	uint32_t width, height;
	uint32_t scale; /* pixels of the screen for one of a glyph, either way */
	uint32_t foreground, background;
	glyphs_t glyphs;
	char *text;  /* [rows * columns], what shall be seen */
	char *shown; /* the same, what is seen */
	uint32_t rows, columns;
	uint32_t row, column; /* where the next character goes */
	bool line_ended;      /* it goes to a new line, which is begun only when it comes */
	uint32_t unread;      /* lines since the last pause */

	/*
	 * Called when as many lines as the screen holds have come and the next is about to, with
	 * all of them in view, so that somebody can read them. NULL: never. The last row is kept
	 * free for it while it is set.
	 */
	void (*pause)(struct screen *s);
};

/* Whether this is a framebuffer that can be drawn in: 32-bit pixels, sound sizes, room for text. */
bool screen_can_draw(const struct boot_framebuffer *fb);

/* From the first pixel to the end of the last line. */
uint64_t screen_pixel_bytes(const struct boot_framebuffer *fb);

/* Of memory that the text takes. */
size_t screen_text_bytes(const struct boot_framebuffer *fb);

/*
 * Clears the whole screen. `pixels` is where the framebuffer is mapped, `memory` has
 * screen_text_bytes(). screen_can_draw() must have said yes.
 */
void screen_init(struct screen *s, const struct boot_framebuffer *fb, void *pixels, void *memory,
		 glyphs_t glyphs);

/* Long lines wrap; what is not ASCII becomes '?', once for a UTF-8 sequence. */
void screen_write(struct screen *s, const char *text, size_t n);

/* Replaces the last row, as far as `text` goes and the row is wide; "" empties it. */
void screen_prompt(struct screen *s, const char *text);

#endif
