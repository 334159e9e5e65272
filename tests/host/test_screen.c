/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/screen.c on framebuffers in memory, watched by ASan, with a font of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/screen.h"
#include "tests/host/random.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define COLUMNS       40
#define ROWS          12
#define UNTOUCHED     0xdeadbeef

/* A glyph is its code in its first row, its complement in its last, and its left edge between. */
static uint8_t glyphs[GLYPH_COUNT][GLYPH_HEIGHT];

static struct boot_framebuffer fb;
static struct screen screen;
static uint32_t *pixels;
static char *memory;

static void make_glyphs(void)
{
	for (int c = GLYPH_FIRST + 1; c <= GLYPH_LAST; c++) {
		memset(glyphs[c - GLYPH_FIRST], 0x80, GLYPH_HEIGHT);
		glyphs[c - GLYPH_FIRST][0] = c;
		glyphs[c - GLYPH_FIRST][GLYPH_HEIGHT - 1] = ~c;
	}
}

static struct boot_framebuffer framebuffer(uint32_t width, uint32_t height, uint32_t stride)
{
	return (struct boot_framebuffer){.base = 0x80000000,
					 .width = width,
					 .height = height,
					 .stride_bytes = 4 * stride,
					 .red_mask = 0xff0000,
					 .green_mask = 0xff00,
					 .blue_mask = 0xff};
}

static void open_screen(struct boot_framebuffer wanted)
{
	size_t n;

	fb = wanted;
	assert_true(screen_can_draw(&fb));
	n = screen_pixel_bytes(&fb) / 4;
	make_glyphs();
	pixels = malloc(n * 4);
	for (size_t i = 0; i < n; i++)
		pixels[i] = UNTOUCHED;
	memory = malloc(screen_text_bytes(&fb));
	screen_init(&screen, &fb, pixels, memory, glyphs);
}

static int open_plain(void **unused)
{
	(void)unused;
	open_screen(framebuffer(COLUMNS * 8, ROWS * 16, COLUMNS * 8));
	return 0;
}

static int close_screen(void **unused)
{
	(void)unused;
	free(pixels);
	free(memory);
	return 0;
}

static void write_text(const char *text)
{
	screen_write(&screen, text, strlen(text));
}

static uint32_t pixel(uint32_t x, uint32_t y)
{
	return pixels[(size_t)y * (fb.stride_bytes / 4) + x];
}

static bool cell_is(uint32_t row, uint32_t column, char c)
{
	uint32_t scale = screen.scale;

	for (uint32_t y = 0; y < 16 * scale; y++) {
		for (uint32_t x = 0; x < 8 * scale; x++) {
			bool dot = glyphs[c - GLYPH_FIRST][y / scale] >> (7 - x / scale) & 1;

			if (pixel(column * 8 * scale + x, row * 16 * scale + y) !=
			    (dot ? screen.foreground : screen.background))
				return false;
		}
	}
	return true;
}

/* The row as pixels say, its end blank. */
static void assert_row(uint32_t row, const char *expected)
{
	size_t n = strlen(expected);

	for (uint32_t column = 0; column < screen.columns; column++) {
		char c = column < n ? expected[column] : ' ';

		if (!cell_is(row, column, c))
			fail_msg("row %u, column %u is no '%c'", row, column, c);
	}
}

static void assert_rows(const char *const *expected, unsigned n)
{
	for (unsigned row = 0; row < screen.rows; row++)
		assert_row(row, row < n ? expected[row] : "");
}

#define ASSERT_ROWS(...)                                \
	assert_rows((const char *const[]){__VA_ARGS__}, \
		    ARRAY_SIZE(((const char *const[]){__VA_ARGS__})))

