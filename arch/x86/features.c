/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and keeps what CPUID says of features and identity. */
#include "arch/x86/features.h"

#include "arch/x86/invlpgb_encode.h"
#include "arch/x86/mem.h"

#define BIT_AT(name, symbol, leaf, reg, bit)                     \
	{                                                        \
		name, symbol, leaf, reg, bit, false, false, NULL \
	}

static struct feature_info table[FEATURE_COUNT] = {
	[FEATURE_HYPERVISOR] = BIT_AT("hypervisor", "hypervisor", 1, CPUID_ECX, 31),
	[FEATURE_PGE] = BIT_AT("pge", "PGE", 1, CPUID_EDX, 13),
	[FEATURE_PCID] = BIT_AT("pcid", "PCID", 1, CPUID_ECX, 17),
	[FEATURE_INVPCID] = BIT_AT("invpcid", "INVPCID", 7, CPUID_EBX, 10),
	[FEATURE_INVLPGB] = BIT_AT("invlpgb", "INVLPGB", 0x80000008, CPUID_EBX, 3),
	[FEATURE_TCE] = BIT_AT("tce", "TCE", 0x80000001, CPUID_ECX, 17),
	[FEATURE_X2APIC] = BIT_AT("x2apic", "x2APIC", 1, CPUID_ECX, 21),
	[FEATURE_TSC_DEADLINE] = BIT_AT("tsc_deadline_timer", "TSC-Deadline", 1, CPUID_ECX, 24),
	[FEATURE_MWAIT] = BIT_AT("monitor", "MONITOR", 1, CPUID_ECX, 3),
	[FEATURE_NX] = BIT_AT("nx", "NX", 0x80000001, CPUID_EDX, 20),
	[FEATURE_PAGE1G] = BIT_AT("pdpe1gb", "Page1GB", 0x80000001, CPUID_EDX, 26),
	[FEATURE_LA57] = BIT_AT("la57", "LA57", 7, CPUID_ECX, 16),
	[FEATURE_RDTSCP] = BIT_AT("rdtscp", "RDTSCP", 0x80000001, CPUID_EDX, 27),
	[FEATURE_INVARIANT_TSC] = BIT_AT("constant_tsc", "InvariantTSC", 0x80000007, CPUID_EDX, 8),
	[FEATURE_LFENCE_SERIAL] =
		BIT_AT("lfence_serial", "LFenceAlwaysSerializing", 0x80000021, CPUID_EAX, 2),
	[FEATURE_ARCH_CAPS] = BIT_AT("arch_capabilities", "ARCH_CAPABILITIES", 7, CPUID_EDX, 29),
	[FEATURE_HYBRID] = BIT_AT("hybrid", "Hybrid", 7, CPUID_EDX, 15),
	[FEATURE_TOPOEXT] = BIT_AT("topoext", "TopologyExtensions", 0x80000001, CPUID_ECX, 22),
	[FEATURE_XSAVE] = BIT_AT("xsave", "XSAVE", 1, CPUID_ECX, 26),
};

struct cpu_identity cpu_identity;

/* Leaves 7 and others have subleaves; the features here are all in subleaf 0. */
static uint32_t read_register(uint32_t leaf, enum cpuid_register reg)
{
	struct cpuid c;

	/* Intel answers a leaf above the largest with that of the largest: ask first. */
	if (leaf > cpuid(leaf & 0x80000000u, 0).eax)
		return 0;
	c = cpuid(leaf, 0);
	switch (reg) {
	case CPUID_EAX:
		return c.eax;
	case CPUID_EBX:
		return c.ebx;
	case CPUID_ECX:
		return c.ecx;
	default:
		return c.edx;
	}
}

/* `n` words of CPUID text: printable ASCII only, leading and trailing blanks dropped. */
static void copy_text(char *dst, const uint32_t *words, unsigned n)
{
	char text[48];
	unsigned start = 0, end = n * 4;

	memcpy(text, words, n * 4);
	for (unsigned i = 0; i < end; i++) {
		if (!text[i])
			end = i;
		else if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	}
	while (start < end && text[start] == ' ')
		start++;
	while (end > start && text[end - 1] == ' ')
		end--;
	memcpy(dst, text + start, end - start);
	dst[end - start] = 0;
}

