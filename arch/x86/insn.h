/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One wrapper per instruction, named for its mnemonic.
 *
 * Every write to a control register, MSR or the TLB clobbers "memory": the compiler must not move a
 * load or store across a change of what addresses mean. Forms that may fault are in safe.h.
 */
#ifndef ARCH_X86_INSN_H
#define ARCH_X86_INSN_H

#include <stdint.h>

#include "arch/x86/regs.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

ALWAYS_INLINE struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;

	__asm__ volatile("cpuid"
			 : "=a"(c.eax), "=b"(c.ebx), "=c"(c.ecx), "=d"(c.edx)
			 : "a"(leaf), "c"(subleaf));
	return c;
}

ALWAYS_INLINE uint64_t rdmsr(uint32_t msr)
{
	uint32_t lo, hi;

	__asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return (uint64_t)hi << 32 | lo;
}

ALWAYS_INLINE void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

#define DEFINE_CR(n)                                                               \
	ALWAYS_INLINE uint64_t read_cr##n(void)                                    \
	{                                                                          \
		uint64_t value;                                                    \
                                                                                   \
		__asm__ volatile("mov %%cr" #n ", %0" : "=r"(value) : : "memory"); \
		return value;                                                      \
	}                                                                          \
	ALWAYS_INLINE void write_cr##n(uint64_t value)                             \
	{                                                                          \
		__asm__ volatile("mov %0, %%cr" #n : : "r"(value) : "memory");     \
	}

DEFINE_CR(0)
DEFINE_CR(2)
DEFINE_CR(3)
DEFINE_CR(4)

/* Writes extended control register `n`, with CR4.OSXSAVE = 1. */
ALWAYS_INLINE void xsetbv(uint32_t n, uint64_t value)
{
	__asm__ volatile("xsetbv"
			 :
			 : "c"(n), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

ALWAYS_INLINE void invlpg(uint64_t va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

/* Intel SDM vol. 2A, INVPCID: types and descriptor. */
enum invpcid_type {
	INVPCID_ADDR = 0,           /* one address in one PCID, globals excluded */
	INVPCID_CONTEXT = 1,        /* one PCID, globals excluded */
	INVPCID_ALL_GLOBAL = 2,     /* everything, globals included */
	INVPCID_ALL_NON_GLOBAL = 3, /* everything but globals */
};

struct invpcid_desc {
	uint64_t pcid; /* bits 63:12 must be 0 */
	uint64_t va;   /* used by type 0 only */
};
_Static_assert(sizeof(struct invpcid_desc) == 16, "m128");

/* `desc` stays a pointer so that nothing but the instruction itself stands in a timed section. */
ALWAYS_INLINE void invpcid(uint64_t type, const struct invpcid_desc *desc)
{
	__asm__ volatile("invpcid (%0), %1" : : "r"(desc), "r"(type) : "memory");
}

/*
 * Reads `count` words, > 0, each of which holds the address of the next. In assembly so that every
 * compiler makes the same loop of it, which is timed.
 */
ALWAYS_INLINE void load_chain(uint64_t first, uint64_t count)
{
	__asm__ volatile("1:\tmov (%0), %0\n\tdec %1\n\tjnz 1b"
			 : "+r"(first), "+r"(count)
			 :
			 : "memory", "cc");
}

ALWAYS_INLINE void lfence(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

ALWAYS_INLINE void mfence(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

ALWAYS_INLINE void sfence(void)
{
	__asm__ volatile("sfence" : : : "memory");
}

/* The one that weak_wrmsr_fence() becomes. */
ALWAYS_INLINE void nop6(void)
{
	__asm__ volatile("nopw 0(%%rax,%%rax,1)" : : : "memory");
}

/* Below the stack, where nobody keeps anything: a full barrier that reads no other line. */
ALWAYS_INLINE void locked_add(void)
{
	__asm__ volatile("lock addl $0, -4(%%rsp)" : : : "memory", "cc");
}

ALWAYS_INLINE void serialize_by_cpuid(void)
{
	uint32_t eax = 0;

	__asm__ volatile("cpuid" : "+a"(eax) : : "rbx", "rcx", "rdx", "memory");
}

/*
 * Stores to the first word of `count` cache lines in a row; none where it is 0. In assembly so that
 * every compiler makes the same loop of it, which is timed.
 */
ALWAYS_INLINE void store_lines(uint64_t first, uint64_t count)
{
	__asm__ volatile("test %1, %1\n\tjz 2f\n"
			 "1:\tmov %1, (%0)\n\tadd $64, %0\n\tdec %1\n\tjnz 1b\n2:"
			 : "+r"(first), "+r"(count)
			 :
			 : "memory", "cc");
}

ALWAYS_INLINE void pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

ALWAYS_INLINE void cli(void)
{
	__asm__ volatile("cli" : : : "memory");
}

#define OP_STI 0xfb /* all of the instruction */

ALWAYS_INLINE void sti(void)
{
	__asm__ volatile("sti" : : : "memory");
}

/* STI takes effect after the next instruction, so no interrupt can slip in before the HLT. */
ALWAYS_INLINE void sti_hlt(void)
{
	__asm__ volatile("sti; hlt" : : : "memory");
}

/* Watches the line of `at` for a store (Intel SDM vol. 2B, MONITOR). */
ALWAYS_INLINE void monitor(const volatile void *at)
{
	__asm__ volatile("monitor" : : "a"(at), "c"(0), "d"(0) : "memory");
}

/*
 * As sti_hlt, until a store to the line or an interrupt; hint 0 asks for C1. QEMU 7.2's TCG takes
 * MWAIT for PAUSE and keeps interrupts off for one more instruction, which must not be the CLI.
 */
ALWAYS_INLINE void sti_mwait(void)
{
	__asm__ volatile("sti; mwait; nop" : : "a"(0), "c"(0) : "memory");
}

ALWAYS_INLINE void hlt(void)
{
	__asm__ volatile("hlt" : : : "memory");
}

ALWAYS_INLINE uint64_t read_rflags(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0" : "=r"(flags) : : "memory");
	return flags;
}

/* Saves RFLAGS and clears IF; irq_restore undoes it. */
ALWAYS_INLINE uint64_t irq_save(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0; cli" : "=r"(flags) : : "memory");
	return flags;
}

ALWAYS_INLINE void irq_restore(uint64_t flags)
{
	__asm__ volatile("push %0; popfq" : : "r"(flags) : "memory", "cc");
}

ALWAYS_INLINE uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

ALWAYS_INLINE uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

ALWAYS_INLINE uint16_t inw(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

ALWAYS_INLINE void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

ALWAYS_INLINE void outw(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

ALWAYS_INLINE void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

#endif
