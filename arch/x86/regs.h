/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register bits and MSR numbers, once each, with the manuals' names.
 * Sources: Intel SDM vol. 3A "Control Registers", vol. 4 "Model-Specific Registers"; AMD APM vol. 2
 * "System Resources".
 */
#ifndef ARCH_X86_REGS_H
#define ARCH_X86_REGS_H

#define CR0_PE (1ull << 0)
#define CR0_MP (1ull << 1)
#define CR0_EM (1ull << 2)
#define CR0_TS (1ull << 3)
#define CR0_ET (1ull << 4)
#define CR0_NE (1ull << 5)
#define CR0_WP (1ull << 16)
#define CR0_AM (1ull << 18)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)
#define CR0_PG (1ull << 31)

#define CR3_PCID_MASK 0xfffull
#define CR3_NOFLUSH   (1ull << 63)
#define CR3_ADDR_MASK 0x000ffffffffff000ull

#define CR4_PAE     (1ull << 5)
#define CR4_MCE     (1ull << 6)
#define CR4_PGE     (1ull << 7)
#define CR4_OSFXSR  (1ull << 9)
#define CR4_LA57    (1ull << 12)
#define CR4_PCIDE   (1ull << 17)
#define CR4_OSXSAVE (1ull << 18)

#define XCR0_X87    (1ull << 0)
#define XCR0_SSE    (1ull << 1)
#define XCR0_AVX    (1ull << 2)
#define XCR0_AVX512 (7ull << 5) /* mask registers, upper halves of ZMM0 to 15, ZMM16 to 31 */

/*
 * Linear addresses that are not canonical: the first with 4 levels of page tables and with 5, and
 * one with either. The last is for INVLPG and INVPCID: with which of the two a CPU looks at the
 * address to be invalidated is its own affair, whatever CR4.LA57 says (KVM,
 * is_noncanonical_invlpg_address()).
 */
#define NONCANONICAL_LA48 0x0000800000000000ull
#define NONCANONICAL_LA57 0x0100000000000000ull
#define NONCANONICAL_ANY  0x8000000000000000ull

#define RFLAGS_FIXED (1ull << 1)
#define RFLAGS_TF    (1ull << 8)
#define RFLAGS_IF    (1ull << 9)

#define EFER_LME (1ull << 8)
#define EFER_LMA (1ull << 10)
#define EFER_NXE (1ull << 11)
#define EFER_TCE (1ull << 15)

#define PTE_PRESENT   (1ull << 0)
#define PTE_WRITE     (1ull << 1)
#define PTE_USER      (1ull << 2)
#define PTE_PWT       (1ull << 3)
#define PTE_PCD       (1ull << 4)
#define PTE_ACCESSED  (1ull << 5)
#define PTE_DIRTY     (1ull << 6)
#define PTE_LARGE     (1ull << 7) /* in a PDE or PDPTE */
#define PTE_PAT       (1ull << 7) /* in a PTE */
#define PTE_GLOBAL    (1ull << 8)
#define PTE_LARGE_PAT (1ull << 12) /* in a PDE or PDPTE that maps a page */
#define PTE_NX        (1ull << 63)
#define PTE_ADDR_MASK 0x000ffffffffff000ull

