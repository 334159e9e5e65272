/* SPDX-License-Identifier: BSD-2-Clause */
/* The tags that GRUB2 leaves: good ones, damaged ones, and noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/multiboot2/tags.h"
#include "tests/host/random.h"

static uint8_t information[4096];
static size_t used;

static void put32(uint8_t *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
}

static void put64(uint8_t *p, uint64_t value)
{
	memcpy(p, &value, sizeof(value));
}

static int begin(void **unused)
{
	(void)unused;
	memset(information, 0, sizeof(information));
	used = 8;
	return 0;
}

/* Adds a tag with room for `bytes` after its header, and returns that room. */
static uint8_t *add(uint32_t type, uint32_t bytes)
{
	uint8_t *tag = information + used;

	put32(tag, type);
	put32(tag + 4, bytes + 8);
	used += (bytes + 8 + 7) & ~7u;
	return tag + 8;
}

static struct multiboot2_tags read_back(void)
{
	struct multiboot2_tags tags;

	add(0, 0);
	put32(information, used);
	multiboot2_read_tags(information, sizeof(information), &tags);
	return tags;
}

static void texts(void **unused)
{
	struct multiboot2_tags tags;

	(void)unused;
	memcpy(add(1, 6), "cpus=2", 6); /* no terminating zero */
	memcpy(add(2, 12), "GRUB 2.06\0xx", 12);
	tags = read_back();
	assert_int_equal(tags.cmdline_bytes, 6);
	assert_memory_equal(information + tags.cmdline, "cpus=2", 6);
	assert_int_equal(tags.loader_name_bytes, 9);
	assert_memory_equal(information + tags.loader_name, "GRUB 2.06", 9);
	assert_int_equal(tags.efi_system_table, 0);
	assert_int_equal(multiboot2_memory_entries(&tags), 0);
}

static void newer_rsdp_wins(void **unused)
{
	struct multiboot2_tags tags;

	(void)unused;
	memcpy(add(15, 36), "RSD PTR 2", 9);
	memcpy(add(14, 20), "RSD PTR 1", 9);
	tags = read_back();
	assert_memory_equal(information + tags.rsdp, "RSD PTR 2", 9);
}

static void framebuffers(void **unused)
{
	struct multiboot2_tags tags;
	uint8_t *tag;

	(void)unused;
	tag = add(8, 30);
	put64(tag, 0xc0000000ull);
	put32(tag + 8, 5120);
	put32(tag + 12, 1280);
	put32(tag + 16, 800);
	memcpy(tag + 20, "\x20\x01\0\0\x10\x08\x08\x08\x00\x08", 10);
	tags = read_back();
	assert_int_equal(tags.framebuffer.base, 0xc0000000ull);
	assert_int_equal(tags.framebuffer.stride_bytes, 5120);
	assert_int_equal(tags.framebuffer.width, 1280);
	assert_int_equal(tags.framebuffer.height, 800);
	assert_int_equal(tags.framebuffer.red_mask, 0xff0000);
	assert_int_equal(tags.framebuffer.green_mask, 0xff00);
	assert_int_equal(tags.framebuffer.blue_mask, 0xff);
}

static void text_mode_is_no_framebuffer(void **unused)
{
	uint8_t *tag;

	(void)unused;
	tag = add(8, 30);
	put64(tag, 0xb8000);
	memcpy(tag + 20, "\x10\x02", 2);
	assert_int_equal(read_back().framebuffer.base, 0);
}

static void add_e820(const uint64_t (*ranges)[3], uint32_t n)
{
	uint8_t *tag = add(6, 8 + n * 24);

	put32(tag, 24);
	for (uint32_t i = 0; i < n; i++) {
		put64(tag + 8 + i * 24, ranges[i][0]);
		put64(tag + 16 + i * 24, ranges[i][1]);
		put32(tag + 24 + i * 24, ranges[i][2]);
	}
}

