/* SPDX-License-Identifier: BSD-2-Clause */
/* INIT and SIPI to all APs together, and the wait for their answers. */
#include "arch/x86/smp_start.h"

#include <stddef.h>

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/features.h"
#include "arch/x86/insn.h"
#include "arch/x86/mem.h"

/*
 * Linux waits 0 between INIT and SIPI on current CPUs, and some platforms hang on that; 10 us cured
 * them. The retry follows the manual's own figures.
 */
#define INIT_DELAY_US       10
#define RETRY_AFTER_US      100000
#define RETRY_INIT_DELAY_US 10000
#define RETRY_SIPI_DELAY_US 200

extern const uint8_t trampoline_start[], trampoline_32[], trampoline_64[], trampoline_params[],
	trampoline_end[];
void ap_entry(void);
void ap_main(struct cpu *cpu);

/* Read by ap_entry. */
struct cpu **ap_table;
uint32_t ap_table_count;

static void (*ap_loop)(struct cpu *cpu);

/*
 * Flat segments, Intel SDM vol. 3A, "Segment Descriptors". Accessed is set already: by the time the
 * last one is loaded the page they lie in is read-only, and setting the bit would fault.
 */
#define GDT_CODE32 0x00cf9b000000ffffull
#define GDT_DATA32 0x00cf93000000ffffull
#define GDT_CODE64 0x00209b0000000000ull

static void fill_trampoline(const struct smp_start *start)
{
	uint32_t base = start->low_page;
	uint32_t params_offset = trampoline_params - trampoline_start;
	struct trampoline_params p = {
		.cr0 = CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE,
		.cr3 = start->cr3,
		.cr4 = CR4_PAE | (read_cr4() & CR4_LA57),
		.efer = EFER_LME | (feature_has(FEATURE_NX) ? EFER_NXE : 0),
		.entry = (uint64_t)ap_entry,
		.far32 = {base + (trampoline_32 - trampoline_start), TRAMPOLINE_SEL_CODE32},
		.far64 = {base + (trampoline_64 - trampoline_start), TRAMPOLINE_SEL_CODE64},
		.gdt_limit = sizeof(p.gdt) - 1,
		.gdt_base = base + params_offset + offsetof(struct trampoline_params, gdt),
		.gdt = {0, GDT_CODE32, GDT_DATA32, GDT_CODE64},
	};

	memcpy(start->low_page_map, trampoline_start, trampoline_end - trampoline_start);
	memcpy((uint8_t *)start->low_page_map + params_offset, &p, sizeof(p));
}

/* The first C of an AP, on its own stack. */
void ap_main(struct cpu *cpu)
{
	segments_load(cpu); /* an NMI may come even while it is parked */
	/* Late: the others have gone on without this CPU. */
	if (!cpu_state_change(cpu, CPU_STARTING, CPU_STARTING))
		goto park;
	cpu_setup(cpu);
	apic_enable();
	if (!cpu_state_change(cpu, CPU_STARTING, CPU_ONLINE))
		goto park;
	ap_loop(cpu);
park:
	for (;;) {
		cli();
		hlt();
	}
}

static const struct cpu *mute;
static uint8_t startup_page;

static void send_init(uint32_t i)
{
	if (cpu_state(cpus[i]) == CPU_STARTING && cpus[i] != mute)
		ipi_send_init(cpus[i]->apic_id);
}

/*
 * For the retry. The state is taken away first, or an AP that answers in between would be reset
 * after it was counted: who comes now parks, and INIT takes it from there.
 */
static void send_init_again(uint32_t i)
{
	if (cpu_state_change(cpus[i], CPU_STARTING, CPU_OFF) && cpus[i] != mute)
		ipi_send_init(cpus[i]->apic_id);
}

static void send_startup(uint32_t i)
{
	if (cpu_state(cpus[i]) == CPU_STARTING && cpus[i] != mute)
		ipi_send_startup(cpus[i]->apic_id, startup_page);
}

static void for_each_ap(void (*fn)(uint32_t i))
{
	for (uint32_t i = 1; i < nr_cpus; i++)
		fn(i);
}

static bool all_answered(void)
{
	for (uint32_t i = 1; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_STARTING)
			return false;
	}
	return true;
}

static bool wait_for_all(uint32_t us)
{
	uint64_t deadline = clock_deadline(us);

	while (!all_answered()) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

static void begin(uint32_t i)
{
	cpu_state_change(cpus[i], CPU_OFF, CPU_STARTING);
}

static void give_up(uint32_t i)
{
	if (cpu_state_change(cpus[i], CPU_STARTING, CPU_FAILED))
		cpus[i]->why = "no answer to INIT and two SIPIs";
}

void smp_start_all(const struct smp_start *start)
{
	uint64_t flags = irq_save();

	ap_loop = start->loop;
	ap_table = cpus;
	ap_table_count = nr_cpus;
	startup_page = start->low_page >> 12;
	mute = start->mute;
	fill_trampoline(start);

	for_each_ap(begin);
	for_each_ap(send_init);
	clock_delay_us(INIT_DELAY_US);
	for_each_ap(send_startup);
	if (!wait_for_all(RETRY_AFTER_US)) {
		/*
		 * A SIPI is lost where the AP was in SMM; one that only is slow ignores a second.
		 */
		for_each_ap(send_startup);
		clock_delay_us(RETRY_SIPI_DELAY_US);
		if (!wait_for_all(start->timeout_us / 2)) {
			for_each_ap(send_init_again);
			clock_delay_us(RETRY_INIT_DELAY_US);
			for_each_ap(begin);
			for_each_ap(send_startup);
			wait_for_all(start->timeout_us / 2);
		}
	}
	for_each_ap(give_up);
	irq_restore(flags);
}
