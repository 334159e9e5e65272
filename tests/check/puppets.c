/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives orders to the other CPUs, one at a time, and carries them out there. */
#include "tests/check/puppets.h"

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/safe.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "mm/kernel_space.h"

#define ANSWER_US 5000000 /* emulators with many CPUs are slow */

enum order { ORDER_NONE, ORDER_SWITCH, ORDER_LOOK, ORDER_DO, ORDER_END };

struct puppet {
	struct cpu *cpu;
	struct address_space *space;
	struct puppet_sight sight;
	uint32_t order __attribute__((aligned(CACHE_LINE))); /* back to none when carried out */
} __attribute__((aligned(CACHE_LINE)));

static struct puppet *puppets; /* [0] is the caller's and never waits */
static uint32_t nr_puppets;
static struct puppet_look looked_for;
static void (*to_do)(void);

static void see(const struct puppet_look *look, uint64_t va, struct puppet_sight *sight)
{
	uint64_t value = PUPPET_TAG_OLD;
	fault_t fault = look->write ? store_safe((uint64_t *)va, PUPPET_TAG_OLD)
				    : load_safe((const uint64_t *)va, &value);

	if (fault)
		sight->gone++;
	else if (value == PUPPET_TAG_OLD)
		sight->old++;
	else if (value == PUPPET_TAG_NEW)
		sight->new ++;
	else
		sight->odd++;
}

/* The other half is seen with interrupts off. */
static void look_at(const struct puppet_look *look, struct puppet_sight *sight)
{
	uint64_t flags = irq_save();

	*sight = (struct puppet_sight){0, 0, 0, 0};
	if (look->user)
		address_space_enter_user();
	for (uint64_t i = 0; i < look->nr; i++)
		see(look, look->va + i * look->stride, sight);
	if (look->user)
		address_space_leave_user();
	irq_restore(flags);
}

static void carry_out(struct puppet *p, enum order order)
{
	if (order == ORDER_LOOK)
		look_at(&looked_for, &p->sight);
	else if (order == ORDER_DO)
		to_do();
	else
		address_space_switch(order == ORDER_SWITCH ? p->space : NULL);
	__atomic_store_n(&p->order, ORDER_NONE, __ATOMIC_RELEASE);
}

/* Interrupts are off where the order is looked for, so that none comes between that and HLT. */
static void obey(void *puppet)
{
	struct puppet *p = puppet;
	uint32_t order;

	do {
		order = __atomic_load_n(&p->order, __ATOMIC_ACQUIRE);
		if (order == ORDER_NONE) {
			sti_hlt();
			cli();
			continue;
		}
		sti();
		carry_out(p, (enum order)order);
		cli();
	} while (order != ORDER_END);
}

static void give(struct puppet *p, enum order order)
{
	uint64_t flags = irq_save();

	__atomic_store_n(&p->order, order, __ATOMIC_RELEASE);
	ipi_send(p->cpu->apic_id, VECTOR_WAKE);
	irq_restore(flags);
}

/* Until all have carried out what they were given. */
static bool settle(void)
{
	uint64_t deadline = clock_deadline(ANSWER_US);

	for (uint32_t i = 1; i <= nr_puppets; i++) {
		while (__atomic_load_n(&puppets[i].order, __ATOMIC_ACQUIRE) != ORDER_NONE) {
			if (clock_passed(deadline))
				return false;
			pause();
		}
	}
	return true;
}

bool puppets_begin(void)
{
	nr_puppets = 0;
	puppets = kernel_memory_alloc(nr_cpus * sizeof(*puppets));
	if (!puppets)
		return false;
	puppets[0].cpu = this_cpu();
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));) {
		struct puppet *p = &puppets[++nr_puppets];

		p->cpu = cpu;
		smp_start_on(cpu, obey, p);
	}
	return puppets_switch(NULL, NULL);
}

bool puppets_end(void)
{
	bool ok = true;

	address_space_switch(NULL);
	for (uint32_t i = 1; i <= nr_puppets; i++)
		give(&puppets[i], ORDER_END);
	for (uint32_t i = 1; i <= nr_puppets; i++)
		ok &= smp_wait(puppets[i].cpu, ANSWER_US);
	/* One that did not end may still look at its own. */
	if (ok)
		kernel_memory_free(puppets, nr_cpus * sizeof(*puppets));
	puppets = NULL;
	return ok;
}

uint32_t puppets_count(void)
{
	return nr_puppets;
}

uint32_t puppet_cpu(uint32_t puppet)
{
	return puppets[puppet].cpu->index;
}

bool puppets_switch(bool (*which)(uint32_t puppet), struct address_space *space)
{
	for (uint32_t i = 1; i <= nr_puppets; i++) {
		if (which && !which(i))
			continue;
		puppets[i].space = space;
		give(&puppets[i], ORDER_SWITCH);
	}
	if (!which || which(0))
		address_space_switch(space);
	return settle();
}

bool puppets_look(const struct puppet_look *look)
{
	looked_for = *look;
	for (uint32_t i = 1; i <= nr_puppets; i++)
		give(&puppets[i], ORDER_LOOK);
	look_at(look, &puppets[0].sight);
	return settle();
}

bool puppets_do(bool (*which)(uint32_t puppet), void (*what)(void))
{
	to_do = what;
	for (uint32_t i = 1; i <= nr_puppets; i++) {
		if (!which || which(i))
			give(&puppets[i], ORDER_DO);
	}
	if (!which || which(0))
		what();
	return settle();
}

const struct puppet_sight *puppet_sight(uint32_t puppet)
{
	return &puppets[puppet].sight;
}