static void modes_that_can_not_be_drawn(void **unused)
{
	static const struct {
		size_t at, width;
		uint64_t value;
	} cases[] = {
		{offsetof(struct boot_framebuffer, base), 8, 0},
		{offsetof(struct boot_framebuffer, base), 8, 0x80000002},
		{offsetof(struct boot_framebuffer, width), 4, 0},
		{offsetof(struct boot_framebuffer, width), 4, 319},
		{offsetof(struct boot_framebuffer, width), 4, UINT32_MAX},
		{offsetof(struct boot_framebuffer, height), 4, 0},
		{offsetof(struct boot_framebuffer, height), 4, 159},
		{offsetof(struct boot_framebuffer, height), 4, UINT32_MAX},
		{offsetof(struct boot_framebuffer, stride_bytes), 4, 0},
		{offsetof(struct boot_framebuffer, stride_bytes), 4, 4 * 639},
		{offsetof(struct boot_framebuffer, stride_bytes), 4, 4 * 640 + 2},
		{offsetof(struct boot_framebuffer, stride_bytes), 4, 0xfffffffc},
		{offsetof(struct boot_framebuffer, red_mask), 4, 0},
		{offsetof(struct boot_framebuffer, red_mask), 4, 0x1ff00},
		{offsetof(struct boot_framebuffer, green_mask), 4, 0xff01},
		{offsetof(struct boot_framebuffer, blue_mask), 4, 0xa5},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fb = framebuffer(640, 480, 640);
		assert_true(screen_can_draw(&fb));
		memcpy((char *)&fb + cases[i].at, &cases[i].value, cases[i].width);
		assert_false(screen_can_draw(&fb));
	}
}

static void colours(void **unused)
{
	static const struct {
		uint32_t red, green, blue, foreground;
	} cases[] = {
		{0xff0000, 0xff00, 0xff, 0xc0c0c0},
		{0xff, 0xff00, 0xff0000, 0xc0c0c0},
		{0xff000000, 0xff0000, 0xff00, 0xc0c0c000},
		{0x3ff00000, 0xffc00, 0x3ff, 0x302u << 20 | 0x302 << 10 | 0x302},
		{0xf800, 0x7e0, 0x1f, 0x17 << 11 | 0x2f << 5 | 0x17},
		{0xfffffffc, 2, 1, 0xc0c0c0bcu & ~3u},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct boot_framebuffer wanted = framebuffer(320, 160, 320);

		wanted.red_mask = cases[i].red;
		wanted.green_mask = cases[i].green;
		wanted.blue_mask = cases[i].blue;
		open_screen(wanted);
		assert_int_equal(screen.foreground, cases[i].foreground);
		assert_int_equal(screen.background, 0);
		write_text("x");
		assert_row(0, "x");
		close_screen(NULL);
	}
}

/* Only the lines of the mode are written, whatever lies between them. */
static void wide_stride_and_odd_sizes(void **unused)
{
	(void)unused;
	open_screen(framebuffer(COLUMNS * 8 + 5, ROWS * 16 + 9, COLUMNS * 8 + 37));
	assert_int_equal(screen.columns, COLUMNS);
	assert_int_equal(screen.rows, ROWS);
	for (int i = 0; i < 100; i++)
		write_text("0123456789012345678901234567890123456789\n");
	for (uint32_t y = 0; y < fb.height; y++) {
		for (uint32_t x = 0; x < fb.stride_bytes / 4; x++) {
			if (x >= fb.width && y + 1 < fb.height)
				assert_int_equal(pixel(x, y), UNTOUCHED);
			else if (x < fb.width && (x >= COLUMNS * 8 || y >= ROWS * 16))
				assert_int_equal(pixel(x, y), screen.background);
		}
	}
	close_screen(NULL);
}

static void large_screens_are_doubled(void **unused)
{
	(void)unused;
	open_screen(framebuffer(2559, 1600, 2559));
	assert_int_equal(screen.scale, 1);
	close_screen(NULL);
	open_screen(framebuffer(2560, 1600, 2560));
	assert_int_equal(screen.columns, 160);
	assert_int_equal(screen.rows, 50);
	write_text("double\nsize");
	ASSERT_ROWS("double", "size");
	close_screen(NULL);
}

static void lines(void **unused)
{
	(void)unused;
	write_text("one\ntwo");
	write_text(" and more\r\n\nfour\n");
	ASSERT_ROWS("one", "two and more", "", "four");
}

static void long_lines_wrap(void **unused)
{
	(void)unused;
	/* One that just fits takes no second row. */
	write_text("0123456789012345678901234567890123456789\n");
	write_text("0123456789012345678901234567890123456789abc\nend\n");
	ASSERT_ROWS("0123456789012345678901234567890123456789",
		    "0123456789012345678901234567890123456789", "abc", "end");
}

