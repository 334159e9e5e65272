/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot order, one call a line, and the run. */
#include <stddef.h>

#include "arch/x86/acpi.h"
#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cycles.h"
#include "arch/x86/features.h"
#include "arch/x86/fence.h"
#include "arch/x86/invlpgb.h"
#include "arch/x86/invlpgb_model.h"
#include "arch/x86/pmu.h"
#include "arch/x86/trap.h"
#include "boot/boot_info.h"
#include "kernel/cmdline.h"
#include "kernel/console.h"
#include "kernel/harness/need.h"
#include "kernel/harness/records.h"
#include "kernel/harness/report.h"
#include "kernel/harness/runner.h"
#include "kernel/harness/space_axes.h"
#include "kernel/inject.h"
#include "kernel/leave.h"
#include "kernel/panic.h"
#include "kernel/serial.h"
#include "kernel/smp.h"
#include "kernel/stacks.h"
#include "mm/broadcast.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "mm/shootdown.h"

#define BOOT_STACK_BYTES 16384
#define HPET_BYTES       1024
#define XAPIC_BYTES      4096

/* Used until the CPU has a stack with a guard page; both have been zeroed by the loader. */
static uint8_t boot_stack[BOOT_STACK_BYTES] __attribute__((aligned(4096), used));
static uint8_t early_ist_stack[4096] __attribute__((aligned(16)));
extern uint8_t boot_stack_top[];
__asm__(".globl boot_stack_top\n.set boot_stack_top, boot_stack + 16384");

static struct cpu boot_cpu;
static struct options options;
static struct slice cmdline;
static const struct boot_info *info;
static uint64_t entry_ticks;

static void set_up_traps(void)
{
	uint64_t top = (uint64_t)early_ist_stack + sizeof(early_ist_stack);

	for (int i = 0; i < 3; i++)
		boot_cpu.ist_tops[i] = top;
	traps_init();
	segments_load(&boot_cpu);
	panic_init(&options);
}

static void print_complaint(const char *message)
{
	printk("command line: %s\n", message);
}

static void disable(bool wanted, enum feature f, const char *word)
{
	if (!wanted || !feature_info(f)->present)
		return; /* silent where there is nothing to disable */
	printk("%s: %s is not used\n", word, feature_info(f)->symbol);
	feature_disable(f, word);
}

static void apply_options(void)
{
	disable(options.noinvpcid, FEATURE_INVPCID, "noinvpcid");
	disable(options.nopcid, FEATURE_PCID, "nopcid");
	disable(options.nopge, FEATURE_PGE, "nopge");
	disable(options.noinvlpgb, FEATURE_INVLPGB, "noinvlpgb");
	disable(options.nox2apic, FEATURE_X2APIC, "nox2apic");
	inject_set(options.inject);
}

static void set_up_console(const struct boot_info *boot)
{
	cmdline = slice_trim((struct slice){(const char *)boot->cmdline, boot->cmdline_bytes});
	cmdline_parse(cmdline, &options, NULL);
	console_init(&options);
	if (boot->notes_bytes)
		printk("%.*s", (int)boot->notes_bytes, (const char *)boot->notes);
	cmdline_parse(cmdline, &options, print_complaint);
}

static void set_up_memory(const struct boot_info *boot)
{
	switch (kernel_space_init(boot)) {
	case KERNEL_SPACE_OK:
		break;
	case KERNEL_SPACE_NO_FREE_MEMORY:
		panic("the memory map (%lu entries) has no free RAM below 4 GiB", boot->nr_memory);
	case KERNEL_SPACE_OUT_OF_MEMORY:
		panic("too little RAM for the page tables: %lu KiB are free",
		      frames_free_count() * 4);
	}
	info = phys_to_virt((uint64_t)boot);
	cmdline.at = phys_to_virt((uint64_t)cmdline.at);
	cmdline_parse(cmdline, &options, NULL); /* its slices pointed into the old mapping */
}