static void read_brand(void)
{
	uint32_t words[12];

	if (cpuid(0x80000000, 0).eax < 0x80000004)
		return;
	for (unsigned i = 0; i < 3; i++) {
		struct cpuid c = cpuid(0x80000002 + i, 0);

		words[i * 4] = c.eax;
		words[i * 4 + 1] = c.ebx;
		words[i * 4 + 2] = c.ecx;
		words[i * 4 + 3] = c.edx;
	}
	copy_text(cpu_identity.brand, words, 12);
}

static enum cpu_vendor vendor_of(const char *name)
{
	if (!memcmp(name, "GenuineIntel", 12))
		return VENDOR_INTEL;
	if (!memcmp(name, "AuthenticAMD", 12))
		return VENDOR_AMD;
	if (!memcmp(name, "HygonGenuine", 12))
		return VENDOR_HYGON;
	return VENDOR_OTHER;
}

/*
 * Bochs sets no hypervisor bit. Its user manual, "port_e9_hack":
 * where that is enabled, reading port E9h gives E9h. On a PC nothing is there: FFh.
 */
#define BOCHS_PORT 0xe9

static bool is_bochs(void)
{
	return inb(BOCHS_PORT) == BOCHS_PORT;
}

static void read_hypervisor(void)
{
	struct cpuid c;

	if (table[FEATURE_HYPERVISOR].present) {
		c = cpuid(0x40000000, 0);
		copy_text(cpu_identity.hypervisor, (uint32_t[]){c.ebx, c.ecx, c.edx}, 3);
	} else if (is_bochs()) {
		memcpy(cpu_identity.hypervisor, HYPERVISOR_BOCHS, sizeof(HYPERVISOR_BOCHS));
	}
}

static void read_identity(void)
{
	struct cpuid c = cpuid(0, 0);
	uint32_t eax = cpuid(1, 0).eax;
	uint32_t base = eax >> 8 & 0xf;

	copy_text(cpu_identity.vendor_name, (uint32_t[]){c.ebx, c.edx, c.ecx}, 3);
	cpu_identity.vendor = vendor_of(cpu_identity.vendor_name);
	cpu_identity.family = base == 0xf ? base + (eax >> 20 & 0xff) : base;
	cpu_identity.model = eax >> 4 & 0xf;
	if (base == 6 || base == 0xf)
		cpu_identity.model |= (eax >> 16 & 0xf) << 4;
	cpu_identity.stepping = eax & 0xf;
	read_brand();
	read_hypervisor();
	cpu_identity.emulated =
		!memcmp(cpu_identity.hypervisor, HYPERVISOR_TCG, sizeof(HYPERVISOR_TCG)) ||
		!memcmp(cpu_identity.hypervisor, HYPERVISOR_BOCHS, sizeof(HYPERVISOR_BOCHS));
}

void features_init(void)
{
	for (unsigned f = 0; f < FEATURE_COUNT; f++)
		table[f].present = read_register(table[f].leaf, table[f].reg) >> table[f].bit & 1;
	read_identity();
	if (table[FEATURE_INVLPGB].present && !invlpgb_is_plausible(cpu_identity.family))
		feature_disable(FEATURE_INVLPGB, "the rule for families below 19h");
}

unsigned cpu_physical_bits(void)
{
	unsigned bits = read_register(0x80000008, CPUID_EAX) & 0xff;

	return bits >= 32 && bits <= 52 ? bits : 36;
}

bool feature_has(enum feature f)
{
	return (table[f].present || table[f].modelled) && !table[f].disabled_by;
}

const struct feature_info *feature_info(enum feature f)
{
	return &table[f];
}

void feature_disable(enum feature f, const char *by)
{
	table[f].disabled_by = by;
}

void feature_model(enum feature f)
{
	table[f].modelled = true;
}
