/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB's operands: what they ask for, in human units, to registers and back. Pure.
 * Source: AMD APM vol. 3, "INVLPGB"; CPUID Fn8000_0008 and Fn8000_000A in its appendix on CPUID.
 */
#ifndef ARCH_X86_INVLPGB_ENCODE_H
#define ARCH_X86_INVLPGB_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * rAX, below the address. A field that is not valid matches anything: without INVLPGB_ASID that is
 * every guest's entries too, without INVLPGB_VA all pages.
 */
#define INVLPGB_VA     (1u << 0) /* the pages from `va` on */
#define INVLPGB_PCID   (1u << 1)
#define INVLPGB_ASID   (1u << 2)
#define INVLPGB_GLOBAL (1u << 3) /* global entries too */
#define INVLPGB_FINAL  (1u << 4) /* final translations, no paging-structure caches */
#define INVLPGB_NESTED (1u << 5) /* nested translations too */
#define INVLPGB_FLAGS  0x3fu

enum invlpgb_stride { INVLPGB_4K, INVLPGB_2M };

struct invlpgb_request {
	uint32_t flags;
	enum invlpgb_stride stride;
	uint64_t va;       /* 4 KiB aligned, whatever the stride; 0 without INVLPGB_VA */
	uint32_t nr_pages; /* of the stride: from 1 to the limit; 1 without INVLPGB_VA */
	uint32_t asid;     /* 0: the host's; 0 without INVLPGB_ASID */
	uint32_t pcid;     /* 0 without INVLPGB_PCID */
};

struct invlpgb_operands {
	uint64_t rax;
	uint32_t ecx, edx;
};

/* What the CPU allows. */
struct invlpgb_limits {
	uint32_t max_pages; /* of one INVLPGB, never 0 */
	uint32_t nr_asids;  /* never 0 */
	bool nested;
	bool pcide;       /* CR4.PCIDE */
	unsigned va_bits; /* of a canonical address: 48 or 57 */
};

/*
 * Why operands are refused. Up to INVLPGB_BAD_NESTED they are #GP by the manual. Of the rest it says
 * nothing: they are refused because a CPU may, and nobody may rely on what it does otherwise.
 */
enum invlpgb_error {
	INVLPGB_OK,
	INVLPGB_BAD_CPL,
	INVLPGB_BAD_RESERVED, /* a reserved bit; of a request: more than its field holds */
	INVLPGB_BAD_COUNT,
	INVLPGB_BAD_ASID,
	INVLPGB_BAD_NESTED,
	INVLPGB_BAD_PCID,    /* not 0 while CR4.PCIDE is, as of INVPCID */
	INVLPGB_BAD_ADDRESS, /* a page that is not canonical, or a range across the hole or the end */
	INVLPGB_BAD_UNUSED   /* something in a field that is not valid */
};

/*
 * From EBX and EDX of CPUID 8000_0008h, EBX of 8000_000Ah (0 where there is none) and CR4. EDX[15:0]
 * counts the pages beside the first.
 */
struct invlpgb_limits invlpgb_limits_of(uint32_t ebx_8, uint32_t edx_8, uint32_t ebx_a,
					uint64_t cr4);

/*
 * Whether CPUID can be right in saying that a CPU of this family has INVLPGB. Some Zen 2 say so and
 * crash (Linux, "x86/CPU/AMD: Clear INVLPGB on Zen 2"): the first to have it are of family 19h.
 */
bool invlpgb_is_plausible(uint32_t family);

/* Without a look at what is allowed, for operands that are known to be. */
static inline struct invlpgb_operands invlpgb_pack(struct invlpgb_request r)
{
	return (struct invlpgb_operands){
		.rax = r.va | r.flags,
		.ecx = (uint32_t)r.stride << 31 | (r.nr_pages - 1),
		.edx = r.pcid << 16 | r.asid,
	};
}

/* Nothing is written to `out` unless INVLPGB_OK is returned. */
enum invlpgb_error invlpgb_encode(const struct invlpgb_request *request,
				  const struct invlpgb_limits *limits,
				  struct invlpgb_operands *out);

/* What a CPU makes of the operands in 64-bit mode; anything but INVLPGB_OK is #GP(0). As above. */
enum invlpgb_error invlpgb_decode(const struct invlpgb_operands *operands, unsigned cpl,
				  const struct invlpgb_limits *limits, struct invlpgb_request *out);

enum invlpgb_insn { INSN_OTHER, INSN_INVLPGB, INSN_TLBSYNC };

#define INVLPGB_BYTES 3 /* both of them */

/*
 * What is there to be executed. With a prefix the same opcodes are others (RMPADJUST, PVALIDATE and
 * so on), so they are INSN_OTHER.
 */
enum invlpgb_insn invlpgb_insn_at(const uint8_t bytes[INVLPGB_BYTES]);

/*
 * The requests that are made. All name ASID 0, as none is to touch guests.
 */

/* Pages of one PCID. `freed_tables`: paging-structure caches too. */
static inline struct invlpgb_request invlpgb_of_pages(uint32_t pcid, uint64_t va, uint32_t nr_pages,
						      enum invlpgb_stride stride, bool freed_tables)
{
	return (struct invlpgb_request){
		.flags = INVLPGB_VA | INVLPGB_PCID | INVLPGB_ASID |
			 (freed_tables ? 0 : INVLPGB_FINAL),
		.stride = stride,
		.va = va,
		.nr_pages = nr_pages,
		.pcid = pcid,
	};
}

/* All of one PCID but global entries. */
static inline struct invlpgb_request invlpgb_of_pcid(uint32_t pcid)
{
	return (struct invlpgb_request){
		.flags = INVLPGB_PCID | INVLPGB_ASID,
		.nr_pages = 1,
		.pcid = pcid,
	};
}

/* Pages of every PCID, global or not. */
static inline struct invlpgb_request invlpgb_of_pages_global(uint64_t va, uint32_t nr_pages,
							     enum invlpgb_stride stride)
{
	return (struct invlpgb_request){
		.flags = INVLPGB_VA | INVLPGB_ASID | INVLPGB_GLOBAL,
		.stride = stride,
		.va = va,
		.nr_pages = nr_pages,
	};
}

/* All of every PCID, with global entries or without. */
static inline struct invlpgb_request invlpgb_of_all(bool global)
{
	return (struct invlpgb_request){
		.flags = INVLPGB_ASID | (global ? INVLPGB_GLOBAL : 0),
		.nr_pages = 1,
	};
}

/*
 * Pages of 2^shift bytes that the next INVLPGB of [va, end) takes, va < end: never 0, whatever
 * `max_pages` is, or who goes through a range would do so for ever.
 */
static inline uint32_t invlpgb_pages_next(uint64_t va, uint64_t end, unsigned shift,
					  uint32_t max_pages)
{
	uint64_t left = ((end - va - 1) >> shift) + 1;

	if (left > max_pages)
		left = max_pages;
	return left ? (uint32_t)left : 1;
}

#endif
