/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU table, start-up, idle loop, and work for other CPUs. */
#include "kernel/smp.h"

#include "arch/x86/acpi.h"
#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cycles.h"
#include "arch/x86/insn.h"
#include "arch/x86/mem.h"
#include "arch/x86/smp_start.h"
#include "arch/x86/trap.h"
#include "kernel/console.h"
#include "kernel/inject.h"
#include "kernel/stacks.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"

#define AP_TIMEOUT_US 2000000
/* More for each: emulators run hundreds of CPUs in turn on a few of a busy host's. */
#define AP_TIMEOUT_EACH_US 30000

struct smp_summary smp;

static enum others idle_mode;

const char *smp_others(void)
{
	return others_names[idle_mode];
}

static void handle_wake(struct trap_frame *frame)
{
	(void)frame;
	apic_eoi();
}

static void handle_ping(struct trap_frame *frame)
{
	uint64_t *pings = &this_cpu()->pings;

	(void)frame;
	__atomic_store_n(pings, *pings + 1, __ATOMIC_RELEASE);
	apic_eoi();
}

static void handle_stamp(struct trap_frame *frame)
{
	struct cpu *cpu = this_cpu();

	(void)frame;
	cpu->stamp = cycles_ordered();
	__atomic_store_n(&cpu->pings, cpu->pings + 1, __ATOMIC_RELEASE);
	apic_eoi();
}

static bool has_work(struct cpu *cpu)
{
	return __atomic_load_n(&cpu->work, __ATOMIC_ACQUIRE) != NULL;
}

/* Waits as others= says until an interrupt or work comes. Interrupts off on entry and on return. */
static void idle(struct cpu *cpu)
{
	switch (idle_mode) {
	case OTHERS_HLT:
		if (!has_work(cpu))
			sti_hlt();
		break;
	case OTHERS_POLL:
		sti();
		while (!has_work(cpu))
			pause();
		break;
	case OTHERS_BUSY: {
		uint64_t x = 1;

		sti();
		/* A chain of multiplications keeps the core's execution units awake. */
		while (!has_work(cpu)) {
			for (int i = 0; i < 64; i++) {
				x = x * 6364136223846793005ull + 1442695040888963407ull;
				__asm__ volatile("" : "+r"(x));
			}
		}
		break;
	}
	}
	cli();
}

static void ap_loop(struct cpu *cpu)
{
	write_cr3(kernel_tables.root); /* away from those that map the trampoline */
	for (;;) {
		if (has_work(cpu)) {
			cpu->work(cpu->work_arg);
			__atomic_store_n(&cpu->work, NULL, __ATOMIC_RELEASE);
		} else {
			idle(cpu);
		}
	}
}

void smp_start_on(struct cpu *cpu, void (*fn)(void *arg), void *arg)
{
	cpu->work_arg = arg;
	__atomic_store_n(&cpu->work, fn, __ATOMIC_RELEASE);
	if (idle_mode == OTHERS_HLT) {
		uint64_t flags = irq_save();

		ipi_send(cpu->apic_id, VECTOR_WAKE);
		irq_restore(flags);
	}
}

