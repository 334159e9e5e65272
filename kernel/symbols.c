/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up function names. */
#include "kernel/symbols.h"

#include <stddef.h>

struct symbol {
	uint64_t address;
	const char *name;
};

/* Sorted by address; empty in the first of the two links. */
extern const struct symbol kernel_symbols[];
extern const uint64_t kernel_symbols_count;
extern const uint8_t __kernel_start[], __text_end[];

const char *symbol_find(uint64_t address, uint64_t *offset)
{
	const struct symbol *found = NULL;

	if (address < (uint64_t)__kernel_start || address >= (uint64_t)__text_end)
		return "?";
	for (uint64_t i = 0; i < kernel_symbols_count && kernel_symbols[i].address <= address; i++)
		found = &kernel_symbols[i];
	if (!found)
		return "?";
	*offset = address - found->address;
	return found->name;
}
