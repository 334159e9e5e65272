/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other CPUs as puppets: each waits, in HLT, for CPU 0 to say which address
 * space to run or what to read or write there. Meanwhile it answers shootdowns as any CPU does.
 */
#ifndef TESTS_CHECK_PUPPETS_H
#define TESTS_CHECK_PUPPETS_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/address_space.h"

/* What a page's first word tells: which of two memories is seen, or that none is. */
#define PUPPET_TAG_OLD 0xa0a0a0a0a0a0a0a0ull
#define PUPPET_TAG_NEW 0xb1b1b1b1b1b1b1b1ull

/* Pages in a row, and whether to see if they can be written instead of what is in them. */
struct puppet_look {
	uint64_t va, stride, nr;
	bool write; /* what can be written counts as old, what can't as gone */
	bool user;  /* in the user half, which the space must have */
};

/* What a look came to, in pages. */
struct puppet_sight {
	uint32_t old, new, gone, odd;
};

/*
 * All CPUs online but this one begin to wait. False: no memory, or one does not. The caller must
 * puppets_end() in either case.
 */
bool puppets_begin(void);

/* All leave their spaces, the caller too, and end. False: one does not. */
bool puppets_end(void);

/* How many there are; they are 1 to that, in the order of the CPU table. 0 is the caller itself. */
uint32_t puppets_count(void);

/* The index of its CPU. */
uint32_t puppet_cpu(uint32_t puppet);

/*
 * Those that `which` picks (NULL: all), the caller among them, run `space` from here on; NULL: the
 * kernel's own tables. False: one did not answer within some seconds.
 */
bool puppets_switch(bool (*which)(uint32_t puppet), struct address_space *space);

/* All look in the spaces that they run. False as above. */
bool puppets_look(const struct puppet_look *look);

/* Those that `which` picks as above do `what`, at the same time and with interrupts on. False as above. */
bool puppets_do(bool (*which)(uint32_t puppet), void (*what)(void));

/* What it saw then. */
const struct puppet_sight *puppet_sight(uint32_t puppet);

#endif
