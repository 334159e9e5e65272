/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the screen and turns its pages. */
#include "kernel/framebuffer.h"

#include "arch/x86/insn.h"
#include "arch/x86/keyboard.h"
#include "kernel/font.h"
#include "kernel/screen.h"
#include "mm/kernel_space.h"

#define PAGE_TIMEOUT_US 30000000

static struct screen screen;
static bool opened;

bool framebuffer_open(const struct boot_framebuffer *fb)
{
	void *pixels, *memory;

	if (!screen_can_draw(fb) || kernel_is_ram(fb->base, screen_pixel_bytes(fb)))
		return false;
	pixels = kernel_map_framebuffer(fb->base, screen_pixel_bytes(fb));
	memory = pixels ? kernel_memory_alloc(screen_text_bytes(fb)) : NULL;
	if (!memory)
		return false;
	screen_init(&screen, fb, pixels, memory, font_glyphs);
	opened = true;
	return true;
}

void framebuffer_write(const char *text, size_t n)
{
	if (!opened)
		return;
	screen_write(&screen, text, n);
	/* What a CPU that halts next still has in its write-combining buffers stays there. */
	mfence();
}

static void wait_for_key(struct screen *s)
{
	screen_prompt(s, "-- any key for more, or wait 30 seconds --");
	keyboard_wait(PAGE_TIMEOUT_US);
	screen_prompt(s, "");
}

void framebuffer_set_paging(bool on)
{
	screen.pause = on && opened && keyboard_present() ? wait_for_key : NULL;
}
