/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of the report: which machine, CPUs and clock the figures belong to. */
#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/features.h"
#include "arch/x86/pmu.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/errata.h"
#include "kernel/harness/records.h"
#include "kernel/harness/report.h"
#include "kernel/smbios.h"
#include "kernel/smp.h"
#include "kernel/version.h"
#include "mm/kernel_space.h"

#define LIST_ROOM        200 /* left in a record for what follows a list */
#define COUNTER_TEXT_MAX 132

static const char *const boot_paths[] = {
	[BOOT_EFI] = "efi",
	[BOOT_MULTIBOOT2_EFI] = "multiboot2-efi",
	[BOOT_MULTIBOOT2_BIOS] = "multiboot2-bios",
};

static const char *const secure_names[] = {
	[BOOT_SECURE_UNKNOWN] = "unknown",
	[BOOT_SECURE_OFF] = "off",
	[BOOT_SECURE_ON] = "on",
	[BOOT_SECURE_SETUP_MODE] = "off (setup mode)",
};

static struct record record;

static const char *name_at(const char *const *names, size_t n, uint32_t index)
{
	return index < n ? names[index] : "unknown";
}

#define NAME_AT(names, index) name_at(names, sizeof(names) / sizeof((names)[0]), index)

/* As much as a line holds, printable. */
static void print_cmdline(struct slice cmdline)
{
	char shown[92];
	size_t n = 0;

	for (; n < cmdline.length && n < sizeof(shown) - 1; n++)
		shown[n] = cmdline.at[n] >= ' ' && cmdline.at[n] <= '~' ? cmdline.at[n] : '?';
	shown[n] = 0;
	if (n)
		printk("options   %s%s\n", shown, n < cmdline.length ? "..." : "");
}

static void head_run(const struct boot_info *info, struct slice cmdline)
{
	const char *hypervisor = cpu_identity.hypervisor;
	const char *secure = NAME_AT(secure_names, info->secure_boot);

	if (!*hypervisor)
		hypervisor = feature_has(FEATURE_HYPERVISOR) ? "unnamed" : "none";
	printk("Shootdown %s (%s, %s)   %s, Secure Boot %s\n", SHOOTDOWN_VERSION, shootdown_commit,
	       shootdown_compiler, info->firmware, secure);
	record_begin(&record, "run");
	record_unsigned(&record, "format", 1);
	record_string(&record, "version", SHOOTDOWN_VERSION);
	record_string(&record, "commit", shootdown_commit);
	record_string(&record, "compiler", shootdown_compiler);
	record_string(&record, "boot", NAME_AT(boot_paths, info->path));
	record_string(&record, "firmware", info->firmware);
	record_string(&record, "secure_boot", secure);
	record_string(&record, "hypervisor", hypervisor);
	record_string_n(&record, "cmdline", cmdline.at, cmdline.length);
	record_string(&record, "date", info->date);
	record_end(&record);
	print_cmdline(cmdline);
}

static void head_machine(const struct boot_info *info)
{
	uint64_t ram_mib = kernel_ram_bytes() >> 20;
	struct smbios smbios;

	smbios_read(info->smbios, kernel_map_firmware, &smbios);
	printk("machine   %s %s, %lu MiB   BIOS %s\n",
	       *smbios.vendor ? smbios.vendor : "(no SMBIOS)", smbios.product, ram_mib,
	       *smbios.bios ? smbios.bios : "unknown");
	record_begin(&record, "machine");
	record_string(&record, "vendor", smbios.vendor);
	record_string(&record, "product", smbios.product);
	record_string(&record, "bios", smbios.bios);
	record_unsigned(&record, "memory_mib", ram_mib);
	record_end(&record);
}

static void head_console(void)
{
	char where[64];

	console_describe(where, sizeof(where));
	printk("console   %s\n", where);
}

static bool is_in_use(const struct feature_info *f)
{
	return f->present && !f->disabled_by;
}

static bool is_turned_off(const struct feature_info *f)
{
	return f->present && f->disabled_by;
}

static bool is_modelled(const struct feature_info *f)
{
	return f->modelled;
}

static void list_features(const char *key, bool (*which)(const struct feature_info *f))
{
	record_open(&record, key, '[');
	for (unsigned f = 0; f < FEATURE_COUNT; f++) {
		if (which(feature_info(f)))
			record_string(&record, NULL, feature_info(f)->name);
	}
	record_close(&record, ']');
}

