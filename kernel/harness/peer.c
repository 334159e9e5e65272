/* SPDX-License-Identifier: BSD-2-Clause */
/* Work for other CPUs: waiting. */
#include "kernel/harness/peer.h"

#include <stddef.h>

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "kernel/smp.h"

#define ANSWER_US 5000000 /* a guest's CPU may have to wait for one of the host's */

const char *const peer_wait_names[] = {
	[PEER_POLL] = "poll",
	[PEER_HLT] = "hlt",
	[PEER_MWAIT] = "mwait",
	[PEER_BUSY] = "busy",
};

/* What passes between CPU 0 and the one that waits; one CPU at a time begins or ends to wait. */
struct hold {
	enum peer_wait how;
	bool waiting; /* by the one that waits */
} __attribute__((aligned(CACHE_LINE)));

static struct hold hold;

static bool is_over(struct cpu *cpu)
{
	return __atomic_load_n(&cpu->peer_stop, __ATOMIC_ACQUIRE);
}

/* Interrupts off on entry and return; the test and HLT are not split by one. */
static void wait_hlt(struct cpu *cpu)
{
	if (!is_over(cpu))
		sti_hlt();
	cli();
}

static void wait_mwait(struct cpu *cpu)
{
	monitor(&cpu->peer_stop);
	if (!is_over(cpu))
		sti_mwait();
	cli();
}

static void wait_poll(struct cpu *cpu)
{
	sti();
	while (!is_over(cpu))
		pause();
	cli();
}

static void wait_busy(struct cpu *cpu)
{
	uint64_t x = 1;

	sti();
	while (!is_over(cpu)) {
		for (int i = 0; i < 64; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			__asm__ volatile("" : "+r"(x));
		}
	}
	cli();
}

static void wait(void *unused)
{
	static void (*const waits[PEER_WAITS])(struct cpu * cpu) = {
		[PEER_POLL] = wait_poll,
		[PEER_HLT] = wait_hlt,
		[PEER_MWAIT] = wait_mwait,
		[PEER_BUSY] = wait_busy,
	};
	struct cpu *cpu = this_cpu();
	enum peer_wait how = hold.how;

	(void)unused;
	__atomic_store_n(&hold.waiting, true, __ATOMIC_RELEASE);
	while (!is_over(cpu))
		waits[how](cpu);
}

bool peer_hold(struct cpu *cpu, enum peer_wait how)
{
	uint64_t deadline = clock_deadline(ANSWER_US);

	hold = (struct hold){.how = how};
	__atomic_store_n(&cpu->peer_stop, false, __ATOMIC_RELEASE);
	smp_start_on(cpu, wait, NULL);
	while (!__atomic_load_n(&hold.waiting, __ATOMIC_ACQUIRE)) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

bool peer_release(struct cpu *cpu)
{
	uint64_t flags = irq_save();

	/* The store ends polling and MWAIT; HLT wants an interrupt. */
	__atomic_store_n(&cpu->peer_stop, true, __ATOMIC_RELEASE);
	ipi_send(cpu->apic_id, VECTOR_WAKE);
	irq_restore(flags);
	return smp_wait(cpu, ANSWER_US);
}

struct cpu *peer_next(const struct cpu *after)
{
	for (uint32_t i = after->index + 1; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE)
			return cpus[i];
	}
	return NULL;
}