/* invlpgb=model. Every CPU that is to have it is online. */
static void model_invlpgb(void)
{
	size_t bytes = invlpgb_model_bytes(nr_cpus);
	void *memory;

	if (feature_info(FEATURE_INVLPGB)->present || options.noinvlpgb) {
		printk("invlpgb=model is ignored: %s\n",
		       options.noinvlpgb ? "noinvlpgb" : "CPUID says that this CPU has INVLPGB");
		return;
	}
	memory = kernel_memory_alloc(bytes);
	if (!memory) {
		printk("invlpgb=model is ignored: no memory for %u CPUs\n", nr_cpus);
		return;
	}
	invlpgb_model_start(memory, options.seed);
	feature_model(FEATURE_INVLPGB);
}

static void set_up_invlpgb(void)
{
	fault_t fault;

	if (options.invlpgb == INVLPGB_MODEL)
		model_invlpgb();
	fault = invlpgb_setup();
	if (inject_is(INJECT_ZERO_COUNT_MAX))
		invlpgb_limits.max_pages = 0;

	if (fault)
		printk("INVLPGB is not used: its first use ended in %s\n",
		       trap_name(fault_vector(fault)));
}

static void set_up_acpi(struct clock_hardware *hw)
{
	struct acpi_fadt fadt;
	uint8_t type_a, type_b;
	size_t bytes;
	const char *why;
	const uint8_t *table = acpi_find(info->rsdp, "FACP", kernel_map_firmware, &bytes, &why);

	if (!table) {
		printk("warning: ACPI table FADT: %s\n", why);
		return;
	}
	acpi_parse_fadt(table, bytes, &fadt);
	hw->pm_timer_port = fadt.pm_timer_port;
	hw->pm_timer_32bit = fadt.pm_timer_32bit;
	table = acpi_map_table(fadt.dsdt, "DSDT", kernel_map_firmware, &bytes, &why);
	if (table && acpi_find_s5(table, bytes, &type_a, &type_b))
		leave_set_acpi(&fadt, type_a, type_b);
	table = acpi_find(info->rsdp, "HPET", kernel_map_firmware, &bytes, &why);
	if (table && acpi_parse_hpet(table, bytes))
		hw->hpet = kernel_map_mmio(acpi_parse_hpet(table, bytes), HPET_BYTES);
}

static void set_up_clock(void)
{
	struct clock_hardware hw = {0};
	uint64_t flags = irq_save();

	set_up_acpi(&hw);
	clock_init(&hw);
	irq_restore(flags);
}

static struct cpuid query_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

/* Of this CPU, which is the one that measures. */
static void set_up_counters(void)
{
	struct pmu_cpu cpu = {
		.vendor = cpu_identity.vendor,
		.family = cpu_identity.family,
		.model = cpu_identity.model,
		.efficient = this_cpu()->topology.kind == CORE_EFFICIENT,
		.query = query_cpuid,
	};
	uint64_t flags = irq_save();

	pmu_init(&cpu);
	irq_restore(flags);
}

/* The 8259s are off: with the APIC in charge nothing may come from them. */
static void mask_legacy_interrupts(void)
{
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
}

static void set_up_apic(void)
{
	volatile void *mmio = kernel_map_mmio(apic_mmio_base(), XAPIC_BYTES);

	if (!mmio)
		panic("no memory to map the APIC's registers");
	mask_legacy_interrupts();
	apic_init(mmio);
	apic_enable();
}

/* The lower half of the address space is empty. */
static __attribute__((noinline)) void write_unmapped(volatile uint64_t *nowhere)
{
	*nowhere = 0;
}

/* Needs all of its frame after the call, so that no compiler makes a loop of it. */
static __attribute__((noinline)) unsigned recurse(unsigned depth)
{
	volatile unsigned local[64];

	local[depth % 64] = depth;
	return depth ? recurse(depth - 1) + local[depth % 64] : 0;
}