static void print_features(void)
{
	printk("has      ");
	for (unsigned f = 0; f < FEATURE_COUNT; f++) {
		if (is_in_use(feature_info(f)))
			printk(" %s", feature_info(f)->name);
	}
	printk("\nlacks    ");
	for (unsigned f = 0; f < FEATURE_COUNT; f++) {
		const struct feature_info *info = feature_info(f);

		if (!info->present)
			printk(" %s%s", info->name, info->modelled ? "(modelled)" : "");
		else if (info->disabled_by)
			printk(" %s(off: %s)", info->name, info->disabled_by);
	}
	printk("\n");
}

/* Those that apply here and that a check knows of. */
static void list_errata(void)
{
	const struct erratum *e;

	record_open(&record, "errata", '[');
	for (unsigned i = 0; (e = errata_at(i)) != NULL; i++) {
		if (!errata_here(e))
			continue;
		record_string(&record, NULL, e->name);
		printk("erratum   %s\n", e->text);
	}
	record_close(&record, ']');
}

static void head_cpu(void)
{
	const struct cpu_identity *id = &cpu_identity;

	printk("cpu       %s, %s %x/%x/%x, microcode 0x%x\n", *id->brand ? id->brand : "(no brand)",
	       id->vendor_name, id->family, id->model, id->stepping, cpus[0]->microcode);
	record_begin(&record, "cpu");
	record_string(&record, "vendor", id->vendor_name);
	record_string(&record, "brand", id->brand);
	record_unsigned(&record, "family", id->family);
	record_unsigned(&record, "model", id->model);
	record_unsigned(&record, "stepping", id->stepping);
	record_unsigned(&record, "microcode", cpus[0]->microcode);
	list_features("features", is_in_use);
	list_features("disabled", is_turned_off);
	list_features("modelled", is_modelled);
	list_errata();
	record_end(&record);
}

static const char *kind_name(enum core_kind kind)
{
	switch (kind) {
	case CORE_PERFORMANCE:
		return "performance";
	case CORE_EFFICIENT:
		return "efficient";
	default:
		return NULL;
	}
}

static void record_cpu_at(const struct cpu *cpu)
{
	const char *kind = kind_name(cpu->topology.kind);

	record_begin(&record, "cpu_at");
	record_unsigned(&record, "cpu", cpu->index);
	record_unsigned(&record, "apic", cpu->apic_id);
	record_unsigned(&record, "package", cpu->topology.package);
	record_unsigned(&record, "llc", cpu->topology.llc);
	record_unsigned(&record, "core", cpu->topology.core);
	record_unsigned(&record, "thread", cpu->topology.thread);
	if (kind)
		record_string(&record, "kind", kind);
	else
		record_null(&record, "kind");
	record_end(&record);
}

static void record_failed(void)
{
	uint32_t left_out = 0;

	record_open(&record, "failed", '[');
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) != CPU_FAILED)
			continue;
		if (record_room(&record) < LIST_ROOM) {
			left_out++;
			continue;
		}
		record_open(&record, NULL, '{');
		record_unsigned(&record, "apic", cpus[i]->apic_id);
		record_string(&record, "why", cpus[i]->why);
		record_close(&record, '}');
	}
	record_close(&record, ']');
	if (left_out)
		record_unsigned(&record, "failed_left_out", left_out);
}

static void print_cpus(const char *mode)
{
	printk("cpus      %u of %u online, %s", smp.online, smp.expected, mode);
	if (smp.described > smp.expected)
		printk("; the machine has %u, cpus=%u", smp.described, smp.expected);
	printk("\n");
	if (smp.problem)
		printk("warning   ACPI table MADT: %s%s\n", smp.problem,
		       smp.described > 1 ? "; the CPUs are those that the firmware uses" : "");
	if (smp.duplicates)
		printk("warning   ACPI table MADT: %u entries repeat an APIC ID\n", smp.duplicates);
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_FAILED)
			printk("warning   CPU with APIC ID %u is not used: %s\n", cpus[i]->apic_id,
			       cpus[i]->why);
	}
}

static void head_cpus(void)
{
	const char *mode = apic_mode() == APIC_X2APIC ? "x2apic" : "xapic";

	print_cpus(apic_mode() == APIC_X2APIC ? "x2APIC" : "xAPIC");
	record_begin(&record, "cpus");
	record_unsigned(&record, "described", smp.described);
	record_unsigned(&record, "expected", smp.expected);
	record_unsigned(&record, "online", smp.online);
	record_unsigned(&record, "start_us", smp.start_us);
	record_string(&record, "apic_mode", mode);
	record_failed();
	record_end(&record);
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE)
			record_cpu_at(cpus[i]);
	}
}

