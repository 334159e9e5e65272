/* SPDX-License-Identifier: BSD-2-Clause */
/* What is patched in, as bytes. Pure. */
#include "arch/x86/fence.h"
#include "arch/x86/mem.h"

#define MFENCE 0x0f, 0xae, 0xf0
#define LFENCE 0x0f, 0xae, 0xe8
#define NOP3   0x0f, 0x1f, 0x00
#define NOP6   0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00
#define CALL   0xe8

const char *const fence_names[FENCE_COUNT + 1] = {
	[FENCE_AUTO] = "auto",     [FENCE_NONE] = "none", [FENCE_MFENCE] = "mfence",
	[FENCE_LFENCE] = "lfence", [FENCE_BOTH] = "both", [FENCE_BRANCH] = "branch",
	[FENCE_COUNT] = NULL,
};

enum fence fence_of_vendor(enum cpu_vendor vendor)
{
	return vendor == VENDOR_AMD || vendor == VENDOR_HYGON ? FENCE_NONE : FENCE_BOTH;
}

static void encode_call(uint64_t at, uint64_t target, uint8_t *bytes)
{
	uint32_t relative = (uint32_t)(target - (at + 5));

	bytes[0] = CALL;
	memcpy(bytes + 1, &relative, sizeof(relative));
	bytes[5] = 0x90; /* NOP */
}

void fence_encode(enum fence fence, uint64_t at, uint64_t branch_target, uint8_t bytes[FENCE_BYTES])
{
	static const uint8_t fixed[FENCE_COUNT][FENCE_BYTES] = {
		[FENCE_NONE] = {NOP6},
		[FENCE_MFENCE] = {MFENCE, NOP3},
		[FENCE_LFENCE] = {LFENCE, NOP3},
		[FENCE_BOTH] = {MFENCE, LFENCE},
	};

	if (fence == FENCE_BRANCH)
		encode_call(at, branch_target, bytes);
	else
		memcpy(bytes, fixed[fence], FENCE_BYTES);
}