static void odd_characters(void **unused)
{
	(void)unused;
	write_text("a\tb\t\tc\n\xc3\xa4\xe2\x82\xac\x1b[m\x7f\x01~ \n");
	ASSERT_ROWS("a       b               c", "???[m??~");
}

/* By whole eighths, at least a row: the last lines are there, in order, the newest lowest. */
static void scrolling(void **unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		char line[32];
		unsigned newest = i < ROWS ? i : ROWS - 1;

		snprintf(line, sizeof(line), "line %d\n", i);
		write_text(line);
		line[strlen(line) - 1] = 0;
		assert_row(newest, line);
		for (unsigned row = 0; row < newest; row++) {
			snprintf(line, sizeof(line), "line %u", i - (newest - row));
			assert_row(row, line);
		}
	}
}

static void only_changed_cells_are_drawn(void **unused)
{
	(void)unused;
	write_text("abc");
	for (size_t i = 0; i < screen_pixel_bytes(&fb) / 4; i++)
		pixels[i] = UNTOUCHED;
	write_text("d\n");
	for (uint32_t y = 0; y < fb.height; y++) {
		for (uint32_t x = 0; x < fb.width; x++)
			assert_int_equal(pixel(x, y) == UNTOUCHED, y >= 16 || x < 24 || x >= 32);
	}
}

static unsigned pauses, next_line;

/* Every line since the last pause is in view, in order, and the row for the prompt is free. */
static void check_pause(struct screen *s)
{
	char line[32];
	unsigned row = 0;

	pauses++;
	while (!cell_is(row, 0, 'A' + next_line % 26))
		assert_true(++row < s->rows);
	for (; row < s->rows - 1 && !cell_is(row, 0, ' '); row++) {
		snprintf(line, sizeof(line), "%c %u", 'A' + next_line % 26, next_line);
		assert_row(row, line);
		next_line++;
	}
	screen_prompt(s, "prompt, longer than the screen is wide by far");
	assert_row(s->rows - 1, "prompt, longer than the screen is wide b");
	screen_prompt(s, "");
	assert_row(s->rows - 1, "");
}

static void pauses_miss_no_line(void **unused)
{
	char line[32];

	(void)unused;
	pauses = next_line = 0;
	screen.pause = check_pause;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "%c %u\n", 'A' + i % 26, i);
		write_text(line);
		/* The last line is never paused after: the end stays in view. */
		assert_true(next_line <= i);
	}
	assert_int_equal(pauses, 9); /* of ROWS - 2 lines */
	assert_int_equal(next_line, 90);
	screen.pause = NULL;
	write_text("no more\n");
	assert_int_equal(pauses, 9);
}

/* Set when the screen is full already. */
static void pauses_from_the_last_row_on(void **unused)
{
	(void)unused;
	for (int i = 0; i < ROWS; i++)
		write_text("full\n");
	pauses = 0;
	screen.pause = check_pause;
	write_text("next");
	assert_row(ROWS - 1, "");
	assert_row(ROWS - 2, "next");
}

static void random_text(void **unused)
{
	char text[200];

	(void)unused;
	for (int i = 0; i < 2000; i++) {
		size_t n = random64() % sizeof(text);

		for (size_t k = 0; k < n; k++)
			text[k] = random64() % 4 ? (char)random64() : "\n\t\r "[random64() % 4];
		screen_write(&screen, text, n);
		assert_true(screen.row < screen.rows && screen.column <= screen.columns);
		assert_memory_equal(screen.text, screen.shown, ROWS * COLUMNS);
	}
}

#define ON_PLAIN(test) cmocka_unit_test_setup_teardown(test, open_plain, close_screen)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_that_can_not_be_drawn),
		cmocka_unit_test(colours),
		cmocka_unit_test(wide_stride_and_odd_sizes),
		cmocka_unit_test(large_screens_are_doubled),
		ON_PLAIN(lines),
		ON_PLAIN(long_lines_wrap),
		ON_PLAIN(odd_characters),
		ON_PLAIN(scrolling),
		ON_PLAIN(only_changed_cells_are_drawn),
		ON_PLAIN(pauses_miss_no_line),
		ON_PLAIN(pauses_from_the_last_row_on),
		ON_PLAIN(random_text),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