/* Why a counter is not used, with what was seen of it; "" where it is used. */
static void explain_counter(enum pmu_event event, char *text, size_t size)
{
	const struct pmu_counter *c = &pmu.counters[event];
	size_t n;

	*text = 0;
	if (!c->why)
		return;
	n = format(text, size, "%s%s%s", c->name ? c->name : "", c->name ? ": " : "", c->why);
	if (n >= size)
		return;
	if (c->faulted)
		format(text + n, size - n, " (MSR %xh)", c->faulted);
	else if (c->probed && event == PMU_CORE)
		format(text + n, size - n, " (%ld in %u dependent multiplications)", c->counted,
		       PMU_PROBE_MULTIPLICATIONS);
	else if (c->probed)
		format(text + n, size - n, " (%ld in %u flushes of the whole TLB)", c->counted,
		       PMU_PROBE_FLUSHES);
}

static void record_counter(const char *key, const char *why_key, enum pmu_event event)
{
	char why[COUNTER_TEXT_MAX];

	explain_counter(event, why, sizeof(why));
	if (*why)
		record_null(&record, key);
	else
		record_string(&record, key, pmu.counters[event].name);
	if (*why)
		record_string(&record, why_key, why);
	else
		record_null(&record, why_key);
}

static void print_counter(const char *head, const char *used, const char *unused,
			  enum pmu_event event)
{
	char why[COUNTER_TEXT_MAX];

	explain_counter(event, why, sizeof(why));
	printk("%s%s%s\n", head, *why ? unused : used, *why ? why : pmu.counters[event].name);
}

/* One line where the same reason holds for all. */
static void print_counters(void)
{
	char core[COUNTER_TEXT_MAX], walk[COUNTER_TEXT_MAX];

	explain_counter(PMU_CORE, core, sizeof(core));
	explain_counter(PMU_WALK, walk, sizeof(walk));
	if (*core && text_equal(core, walk)) {
		printk("counters  none: %s\n", core);
		return;
	}
	print_counter("counters  ", "core cycles by ", "no core cycles: ", PMU_CORE);
	print_counter("          ", "page walks by ", "no page walks: ", PMU_WALK);
}

static void head_clock(void)
{
	char mhz[32];

	format_fixed(mhz, sizeof(mhz), clock.tsc_hz / 100000, 1);
	printk("clock     TSC %s MHz from %s%s", mhz, clock.source,
	       clock.invariant ? ", invariant" : ", not invariant");
	for (unsigned i = 0; i < clock.nr_checks; i++) {
		if (clock.checks[i].source != clock.source)
			printk("; %s %s%ld ppm", clock.checks[i].source,
			       clock.checks[i].ppm < 0 ? "" : "+", clock.checks[i].ppm);
	}
	printk("%s\n", clock.nr_checks < 2 ? "; nothing to check it against" : "");
	print_counters();

	record_begin(&record, "clock");
	record_unsigned(&record, "tsc_hz", clock.tsc_hz);
	record_string(&record, "source", clock.source);
	record_bool(&record, "invariant", clock.invariant);
	record_open(&record, "checks", '[');
	for (unsigned i = 0; i < clock.nr_checks; i++) {
		record_open(&record, NULL, '{');
		record_string(&record, "source", clock.checks[i].source);
		record_unsigned(&record, "hz", clock.checks[i].hz);
		record_signed(&record, "ppm", clock.checks[i].ppm);
		record_close(&record, '}');
	}
	record_close(&record, ']');
	record_counter("core_counter", "core_counter_why", PMU_CORE);
	record_counter("walk_counter", "walk_counter_why", PMU_WALK);
	record_end(&record);
}

static void head_notes(void)
{
	const char *name = cpu_identity.hypervisor;

	if (cpu_identity.emulated)
		printk("note      hypervisor %s: times are the emulator's, not a CPU's\n", name);
	else if (feature_has(FEATURE_HYPERVISOR))
		printk("note      hypervisor %s: times are a guest's: exits to it are in them\n",
		       name);
	if (feature_info(FEATURE_INVLPGB)->modelled)
		printk("note      invlpgb=model: software carries out INVLPGB and TLBSYNC: what "
		       "it has a hand in has no times\n");
}

void report_header(const struct boot_info *info, struct slice cmdline)
{
	head_run(info, cmdline);
	head_machine(info);
	head_console();
	head_cpu();
	head_cpus();
	print_features();
	head_clock();
	head_notes();
	printk("\n");
}
