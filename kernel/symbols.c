/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up function names. */
#include "kernel/symbols.h"

#include <stddef.h>

#include "kernel/text.h"

#define NAME_MAX 128 /* above the longest */

/* One after the other, sorted by address; none in the first of the two links. */
struct symbol {
	uint32_t address; /* its low half: the image is in the top 2 GiB */
	char name[];      /* up to a 0, behind which the next begins */
} __attribute__((packed));

extern const uint8_t kernel_symbols[];
extern const uint64_t kernel_symbols_count;
extern const uint8_t __kernel_start[], __text_end[];

const char *symbol_find(uint64_t address, uint64_t *offset)
{
	const uint8_t *at = kernel_symbols;
	const struct symbol *found = NULL;

	if (address < (uint64_t)__kernel_start || address >= (uint64_t)__text_end)
		return "?";
	for (uint64_t i = 0; i < kernel_symbols_count; i++) {
		const struct symbol *symbol = (const struct symbol *)at;

		if (symbol->address > (uint32_t)address)
			break;
		found = symbol;
		at += sizeof(*symbol) + text_length(symbol->name, NAME_MAX) + 1;
	}
	if (!found)
		return "?";
	*offset = (uint32_t)address - found->address;
	return found->name;
}