/* Where inject= wants a broken kernel rather than a failing check. */
static __attribute__((noinline)) void inject_early(void)
{
	if (inject_is(INJECT_PANIC))
		panic("asked for by inject=panic");
	if (inject_is(INJECT_FAULT))
		write_unmapped((volatile uint64_t *)0x5000);
	if (inject_is(INJECT_OVERFLOW))
		printk("%u\n", recurse(1000));
	__asm__ volatile(""); /* no tail call: the frame above stays in the backtrace */
}

/* inject= as mm/ knows it. */
static unsigned shootdown_faults_wanted(void)
{
	static const struct {
		enum inject inject;
		enum shootdown_fault fault;
	} faults[] = {
		{INJECT_SKIP_REMOTE, SHOOTDOWN_SKIP_REMOTE},
		{INJECT_EARLY_ACK, SHOOTDOWN_EARLY_ACK},
		{INJECT_SHORT_RANGE, SHOOTDOWN_SHORT_RANGE},
		{INJECT_STALE_ASID, SHOOTDOWN_STALE_ASID},
		{INJECT_LATE_SET, SHOOTDOWN_LATE_SET},
		{INJECT_SKIP_GENERATION, SHOOTDOWN_SKIP_GENERATION},
		{INJECT_SKIP_TLBSYNC, SHOOTDOWN_SKIP_TLBSYNC},
		{INJECT_NO_FINISH, SHOOTDOWN_NO_FINISH},
		{INJECT_NO_VA_VALID, SHOOTDOWN_NO_VA_VALID},
		{INJECT_NO_ASID_VALID, SHOOTDOWN_NO_ASID_VALID},
		{INJECT_OFF_BY_ONE, SHOOTDOWN_OFF_BY_ONE},
		{INJECT_STALE_ROLLOVER, SHOOTDOWN_STALE_ROLLOVER},
	};
	unsigned wanted = 0;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		wanted |= inject_is(faults[i].inject) ? faults[i].fault : 0;
	return wanted;
}

/* policy=, where the CPU has what it takes. */
static uint32_t policy_wanted(void)
{
	char place[64];

	if (options.policy == POLICY_COUNT || !flush_policies[options.policy].broadcast ||
	    feature_has(FEATURE_INVLPGB))
		return options.policy;
	need_feature_place(FEATURE_INVLPGB, place, sizeof(place));
	printk("policy=%s needs %s, which is not there: it is policy=ipi\n",
	       flush_policy_names[options.policy], place);
	return POLICY_IPI;
}

static void set_up_shootdown(void)
{
	if (!shootdown_init(options.ceiling, shootdown_faults_wanted()))
		panic("no memory for the CPUs' TLB states");
	broadcast_init(options.gasid_cpus, options.gasid_sample, options.gasids);
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE)
			shootdown_join(i);
	}
	space_axes_set(policy_wanted(), options.pti);
}

static void run(void)
{
	static struct run_totals totals;

	smp_init(info, &options, &boot_cpu);
	set_up_invlpgb();
	set_up_shootdown();
	sti();
	records_init(console_record);
	report_header(info, cmdline);
	inject_early();
	runner_run(&options, &totals);
	report_end(&totals, clock_ms(cycles_now() - entry_ticks));
	leave(&options, totals.fail ? LEAVE_FAILED : LEAVE_PASSED);
}

void kernel_main(const struct boot_info *boot, uint64_t kernel_base)
{
	entry_ticks = cycles_now();
	features_init();
	set_up_traps();
	if (boot->magic != BOOT_INFO_MAGIC || boot->kernel_base != kernel_base)
		panic("the boot path and this kernel do not belong together");
	set_up_console(boot);
	apply_options();
	set_up_memory(boot);
	if (!stacks_alloc(&boot_cpu))
		panic("no memory for the first stacks");
	cpu_setup(&boot_cpu);
	fence_patch(inject_is(INJECT_NO_FENCE) ? FENCE_NONE : (enum fence)options.fence);
	serial_find(info);
	console_use_screen(&info->framebuffer);
	set_up_clock();
	set_up_counters();
	console_turn_pages();
	set_up_apic();
	cpu_switch_stack(boot_cpu.stack_top, run);
}
