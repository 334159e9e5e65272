/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU table and per-CPU data.
 *
 * One struct cpu for each CPU to be used, allocated by the caller of cpu_table_set() in memory of
 * its own; CPU 0 is the one the firmware booted. GS.base points to the running CPU's.
 */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/topology.h"

#define CACHE_LINE 64

enum cpu_state {
	CPU_OFF,
	CPU_STARTING, /* INIT and SIPI may be under way */
	CPU_ONLINE,
	CPU_FAILED /* gave no sign in time; `why` says what is known, and it parks itself if late */
};

/* Intel SDM vol. 3A, "64-Bit Task State Segment". */
struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7]; /* ist[n - 1] is IST n */
	uint64_t reserved2;
	uint16_t reserved3;
	uint16_t io_map_base;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "64-bit TSS");

struct cpu {
	struct cpu *self; /* first, so that GS:0 is this_cpu() */
	uint32_t index;
	uint32_t apic_id;
	uint64_t stack_top;   /* where the AP entry code starts */
	uint64_t ist_tops[3]; /* for IST_NMI, IST_DOUBLE_FAULT, IST_MCE */
	uint32_t state;       /* enum cpu_state, changed by compare-and-exchange */
	const char *why;      /* of CPU_FAILED */
	uint32_t microcode;
	struct topology topology;
	struct tlb_state *tlb; /* mm/tlb_state.h */
	uint64_t user_rsp;     /* where user_run() continues after its visit to CPL 3 */
	uint64_t gdt[7];
	struct tss tss;

	/* Work from another CPU: see kernel/smp.h. On lines of its own, as both sides write it. */
	void (*work)(void *arg) __attribute__((aligned(CACHE_LINE)));
	void *work_arg;

	/* Ends the wait that kernel/harness/peer.h is for; on a line of its own, for MONITOR. */
	bool peer_stop __attribute__((aligned(CACHE_LINE)));

	/* VECTOR_ORDER, see trap_entry.asm: its stub reads a flag and leaves what it saw. */
	const uint64_t *order_flag __attribute__((aligned(CACHE_LINE)));
	uint64_t order_saw __attribute__((aligned(CACHE_LINE)));
	uint64_t order_seen;      /* counted by the handler, last of all */
	uint64_t order_near_flag; /* one that lies in the line that is written */

	/* VECTOR_TIMER: its stub leaves the TSC, the handler counts. */
	uint64_t timer_stamp __attribute__((aligned(CACHE_LINE)));
	uint64_t timer_fired;

	/* Counted by the handlers of VECTOR_PING, VECTOR_STAMP and NMI on this CPU. */
	uint64_t pings __attribute__((aligned(CACHE_LINE)));
	uint64_t nmis;
	uint64_t stamp; /* its TSC in the last handler of VECTOR_STAMP, stored before the count */

	/* How many the senders have sent it, on their side: tests/bench/ipi_account.h. */
	uint64_t pings_sent __attribute__((aligned(CACHE_LINE)));
	uint64_t nmis_sent;
} __attribute__((aligned(CACHE_LINE)));

/* The table; indices 0 to nr_cpus - 1 are valid, online or not. Set once, before any AP runs. */
extern struct cpu **cpus;
extern uint32_t nr_cpus;

void cpu_table_set(struct cpu **table, uint32_t nr);

/* Needs cpu_setup() to have run on this CPU. */
static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(cpu));
	return cpu;
}

static inline enum cpu_state cpu_state(const struct cpu *cpu)
{
	return (enum cpu_state)__atomic_load_n(&cpu->state, __ATOMIC_ACQUIRE);
}

/* Moves `cpu` from one state to the next; false where it was no longer in `from`. */
static inline bool cpu_state_change(struct cpu *cpu, enum cpu_state from, enum cpu_state to)
{
	uint32_t expected = from;

	return __atomic_compare_exchange_n(&cpu->state, &expected, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/*
 * Brings the calling CPU to the harness's state: segments, control registers with exactly the
 * features that features.c allows, dispatch-serializing LFENCE, microcode revision, topology.
 * Interrupts must be off. CR3[11:0] must be 0.
 */
void cpu_setup(struct cpu *cpu);

/* Loads GDT, TSS and IDT and points GS.base at `cpu`: the part of cpu_setup() that traps need. */
void segments_load(struct cpu *cpu);

/* Continues in `next` on the stack that ends at `stack_top`. */
_Noreturn void cpu_switch_stack(uint64_t stack_top, void (*next)(void));

#endif
