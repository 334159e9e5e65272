/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the page tables every CPU runs on keep the kernel's promises: no page can be both
 * written and executed, whatever level of the tables allows it, and below every stack lies a page
 * that is not mapped. By virtual address: that the direct map lets the image's frames be written is
 * not looked at.
 */
#include "arch/x86/cpu.h"
#include "arch/x86/insn.h"
#include "arch/x86/tlb.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/test_page.h"
#include "kernel/inject.h"
#include "kernel/smp.h"
#include "kernel/stacks.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"

#define ANSWER_US 1000000

static uint64_t root_there;

static void read_root(void *unused)
{
	(void)unused;
	__atomic_store_n(&root_there, read_cr3() & CR3_ADDR_MASK, __ATOMIC_RELEASE);
}

/* Whether `cpu` runs on the kernel's tables; so one walk stands for all of them. */
static bool shares_root(struct cpu *cpu)
{
	root_there = 0;
	if (cpu == this_cpu()) {
		read_root(NULL);
	} else {
		smp_start_on(cpu, read_root, NULL);
		if (!smp_wait(cpu, ANSWER_US))
			return false;
	}
	return __atomic_load_n(&root_there, __ATOMIC_ACQUIRE) == kernel_tables.root;
}

/* The first online CPU that does not, or NULL. */
static const struct cpu *find_stray(void)
{
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpu_state(cpus[i]) == CPU_ONLINE && !shares_root(cpus[i]))
			return cpus[i];
	}
	return NULL;
}

struct tally {
	uint64_t writable, executable, both;
	struct paging_leaf first_both;
};

static bool count(const struct paging_leaf *leaf, void *ctx)
{
	struct tally *tally = ctx;
	bool writable = leaf->allows & MAP_WRITE, executable = leaf->allows & MAP_EXECUTE;

	tally->writable += writable;
	tally->executable += executable;
	if (writable && executable && !tally->both++)
		tally->first_both = *leaf;
	return true;
}

static struct tally count_live(void)
{
	struct page_tables live = {read_cr3() & CR3_ADDR_MASK, read_cr4() & CR4_LA57 ? 5 : 4};
	struct tally tally = {0};

	paging_for_each(&live, count, &tally);
	return tally;
}

static enum check_result judge_pages(struct check_report *report, const struct tally *tally)
{
	const struct cpu *stray = find_stray();

	format(report->control, sizeof(report->control),
	       "the walk saw %lu writable and %lu executable mappings", tally->writable,
	       tally->executable);
	if (stray)
		return check_end(report, CHECK_FAIL,
				 "the CPU with APIC ID %u is not on the kernel's page tables",
				 stray->apic_id);
	if (!tally->writable || !tally->executable)
		return check_end(report, CHECK_FAIL, "the walk saw no %s mapping",
				 tally->writable ? "executable" : "writable");
	if (tally->both)
		return check_end(report, CHECK_FAIL,
				 "%lu mappings are writable and executable, first %016lx (%lu KiB)",
				 tally->both, tally->first_both.va,
				 page_bytes(tally->first_both.size) / 1024);
	return check_end(report, CHECK_PASS, "on %u CPUs", smp.online);
}

static enum check_result run_w_xor_x(struct check_report *report, const struct axis_point *at)
{
	uint64_t page = inject_is(INJECT_WX) ? test_page_map(0) : 0;
	struct tally tally;

	(void)at;
	if (page)
		*paging_entry(&kernel_tables, page, NULL) &= ~PTE_NX;
	tally = count_live();
	if (page)
		test_page_unmap(page);
	return judge_pages(report, &tally);
}

static bool is_mapped(uint64_t va)
{
	return paging_entry(&kernel_tables, va, NULL) != NULL;
}

/* False, with report->why, where a page at an end of the stack is not as it should be. */
static bool is_guarded(struct check_report *report, const struct cpu *cpu, const char *name,
		       uint64_t bottom)
{
	const char *fault = NULL;

	if (is_mapped(bottom - FRAME_SIZE))
		fault = "the page below it is mapped";
	else if (!is_mapped(bottom))
		fault = "its lowest page is not mapped";
	if (fault)
		check_end(report, CHECK_FAIL, "%s stack at %016lx of the CPU with APIC ID %u: %s",
			  name, bottom, cpu->apic_id, fault);
	return !fault;
}

/* Counts the stacks it has seen; a CPU that failed may have none. */
static bool are_guarded(struct check_report *report, const struct cpu *cpu, unsigned *stacks)
{
	static const char *const ist_names[] = {"NMI", "#DF", "#MC"};

	if (!cpu->stack_top)
		return true;
	if (!is_guarded(report, cpu, "main", cpu->stack_top - STACK_BYTES))
		return false;
	++*stacks;
	for (unsigned i = 0; i < 3 && cpu->ist_tops[i]; i++) {
		if (!is_guarded(report, cpu, ist_names[i], cpu->ist_tops[i] - IST_STACK_BYTES))
			return false;
		++*stacks;
	}
	return true;
}

static enum check_result judge_guards(struct check_report *report)
{
	unsigned stacks = 0;

	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (!are_guarded(report, cpus[i], &stacks))
			return CHECK_FAIL;
	}
	format(report->control, sizeof(report->control),
	       "the lowest page of each of %u stacks is mapped", stacks);
	return check_end(report, CHECK_PASS, "%u stacks of %u CPUs", stacks, nr_cpus);
}

static enum check_result run_stack_guards(struct check_report *report, const struct axis_point *at)
{
	uint64_t guard = cpus[nr_cpus - 1]->stack_top - STACK_BYTES - FRAME_SIZE;
	uint64_t frame = inject_is(INJECT_NO_GUARD) ? frame_alloc_zeroed() : FRAME_NONE;
	enum check_result result;

	(void)at;
	if (frame)
		paging_map(&kernel_tables, guard, frame, PAGE_4K, MAP_WRITE);
	result = judge_guards(report);
	if (frame) {
		paging_unmap(&kernel_tables, guard);
		tlb_flush_page_local(guard);
		frames_free(frame, 1);
	}
	return result;
}

static const struct check w_xor_x = {
	.name = "fault/w-xor-x",
	.what = "no page is both writable and executable, in the page tables of every CPU",
	.need = {.features = NEED(FEATURE_NX)},
	.run = run_w_xor_x,
};
CHECK(w_xor_x);

static const struct check stack_guards = {
	.name = "fault/stack-guards",
	.what = "below every stack of every CPU lies a page that is not mapped",
	.run = run_stack_guards,
};
CHECK(stack_guards);