bool smp_wait(struct cpu *cpu, uint32_t us)
{
	uint64_t deadline = clock_deadline(us);

	while (has_work(cpu)) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

/* IDs of the CPUs to be used, this one first; *nr of them. */
static uint32_t *list_ids(const struct boot_info *info, const struct options *o, uint32_t boot_id,
			  uint32_t *nr, size_t *list_bytes)
{
	size_t bytes = 0;
	const char *why;
	const uint8_t *madt = acpi_find(info->rsdp, "APIC", kernel_map_firmware, &bytes, &why);
	uint32_t capacity = madt ? acpi_madt_capacity(bytes) : info->nr_apic_ids;
	struct acpi_madt summary = {0};
	uint32_t *ids;

	*list_bytes = (capacity + 1) * sizeof(*ids);
	ids = kernel_memory_alloc(*list_bytes);
	if (!ids)
		return NULL;
	if (madt) {
		acpi_parse_madt(madt, bytes, ids + 1, &summary);
	} else if (capacity) {
		memcpy(ids + 1, phys_to_virt(info->apic_ids), capacity * sizeof(*ids));
		summary.nr_ids = capacity;
	}
	smp.problem = !madt ? why : summary.malformed ? "an entry runs over its end" : NULL;
	smp.duplicates = summary.duplicates;

	/* This CPU goes to the front, whether or not the table has it. */
	ids[0] = boot_id;
	*nr = 1;
	for (uint32_t i = 1; i <= summary.nr_ids; i++) {
		if (ids[i] != boot_id)
			ids[(*nr)++] = ids[i];
	}
	smp.described = *nr;
	if (o->cpus && o->cpus < *nr)
		*nr = o->cpus;
	smp.expected = *nr;
	return ids;
}

static struct cpu *create_cpu(uint32_t index, uint32_t id)
{
	struct cpu *cpu = kernel_memory_alloc(sizeof(*cpu));

	if (!cpu)
		return NULL;
	cpu->index = index;
	cpu->apic_id = id;
	if (!stacks_alloc(cpu)) {
		cpu->state = CPU_FAILED;
		cpu->why = "no memory for its stacks";
	} else if (apic_mode() == APIC_XAPIC && id > XAPIC_MAX_ID) {
		cpu->state = CPU_FAILED;
		cpu->why = "its APIC ID needs x2APIC mode";
	}
	return cpu;
}

static bool create_table(const uint32_t *ids, uint32_t nr, struct cpu *boot_cpu)
{
	struct cpu **table = kernel_memory_alloc(nr * sizeof(*table));

	if (!table)
		return false;
	table[0] = boot_cpu;
	for (uint32_t i = 1; i < nr; i++) {
		table[i] = create_cpu(i, ids[i]);
		if (!table[i])
			return false;
	}
	cpu_table_set(table, nr);
	return true;
}

static void fail_all(const char *why)
{
	for (uint32_t i = 1; i < nr_cpus; i++) {
		cpus[i]->state = CPU_FAILED;
		cpus[i]->why = why;
	}
}

static void start_all(const struct boot_info *info)
{
	struct smp_start start = {
		.low_page = info->low_page ? info->low_page : kernel_low_page(),
		.loop = ap_loop,
		.timeout_us = AP_TIMEOUT_US + nr_cpus * AP_TIMEOUT_EACH_US,
		.mute = inject_is(INJECT_DEAD_AP) ? cpus[nr_cpus - 1] : NULL,
	};
	uint64_t begun;

	if (!start.low_page) {
		fail_all("there is no free page below 1 MiB to start it from");
		return;
	}
	start.low_page_map = phys_to_virt(start.low_page);
	start.cr3 = kernel_space_create_trampoline(start.low_page);
	if (!start.cr3) {
		fail_all("no memory below 4 GiB for its first page tables");
		return;
	}
	begun = cycles_now();
	smp_start_all(&start);
	smp.start_us = (cycles_now() - begun) / (clock.tsc_hz / 1000000);
}

void smp_init(const struct boot_info *info, const struct options *o, struct cpu *boot_cpu)
{
	static struct cpu *alone[1];
	size_t bytes;
	uint32_t nr;
	uint32_t *ids = list_ids(info, o, apic_id(), &nr, &bytes);

	idle_mode = o->others;
	boot_cpu->apic_id = apic_id();
	boot_cpu->state = CPU_ONLINE;
	trap_set_handler(VECTOR_WAKE, handle_wake);
	trap_set_handler(VECTOR_PING, handle_ping);
	trap_set_handler(VECTOR_STAMP, handle_stamp);
	if (!ids || !create_table(ids, nr, boot_cpu)) {
		smp.problem = "no memory for the CPU table";
		alone[0] = boot_cpu;
		cpu_table_set(alone, 1);
	}
	kernel_memory_free(ids, bytes);
	if (nr_cpus > 1)
		start_all(info);
	for (uint32_t i = 0; i < nr_cpus; i++)
		smp.online += cpu_state(cpus[i]) == CPU_ONLINE;
}