static void e820_in_whole_pages(void **unused)
{
	static const uint64_t ranges[][3] = {
		{0, 0x9fc00, 1},          {0x9fc00, 0x400, 2},   {0x100800, 0x2000, 1},
		{0x7fe0000, 0x20000, 3},  {0xffff0000, 1, 2},    {0x5000, 0x100, 1},
		{~0ull - 0xfff, 4096, 1}, {1ull << 40, 4096, 1}, {0x1000, 0x1000, 99},
		{~0ull - 10, ~0ull, 2},
	};
	struct boot_mem out[10];
	struct multiboot2_tags tags;

	(void)unused;
	add_e820(ranges, 10);
	tags = read_back();
	assert_int_equal(multiboot2_memory_entries(&tags), 10);
	assert_int_equal(multiboot2_convert_memory(information, &tags, out, 10), 10);
	assert_int_equal(out[0].nr_pages, 0x9f);
	assert_int_equal(out[0].type, BOOT_MEM_FREE);
	assert_int_equal(out[1].base, 0x9f000);
	assert_int_equal(out[1].nr_pages, 1);
	assert_int_equal(out[1].type, BOOT_MEM_RESERVED);
	assert_int_equal(out[2].base, 0x101000);
	assert_int_equal(out[2].nr_pages, 1);
	assert_int_equal(out[3].type, BOOT_MEM_ACPI);
	assert_int_equal(out[4].nr_pages, 1);
	assert_int_equal(out[5].nr_pages, 0);
	assert_int_equal(out[7].base, 1ull << 40);
	assert_int_equal(out[8].type, BOOT_MEM_RESERVED);
	assert_int_equal(multiboot2_convert_memory(information, &tags, out, 3), 3);
}

static void efi_map_wins(void **unused)
{
	static const uint64_t range[][3] = {{0, 0x9f000, 1}};
	struct boot_mem out[2];
	struct multiboot2_tags tags;
	uint8_t *tag;

	(void)unused;
	add_e820(range, 1);
	put64(add(12, 8), 0x7f000000);
	tag = add(17, 8 + 2 * 48);
	put32(tag, 48);
	put32(tag + 8, 7);
	put64(tag + 16, 0x100000);
	put64(tag + 32, 16);
	put32(tag + 8 + 48, 200);
	put64(tag + 16 + 48, 0x200000);
	put64(tag + 32 + 48, 1);
	tags = read_back();
	assert_int_equal(tags.efi_system_table, 0x7f000000);
	assert_int_equal(multiboot2_convert_memory(information, &tags, out, 2), 2);
	assert_int_equal(out[0].base, 0x100000);
	assert_int_equal(out[0].nr_pages, 16);
	assert_int_equal(out[0].type, BOOT_MEM_FREE);
	assert_int_equal(out[1].type, BOOT_MEM_RESERVED);
}

/* In a buffer of its exact size, so that a read past the end is noticed. */
static void hostile(void **unused)
{
	(void)unused;
	for (int round = 0; round < 20000; round++) {
		size_t bytes = random64() % 300;
		uint8_t *p = malloc(bytes ? bytes : 1);
		struct multiboot2_tags tags;
		struct boot_mem out[16];

		for (size_t i = 0; i < bytes; i++)
			p[i] = random64() % 4 ? random64() % 32 : random64();
		if (bytes >= 8 && random64() % 2)
			put32(p, bytes);
		for (size_t at = 8; at + 8 <= bytes && random64() % 8;
		     at += 8 * (1 + random64() % 6)) {
			put32(p + at, random64() % 20);
			put32(p + at + 4, random64() % 64);
		}
		multiboot2_read_tags(p, bytes, &tags);
		multiboot2_convert_memory(p, &tags, out, 16);
		assert_true(tags.cmdline + tags.cmdline_bytes <= bytes);
		assert_true(tags.loader_name + tags.loader_name_bytes <= bytes);
		assert_true(tags.rsdp <= bytes);
		free(p);
	}
}

static void cut_anywhere(void **unused)
{
	struct multiboot2_tags tags;

	(void)unused;
	memcpy(add(1, 7), "suite=", 7);
	memcpy(add(2, 5), "GRUB", 5);
	read_back();
	for (size_t limit = 0; limit <= used; limit++) {
		uint8_t *p = malloc(limit ? limit : 1);

		memcpy(p, information, limit);
		multiboot2_read_tags(p, limit, &tags);
		assert_true(tags.cmdline_bytes == 0 || tags.cmdline_bytes == 6);
		free(p);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(texts, begin),
		cmocka_unit_test_setup(newer_rsdp_wins, begin),
		cmocka_unit_test_setup(framebuffers, begin),
		cmocka_unit_test_setup(text_mode_is_no_framebuffer, begin),
		cmocka_unit_test_setup(e820_in_whole_pages, begin),
		cmocka_unit_test_setup(efi_map_wins, begin),
		cmocka_unit_test_setup(hostile, begin),
		cmocka_unit_test_setup(cut_anywhere, begin),
	};

	return cmocka_run_group_tests_name("multiboot2", tests, NULL, NULL);
}
