/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs, unpacks and judges INVLPGB's operands. */
#include "arch/x86/invlpgb_encode.h"

#include "arch/x86/regs.h"

/* CPUID 8000_0008h */
#define EBX_NESTED (1u << 21)
#define EDX_COUNT  0xffffu

#define RAX_RESERVED 0xfc0ull
#define ECX_COUNT    0xffffu
#define ECX_RESERVED 0x7fff0000u
#define EDX_RESERVED 0xf0000000u
#define MAX_ASID     0xffffu
#define MAX_PCID     0xfffu

#define OPCODE_0    0x0f
#define OPCODE_1    0x01
#define INVLPGB_2   0xfe
#define TLBSYNC_2   0xff
#define FAMILY_ZEN3 0x19

struct invlpgb_limits invlpgb_limits_of(uint32_t ebx_8, uint32_t edx_8, uint32_t ebx_a,
					uint64_t cr4)
{
	return (struct invlpgb_limits){
		.max_pages = (edx_8 & EDX_COUNT) + 1,
		.nr_asids = ebx_a ? ebx_a : 1,
		.nested = ebx_8 & EBX_NESTED,
		.pcide = cr4 & CR4_PCIDE,
		.va_bits = cr4 & CR4_LA57 ? 57 : 48,
	};
}

bool invlpgb_is_plausible(uint32_t family)
{
	return family >= FAMILY_ZEN3;
}

static unsigned shift_of(enum invlpgb_stride stride)
{
	return stride == INVLPGB_2M ? 21 : 12;
}

static bool is_canonical(uint64_t va, unsigned va_bits)
{
	uint64_t upper = va >> (va_bits - 1);

	return !upper || upper == UINT64_MAX >> (va_bits - 1);
}

/* First and last page, and between them neither the hole nor the end of the address space. */
static bool is_range_canonical(const struct invlpgb_request *r, unsigned va_bits)
{
	uint64_t last = r->va + ((uint64_t)(r->nr_pages - 1) << shift_of(r->stride));

	return is_canonical(r->va, va_bits) && is_canonical(last, va_bits) &&
	       r->va >> 63 == last >> 63;
}

/* Each field fits its place. */
static enum invlpgb_error judge(const struct invlpgb_request *r,
				const struct invlpgb_limits *limits)
{
	if (r->nr_pages > limits->max_pages)
		return INVLPGB_BAD_COUNT;
	if (r->asid >= limits->nr_asids)
		return INVLPGB_BAD_ASID;
	if (r->flags & INVLPGB_NESTED && !limits->nested)
		return INVLPGB_BAD_NESTED;
	if ((!(r->flags & INVLPGB_VA) && (r->va || r->nr_pages > 1)) ||
	    (!(r->flags & INVLPGB_PCID) && r->pcid) || (!(r->flags & INVLPGB_ASID) && r->asid))
		return INVLPGB_BAD_UNUSED;
	if (r->pcid && !limits->pcide)
		return INVLPGB_BAD_PCID;
	if (r->flags & INVLPGB_VA && !is_range_canonical(r, limits->va_bits))
		return INVLPGB_BAD_ADDRESS;
	return INVLPGB_OK;
}

enum invlpgb_error invlpgb_encode(const struct invlpgb_request *request,
				  const struct invlpgb_limits *limits, struct invlpgb_operands *out)
{
	enum invlpgb_error error;

	if (request->nr_pages - 1 > ECX_COUNT) /* 0 too */
		return INVLPGB_BAD_COUNT;
	if (request->flags & ~INVLPGB_FLAGS || request->va & 0xfff || request->asid > MAX_ASID ||
	    request->pcid > MAX_PCID || request->stride > INVLPGB_2M)
		return INVLPGB_BAD_RESERVED;
	error = judge(request, limits);
	if (!error)
		*out = invlpgb_pack(*request);
	return error;
}

enum invlpgb_error invlpgb_decode(const struct invlpgb_operands *operands, unsigned cpl,
				  const struct invlpgb_limits *limits, struct invlpgb_request *out)
{
	struct invlpgb_request r = {
		.flags = operands->rax & INVLPGB_FLAGS,
		.stride = operands->ecx >> 31 ? INVLPGB_2M : INVLPGB_4K,
		.va = operands->rax & ~0xfffull,
		.nr_pages = (operands->ecx & ECX_COUNT) + 1,
		.asid = operands->edx & MAX_ASID,
		.pcid = operands->edx >> 16 & MAX_PCID,
	};
	enum invlpgb_error error;

	if (cpl)
		return INVLPGB_BAD_CPL;
	if (operands->rax & RAX_RESERVED || operands->ecx & ECX_RESERVED ||
	    operands->edx & EDX_RESERVED)
		return INVLPGB_BAD_RESERVED;
	error = judge(&r, limits);
	if (!error)
		*out = r;
	return error;
}

enum invlpgb_insn invlpgb_insn_at(const uint8_t bytes[INVLPGB_BYTES])
{
	if (bytes[0] != OPCODE_0 || bytes[1] != OPCODE_1)
		return INSN_OTHER;
	if (bytes[2] == INVLPGB_2)
		return INSN_INVLPGB;
	return bytes[2] == TLBSYNC_2 ? INSN_TLBSYNC : INSN_OTHER;
}
