/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports a panic or an unexpected exception. */
#include "kernel/panic.h"

#include <stdarg.h>

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/insn.h"
#include "arch/x86/power.h"
#include "arch/x86/safe.h"
#include "arch/x86/trap.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/leave.h"
#include "kernel/symbols.h"
#include "mm/layout.h"

#define MAX_FRAMES 24

static const struct options *options;
static uint32_t panicking;

/* While one CPU reports, NMIs park the others. */
static void park_on_nmi(struct trap_frame *frame)
{
	(void)frame;
	power_halt();
}

/* Only the first panic reports; one inside it, or on another CPU, must not garble it. */
static void begin(void)
{
	cli();
	if (__atomic_exchange_n(&panicking, 1, __ATOMIC_ACQ_REL))
		power_halt();
	trap_set_handler(VECTOR_NMI, park_on_nmi);
	/* Ours only: CPUs that the firmware still holds have no handler for it. */
	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (cpus[i] != this_cpu() && cpu_state(cpus[i]) == CPU_ONLINE)
			ipi_send_nmi(cpus[i]->apic_id);
	}
}

static void print_address(const char *label, uint64_t address)
{
	uint64_t offset = 0;
	const char *name = symbol_find(address, &offset);

	console_emergency("  %s %016lx  %s+0x%lx\n", label, address, name, offset);
}

/* A call that never returns may be the last instruction of its function: look at what is before. */
static void print_return_address(uint64_t address)
{
	print_address("from", address - 1);
}

/* A word of a stack that may be anything: false where it can't be read. */
static bool read_stack(uint64_t at, uint64_t *word)
{
	if (at & 7 || (at < KERNEL_BASE && (at < STACKS_BASE || at >= MMIO_BASE)))
		return false;
	return load_safe((const uint64_t *)at, word) == FAULT_NONE;
}

static void print_backtrace(uint64_t rbp)
{
	uint64_t next, from;

	for (int i = 0; i < MAX_FRAMES; i++) {
		if (!read_stack(rbp, &next) || !read_stack(rbp + 8, &from) || !from)
			break;
		print_return_address(from);
		if (next <= rbp)
			break;
		rbp = next;
	}
}

/*
 * A function that has not set up its frame yet, or needs none, is missing in the chain of frames;
 * then its return address is what RSP points to.
 */
static void print_frameless_caller(const struct trap_frame *f)
{
	uint64_t offset, word;

	if (read_stack(f->rsp, &word) && *symbol_find(word - 1, &offset) != '?')
		print_return_address(word);
}

static void print_registers(const struct trap_frame *f)
{
	console_emergency("  rax %016lx  rbx %016lx  rcx %016lx  rdx %016lx\n", f->rax, f->rbx,
			  f->rcx, f->rdx);
	console_emergency("  rsi %016lx  rdi %016lx  rbp %016lx  rsp %016lx\n", f->rsi, f->rdi,
			  f->rbp, f->rsp);
	console_emergency("  r8  %016lx  r9  %016lx  r10 %016lx  r11 %016lx\n", f->r8, f->r9,
			  f->r10, f->r11);
	console_emergency("  r12 %016lx  r13 %016lx  r14 %016lx  r15 %016lx\n", f->r12, f->r13,
			  f->r14, f->r15);
	console_emergency("  cs %04lx  ss %04lx  rflags %lx\n", f->cs, f->ss, f->rflags);
}

static void print_control_registers(void)
{
	console_emergency("  cr0 %lx  cr2 %lx  cr3 %lx  cr4 %lx\n", read_cr0(), read_cr2(),
			  read_cr3(), read_cr4());
}

static _Noreturn void finish(void)
{
	console_emergency("Shootdown stopped: no end record follows\n");
	leave(options, LEAVE_PANIC);
}

/* Intel SDM vol. 3A, "Page-Fault Exception (#PF)": bits of the error code. */
static void print_page_fault(const struct trap_frame *f)
{
	console_emergency("  %s of %016lx, %s%s%s\n",
			  f->error & 16  ? "fetch"
			  : f->error & 2 ? "write"
					 : "read",
			  read_cr2(), f->error & 1 ? "not allowed" : "not mapped",
			  f->error & 4 ? ", from user mode" : "",
			  f->error & 8 ? ", reserved bit set in a table" : "");
}

static void fatal_exception(struct trap_frame *f)
{
	begin();
	console_emergency("\nPANIC on CPU %u (APIC ID %u): %s", this_cpu()->index,
			  this_cpu()->apic_id, trap_name(f->vector));
	if (trap_has_error(f->vector))
		console_emergency(", error code %lx", f->error);
	console_emergency("\n");
	if (f->vector == VECTOR_PF)
		print_page_fault(f);
	print_address("at  ", f->rip);
	print_registers(f);
	print_control_registers();
	console_emergency("backtrace\n");
	print_frameless_caller(f);
	print_backtrace(f->rbp);
	finish();
}

void panic_init(const struct options *o)
{
	options = o;
	trap_set_fatal(fatal_exception);
}

void panic(const char *fmt, ...)
{
	char why[256];
	va_list args;

	begin();
	va_start(args, fmt);
	format_args(why, sizeof(why), fmt, args);
	va_end(args);
	console_emergency("\nPANIC on CPU %u (APIC ID %u): %s\n", this_cpu()->index,
			  this_cpu()->apic_id, why);
	console_emergency("  rsp %016lx  rflags %lx\n", (uint64_t)__builtin_frame_address(0),
			  read_rflags());
	print_control_registers();
	console_emergency("backtrace\n");
	print_backtrace((uint64_t)__builtin_frame_address(0));
	finish();
}
