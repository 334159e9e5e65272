/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a CPU's place in the machine from CPUID. */
#include "arch/x86/topology.h"

#include "arch/x86/insn.h"

typedef struct cpuid (*query_fn)(uint32_t leaf, uint32_t subleaf);

#define LEVEL_INVALID 0
#define LEVEL_THREAD  1
#define AMD_LEVELS    0x80000026
#define LEVEL_COMPLEX 2 /* there */
#define MAX_LEVELS    8 /* the manuals define six */
#define MAX_CACHES    16

static unsigned bits_for(uint32_t count)
{
	unsigned bits = 0;

	while (bits < 31 && (1u << bits) < count)
		bits++;
	return bits;
}

static uint32_t low_bits(uint32_t value, unsigned bits)
{
	return bits >= 32 ? value : value & ((1u << bits) - 1);
}

static uint32_t shift_out(uint32_t value, unsigned bits)
{
	return bits >= 32 ? 0 : value >> bits;
}

/* Leaves 0Bh and 1Fh: how many ID bits lie below the core and below the package. */
static int widths_from_levels(query_fn query, uint32_t leaf, uint32_t *id, unsigned *core,
			      unsigned *package)
{
	unsigned level;

	*core = *package = 0;
	for (level = 0; level < MAX_LEVELS; level++) {
		struct cpuid c = query(leaf, level);

		if ((c.ecx >> 8 & 0xff) == LEVEL_INVALID || !(c.ebx & 0xffff))
			break;
		*id = c.edx;
		*package = c.eax & 0x1f;
		if ((c.ecx >> 8 & 0xff) == LEVEL_THREAD)
			*core = c.eax & 0x1f;
	}
	return level > 0;
}

/* AMD: threads in the package, and in a core where leaf 8000_001Eh (TopologyExtensions) tells. */
static int widths_from_amd_counts(query_fn query, uint32_t max_extended, unsigned *core,
				  unsigned *package)
{
	uint32_t sizes = max_extended >= 0x80000008 ? query(0x80000008, 0).ecx : 0;

	if (!(sizes & 0xff))
		return 0;
	*package = sizes >> 12 & 0xf ? sizes >> 12 & 0xf : bits_for((sizes & 0xff) + 1);
	*core = 0;
	if (max_extended >= 0x8000001e && query(0x80000001, 0).ecx >> 22 & 1)
		*core = bits_for((query(0x8000001e, 0).ebx >> 8 & 0xff) + 1);
	return 1;
}

/* Before those leaves: counts of logical CPUs and cores in the package. */
static void widths_from_counts(query_fn query, uint32_t max, uint32_t max_extended, uint32_t *id,
			       unsigned *core, unsigned *package)
{
	struct cpuid one = query(1, 0);
	uint32_t threads = one.edx >> 28 & 1 ? one.ebx >> 16 & 0xff : 1;
	uint32_t cores = threads;

	*id = one.ebx >> 24;
	if (widths_from_amd_counts(query, max_extended, core, package))
		return;
	if (max >= 4 && query(4, 0).eax & 0x1f)
		cores = (query(4, 0).eax >> 26) + 1;
	*package = bits_for(threads > cores ? threads : cores);
	*core = *package - bits_for(cores);
}

/* The ID bits of those that share the highest-level cache; `package` where no leaf tells. */
static unsigned llc_width(query_fn query, uint32_t leaf, unsigned package)
{
	unsigned best_level = 0, width = package;

	for (unsigned i = 0; i < MAX_CACHES; i++) {
		struct cpuid c = query(leaf, i);
		unsigned level = c.eax >> 5 & 7;

		if (!(c.eax & 0x1f))
			break;
		if (level >= best_level) {
			best_level = level;
			width = bits_for((c.eax >> 14 & 0xfff) + 1);
		}
	}
	return width;
}

/*
 * AMD's own levels (8000_0026h): core, complex, die, socket. The complex is what shares a
 * last-level cache, and the ID bits below it are given here, not to be guessed from how many share
 * it.
 */
static int complex_width(query_fn query, uint32_t max_extended, unsigned *width)
{
	for (unsigned level = 0; max_extended >= AMD_LEVELS && level < MAX_LEVELS; level++) {
		struct cpuid c = query(AMD_LEVELS, level);

		if ((c.ecx >> 8 & 0xff) == LEVEL_INVALID || !(c.ebx & 0xffff))
			break;
		if ((c.ecx >> 8 & 0xff) == LEVEL_COMPLEX) {
			*width = c.eax & 0x1f;
			return 1;
		}
	}
	return 0;
}

static uint32_t cache_leaf(query_fn query, uint32_t max, uint32_t max_extended)
{
	if (max_extended >= 0x8000001d && query(0x80000001, 0).ecx >> 22 & 1)
		return 0x8000001d;
	return max >= 4 ? 4 : 0;
}

static enum core_kind amd_kind_of(query_fn query, uint32_t max_extended)
{
	struct cpuid c = {0};

	if (max_extended >= AMD_LEVELS)
		c = query(AMD_LEVELS, 0);
	if (!(c.eax >> 30 & 1)) /* HeterogeneousCores */
		return CORE_UNKNOWN;
	switch (c.ebx >> 28) { /* CoreType */
	case 0:
		return CORE_PERFORMANCE;
	case 1:
		return CORE_EFFICIENT;
	default:
		return CORE_UNKNOWN;
	}
}

static enum core_kind kind_of(query_fn query, uint32_t max)
{
	if (max < 0x1a || !(query(7, 0).edx >> 15 & 1))
		return CORE_UNKNOWN;
	switch (query(0x1a, 0).eax >> 24) {
	case 0x40:
		return CORE_PERFORMANCE;
	case 0x20:
		return CORE_EFFICIENT;
	default:
		return CORE_UNKNOWN;
	}
}

void topology_read(struct topology *t, query_fn query)
{
	uint32_t max = query(0, 0).eax, max_extended = query(0x80000000, 0).eax;
	uint32_t leaf, id = 0;
	unsigned core, package, llc;

	if (!(max >= 0x1f && widths_from_levels(query, 0x1f, &id, &core, &package)) &&
	    !(max >= 0x0b && widths_from_levels(query, 0x0b, &id, &core, &package)))
		widths_from_counts(query, max, max_extended, &id, &core, &package);
	leaf = cache_leaf(query, max, max_extended);
	if (!complex_width(query, max_extended, &llc))
		llc = leaf ? llc_width(query, leaf, package) : package;

	t->apic_id = id;
	t->package = shift_out(id, package);
	t->core = shift_out(low_bits(id, package), core);
	t->thread = low_bits(id, core);
	t->llc = shift_out(id, llc) << (llc >= 32 ? 0 : llc);
	t->kind = kind_of(query, max);
	if (t->kind == CORE_UNKNOWN)
		t->kind = amd_kind_of(query, max_extended);
}

const char *const topology_relation_names[TOPOLOGY_RELATIONS] = {
	[TOPOLOGY_SAME_CORE] = "same core",
	[TOPOLOGY_SAME_LLC] = "same LLC",
	[TOPOLOGY_SAME_PACKAGE] = "same package",
	[TOPOLOGY_OTHER_PACKAGE] = "other package",
};

enum topology_relation topology_relate(const struct topology *a, const struct topology *b)
{
	if (a->package != b->package)
		return TOPOLOGY_OTHER_PACKAGE;
	if (a->core == b->core)
		return TOPOLOGY_SAME_CORE;
	return a->llc == b->llc ? TOPOLOGY_SAME_LLC : TOPOLOGY_SAME_PACKAGE;
}
