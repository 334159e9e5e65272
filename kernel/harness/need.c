/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks needs against features and CPUs. */
#include "kernel/harness/need.h"

#include "kernel/format.h"
#include "kernel/smp.h"

size_t need_feature_place(enum feature f, char *text, size_t size)
{
	static const char *const registers[] = {"EAX", "EBX", "ECX", "EDX"};
	const struct feature_info *info = feature_info(f);

	if (info->leaf >> 16)
		return format(text, size, "CPUID %04x_%04x:%s[%u] %s", info->leaf >> 16,
			      info->leaf & 0xffff, registers[info->reg], info->bit, info->symbol);
	return format(text, size, "CPUID.%x:%s[%u] %s", info->leaf, registers[info->reg], info->bit,
		      info->symbol);
}

static bool is_met(const struct need *need, bool timed, char *why, size_t size)
{
	for (unsigned f = 0; f < FEATURE_COUNT; f++) {
		const struct feature_info *info = feature_info(f);
		bool timeless = timed && info->modelled;
		char place[64];

		if (!(need->features & NEED(f)) || (feature_has(f) && !timeless))
			continue;
		need_feature_place(f, place, sizeof(place));
		if (info->present)
			format(why, size, "%s = 1, but turned off by %s", place, info->disabled_by);
		else
			format(why, size, "%s = 0%s", place,
			       timeless ? "; modelled, so there is no time" : "");
		return false;
	}
	if (need->cpus > smp.online) {
		format(why, size, "needs %u CPUs, %u online", need->cpus, smp.online);
		return false;
	}
	return true;
}

bool need_met(const struct need *need, char *why, size_t size)
{
	return is_met(need, false, why, size);
}

bool need_met_timed(const struct need *need, char *why, size_t size)
{
	return is_met(need, true, why, size);
}
