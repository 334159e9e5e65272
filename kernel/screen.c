/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays text out and draws it. */
#include "kernel/screen.h"

#include "arch/x86/mem.h"

#define PIXEL_BYTES  4
#define MIN_WIDTH    (40 * GLYPH_WIDTH)
#define MIN_HEIGHT   (10 * GLYPH_HEIGHT)
#define MAX_SIDE     32768u
#define DOUBLE_WIDTH 2560
#define TAB          8

/* Scrolling by several rows at once means that far fewer cells are drawn. */
#define SCROLL_PART 8

/* Light grey on black. */
#define FOREGROUND_LEVEL 0xc0

static uint32_t lowest_bit(uint32_t mask)
{
	return mask & -mask;
}

/* Adding its lowest bit to a run of ones leaves one bit or none. */
static bool is_run(uint32_t mask)
{
	uint32_t above = mask + lowest_bit(mask);

	return mask && !(above & (above - 1));
}

bool screen_can_draw(const struct boot_framebuffer *fb)
{
	if (!is_run(fb->red_mask) || !is_run(fb->green_mask) || !is_run(fb->blue_mask) ||
	    fb->red_mask & fb->green_mask || fb->red_mask & fb->blue_mask ||
	    fb->green_mask & fb->blue_mask)
		return false;
	return fb->base && fb->base % PIXEL_BYTES == 0 && fb->width >= MIN_WIDTH &&
	       fb->width <= MAX_SIDE && fb->height >= MIN_HEIGHT && fb->height <= MAX_SIDE &&
	       fb->stride_bytes % PIXEL_BYTES == 0 && fb->stride_bytes / PIXEL_BYTES >= fb->width &&
	       fb->stride_bytes / PIXEL_BYTES <= MAX_SIDE;
}

uint64_t screen_pixel_bytes(const struct boot_framebuffer *fb)
{
	return (uint64_t)fb->stride_bytes * (fb->height - 1) + (uint64_t)fb->width * PIXEL_BYTES;
}

static uint32_t scale_of(const struct boot_framebuffer *fb)
{
	return fb->width >= DOUBLE_WIDTH ? 2 : 1;
}

static uint32_t columns_of(const struct boot_framebuffer *fb)
{
	return fb->width / (GLYPH_WIDTH * scale_of(fb));
}

static uint32_t rows_of(const struct boot_framebuffer *fb)
{
	return fb->height / (GLYPH_HEIGHT * scale_of(fb));
}

size_t screen_text_bytes(const struct boot_framebuffer *fb)
{
	return 2 * (size_t)rows_of(fb) * columns_of(fb);
}

/* `level` of 255 in the bits of one colour. */
static uint32_t channel(uint32_t mask, uint32_t level)
{
	uint64_t most = mask / lowest_bit(mask);

	return (uint32_t)(most * level / 255) * lowest_bit(mask);
}

static void clear(struct screen *s)
{
	for (uint32_t y = 0; y < s->height; y++) {
		for (uint32_t x = 0; x < s->width; x++)
			s->pixels[(size_t)y * s->stride + x] = s->background;
	}
	memset(s->text, ' ', (size_t)s->rows * s->columns);
	memset(s->shown, ' ', (size_t)s->rows * s->columns);
}

void screen_init(struct screen *s, const struct boot_framebuffer *fb, void *pixels, void *memory,
		 glyphs_t glyphs)
{
	*s = (struct screen){
		.pixels = pixels,
		.stride = fb->stride_bytes / PIXEL_BYTES,
		.width = fb->width,
		.height = fb->height,
		.scale = scale_of(fb),
		.foreground = channel(fb->red_mask, FOREGROUND_LEVEL) |
			      channel(fb->green_mask, FOREGROUND_LEVEL) |
			      channel(fb->blue_mask, FOREGROUND_LEVEL),
		.glyphs = glyphs,
		.text = memory,
		.shown = (char *)memory + screen_text_bytes(fb) / 2,
		.rows = rows_of(fb),
		.columns = columns_of(fb),
	};
	clear(s);
}

static void draw_glyph_row(const struct screen *s, uint32_t *out, uint8_t bits)
{
	for (uint32_t x = 0; x < GLYPH_WIDTH; x++) {
		uint32_t colour = bits & 0x80 >> x ? s->foreground : s->background;

		for (uint32_t i = 0; i < s->scale; i++)
			*out++ = colour;
	}
}

static void draw(const struct screen *s, uint32_t row, uint32_t column, char c)
{
	const uint8_t *glyph = s->glyphs[c - GLYPH_FIRST];
	uint32_t *out = s->pixels + (size_t)row * GLYPH_HEIGHT * s->scale * s->stride +
			(size_t)column * GLYPH_WIDTH * s->scale;

	for (uint32_t y = 0; y < GLYPH_HEIGHT * s->scale; y++, out += s->stride)
		draw_glyph_row(s, out, glyph[y / s->scale]);
}

static void refresh(struct screen *s)
{
	size_t at = 0;

	for (uint32_t row = 0; row < s->rows; row++) {
		for (uint32_t column = 0; column < s->columns; column++, at++) {
			if (s->text[at] == s->shown[at])
				continue;
			draw(s, row, column, s->text[at]);
			s->shown[at] = s->text[at];
		}
	}
}

/* Rows that text may have. */
static uint32_t text_rows(const struct screen *s)
{
	return s->pause ? s->rows - 1 : s->rows;
}

static uint32_t scroll_rows(const struct screen *s)
{
	return s->rows / SCROLL_PART;
}

static void scroll(struct screen *s)
{
	size_t gone = (size_t)scroll_rows(s) * s->columns, all = (size_t)s->rows * s->columns;

	memmove(s->text, s->text + gone, all - gone);
	memset(s->text + all - gone, ' ', gone);
	s->row -= scroll_rows(s);
}

/* A page is what survives the next scroll, so that no line goes unread. */
static void pause_if_full(struct screen *s)
{
	if (!s->pause || ++s->unread < text_rows(s) - scroll_rows(s))
		return;
	s->unread = 0;
	refresh(s);
	s->pause(s);
}

static void begin_line(struct screen *s)
{
	pause_if_full(s);
	while (s->row + 1 >= text_rows(s))
		scroll(s);
	s->row++;
	s->column = 0;
	s->line_ended = false;
}

static void put(struct screen *s, char c)
{
	if (s->line_ended || s->column >= s->columns)
		begin_line(s);
	s->text[(size_t)s->row * s->columns + s->column++] = c;
}

static void put_tab(struct screen *s)
{
	do
		put(s, ' ');
	while (s->column % TAB && s->column < s->columns);
}

static void end_line(struct screen *s)
{
	if (s->line_ended)
		begin_line(s);
	s->line_ended = true;
}

static bool continues_sequence(char c)
{
	return (c & 0xc0) == 0x80;
}

void screen_write(struct screen *s, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (c == '\n')
			end_line(s);
		else if (c == '\t')
			put_tab(s);
		else if (c >= GLYPH_FIRST && c <= GLYPH_LAST)
			put(s, c);
		else if (c != '\r' && !continues_sequence(c))
			put(s, '?');
	}
	refresh(s);
}

void screen_prompt(struct screen *s, const char *text)
{
	char *row = s->text + (size_t)(s->rows - 1) * s->columns;

	memset(row, ' ', s->columns);
	for (uint32_t i = 0; i < s->columns && text[i]; i++)
		row[i] = text[i];
	refresh(s);
}
