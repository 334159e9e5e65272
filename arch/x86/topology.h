/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a CPU sits: package, last-level cache, core, thread. Pure, so that the host can test it.
 * Sources: Intel SDM vol. 3A, "Hierarchical Mapping of Shared Resources"; vol. 2A, CPUID leaves 4,
 * 0Bh, 1Ah, 1Fh; AMD APM vol. 3, CPUID 8000_0008h, 8000_001Dh, 8000_001Eh, 8000_0026h.
 */
#ifndef ARCH_X86_TOPOLOGY_H
#define ARCH_X86_TOPOLOGY_H

#include <stdint.h>

enum core_kind { CORE_UNKNOWN, CORE_PERFORMANCE, CORE_EFFICIENT };

struct topology {
	uint32_t apic_id; /* the widest ID that CPUID gives */
	uint32_t package;
	uint32_t llc;        /* the APIC ID without the bits of those that share the cache */
	uint32_t core;       /* within its package */
	uint32_t thread;     /* within its core */
	enum core_kind kind; /* of a hybrid machine */
};

/* How near two CPUs are to each other, nearest first. */
enum topology_relation {
	TOPOLOGY_SAME_CORE, /* threads of one core */
	TOPOLOGY_SAME_LLC,
	TOPOLOGY_SAME_PACKAGE,
	TOPOLOGY_OTHER_PACKAGE,
	TOPOLOGY_RELATIONS
};

/* By enum topology_relation: "same core" and so on. */
extern const char *const topology_relation_names[TOPOLOGY_RELATIONS];

/* Of two different CPUs. */
enum topology_relation topology_relate(const struct topology *a, const struct topology *b);

struct cpuid;

/* Fills `t` from the answers of `query` (leaf, subleaf) on the CPU in question. */
void topology_read(struct topology *t, struct cpuid (*query)(uint32_t leaf, uint32_t subleaf));

#endif