#define MSR_APIC_BASE           0x0000001b
#define MSR_SMI_COUNT           0x00000034
#define MSR_BIOS_SIGN_ID        0x0000008b
#define MSR_XAPIC_DISABLE       0x000000bd
#define MSR_PMC0                0x000000c1
#define MSR_ARCH_CAPS           0x0000010a
#define MSR_PERFEVTSEL0         0x00000186
#define MSR_PAT                 0x00000277
#define MSR_FIXED_CTR1          0x0000030a
#define MSR_FIXED_CTR_CTRL      0x0000038d
#define MSR_PERF_GLOBAL_CTRL    0x0000038f
#define MSR_TSC_DEADLINE        0x000006e0
#define MSR_X2APIC_BASE         0x00000800 /* + (xAPIC register offset >> 4) */
#define MSR_X2APIC_LDR          0x0000080d
#define MSR_X2APIC_ICR          0x00000830
#define MSR_X2APIC_LVT_TIMER    0x00000832
#define MSR_X2APIC_TIMER        0x00000838 /* initial count */
#define MSR_X2APIC_SELF         0x0000083f
#define MSR_EFER                0xc0000080
#define MSR_GS_BASE             0xc0000101
#define MSR_AMD_PERF_GLOBAL_CTL 0xc0000301
#define MSR_AMD_P0              0xc0010064
#define MSR_AMD_PERF_CTL0       0xc0010200 /* and every second one from there */
#define MSR_AMD_PERF_CTR0       0xc0010201
#define MSR_AMD_DE_CFG          0xc0011029

/*
 * IA32_PAT as after reset (PTE_PCD | PTE_PWT means uncached), but for entry 4, which the PAT bit
 * alone chooses: write-combining.
 */
#define PAT_KERNEL 0x0007040100070406ull

#define APIC_BASE_EXTD          (1ull << 10)
#define APIC_BASE_EN            (1ull << 11)
#define APIC_BASE_ADDR_MASK     0x000ffffffffff000ull
#define ARCH_CAPS_XAPIC_DISABLE (1ull << 21)
#define XAPIC_DISABLE_LOCKED    (1ull << 0)
#define AMD_DE_CFG_LFENCE       (1ull << 1)

/* IA32_PERFEVTSELx, and AMD's PERF_CTLx alike. */
#define PERFEVTSEL(event, umask) ((uint64_t)(umask) << 8 | (event))
#define PERFEVTSEL_OS            (1ull << 17)
#define PERFEVTSEL_EN            (1ull << 22)
#define PERFEVTSEL_CMASK(n)      ((uint64_t)(n) << 24)

#define FIXED_CTR_CTRL_1_OS     (1ull << 4)
#define PERF_GLOBAL_CTRL_PMC0   (1ull << 0)
#define PERF_GLOBAL_CTRL_FIXED1 (1ull << 33)

/* RDPMC's operand: a general counter is its number. */
#define RDPMC_FIXED(n) (1u << 30 | (n))

/* Selectors of the GDT that arch/x86/segment.c builds. */
#define SEL_CODE64  0x08
#define SEL_DATA    0x10
#define SEL_USER_DS 0x1b
#define SEL_USER_CS 0x23
#define SEL_TSS     0x28

/* Interrupt stacks of the TSS, by index (1 to 7; 0 = stay on the current stack). */
#define IST_NMI          1
#define IST_DOUBLE_FAULT 2
#define IST_MCE          3

enum vector {
	VECTOR_DE,
	VECTOR_DB,
	VECTOR_NMI,
	VECTOR_BP,
	VECTOR_UD = 6,
	VECTOR_DF = 8,
	VECTOR_GP = 13,
	VECTOR_PF = 14,
	VECTOR_MC = 18,
	VECTOR_EXCEPTIONS = 32,  /* the first that is not the CPU's own */
	VECTOR_WAKE = 0xe0,      /* leave HLT and look for work */
	VECTOR_PING = 0xe1,      /* ipi/: count and return */
	VECTOR_STAMP = 0xe2,     /* ipi/unicast-oneway: read the TSC, count and return */
	VECTOR_FENCE = 0xe3,     /* fence/: to oneself, count and return */
	VECTOR_SHOOTDOWN = 0xe4, /* mm/shootdown.h: invalidate what others ask for */
	VECTOR_NAP = 0xe5,       /* ipi/nmi-before-nap: note where it was taken */
	VECTOR_ORDER = 0xe8,     /* order/ipi: see trap_entry.asm */
	VECTOR_TIMER = 0xe9,     /* the APIC's timer: see trap_entry.asm */
	VECTOR_SPURIOUS = 0xff
};

#endif
