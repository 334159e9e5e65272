/* SPDX-License-Identifier: BSD-2-Clause */
/* Dispatches exceptions and interrupts. */
#include "arch/x86/trap.h"

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/safe.h"
#include "arch/x86/user.h"

#define GATE_INTERRUPT 0x8e /* present, DPL 0, IF cleared on entry */

struct ex_entry {
	uint64_t from, to;
};

extern const struct ex_entry __ex_table_start[], __ex_table_end[];
extern const uint64_t trap_stubs[256];

struct idt_gate trap_idt[256];
static void (*handlers[256])(struct trap_frame *frame);
static void (*fatal)(struct trap_frame *frame);
static bool (*emulator)(struct trap_frame *frame);

/* Intel SDM vol. 3A, "Protected-Mode Exceptions and Interrupts". */
static const struct {
	const char *name;
	int has_error;
} exceptions[VECTOR_EXCEPTIONS] = {
	[0] = {"#DE divide error", 0},
	[1] = {"#DB debug", 0},
	[2] = {"NMI", 0},
	[3] = {"#BP breakpoint", 0},
	[4] = {"#OF overflow", 0},
	[5] = {"#BR bound range exceeded", 0},
	[6] = {"#UD invalid opcode", 0},
	[7] = {"#NM device not available", 0},
	[8] = {"#DF double fault", 1},
	[10] = {"#TS invalid TSS", 1},
	[11] = {"#NP segment not present", 1},
	[12] = {"#SS stack fault", 1},
	[13] = {"#GP general protection", 1},
	[14] = {"#PF page fault", 1},
	[16] = {"#MF x87 error", 0},
	[17] = {"#AC alignment check", 1},
	[18] = {"#MC machine check", 0},
	[19] = {"#XM SIMD floating point", 0},
	[20] = {"#VE virtualization", 0},
	[21] = {"#CP control protection", 1},
	[28] = {"#HV hypervisor injection", 0},
	[29] = {"#VC VMM communication", 1},
	[30] = {"#SX security", 1},
};

const char *trap_name(unsigned vector)
{
	if (vector >= VECTOR_EXCEPTIONS)
		return "interrupt";
	return exceptions[vector].name ? exceptions[vector].name : "reserved exception";
}

int trap_has_error(unsigned vector)
{
	return vector < VECTOR_EXCEPTIONS && exceptions[vector].has_error;
}

static unsigned ist_of(unsigned vector)
{
	switch (vector) {
	case VECTOR_NMI:
		return IST_NMI;
	case VECTOR_DF:
		return IST_DOUBLE_FAULT;
	case VECTOR_MC:
		return IST_MCE;
	default:
		return 0;
	}
}

void trap_end_wait(struct trap_frame *frame)
{
	enum { OP_HLT = 0xf4, OP_MWAIT_0 = 0x0f, OP_MWAIT_1 = 0x01, OP_MWAIT_2 = 0xc9 };
	const uint8_t *at = (const uint8_t *)frame->rip;

	if ((frame->cs & 3) || at[-1] != OP_STI)
		return;
	if (at[0] == OP_HLT)
		frame->rip += 1;
	else if (at[0] == OP_MWAIT_0 && at[1] == OP_MWAIT_1 && at[2] == OP_MWAIT_2)
		frame->rip += 3;
}

static void handle_nmi(struct trap_frame *frame)
{
	this_cpu()->nmis++; /* first, as ipi/nmi waits for it */
	trap_end_wait(frame);
}

void traps_init(void)
{
	for (unsigned vector = 0; vector < 256; vector++) {
		uint64_t offset = trap_stubs[vector];

		trap_idt[vector] = (struct idt_gate){
			.offset_low = offset & 0xffff,
			.offset_middle = offset >> 16 & 0xffff,
			.offset_high = offset >> 32,
			.selector = SEL_CODE64,
			.ist = ist_of(vector),
			.type = GATE_INTERRUPT,
		};
	}
	handlers[VECTOR_NMI] = handle_nmi;
}

void trap_set_handler(unsigned vector, void (*handler)(struct trap_frame *frame))
{
	handlers[vector] = handler;
}

void trap_set_fatal(void (*handler)(struct trap_frame *frame))
{
	fatal = handler;
}

void trap_set_emulator(bool (*emulate)(struct trap_frame *frame))
{
	emulator = emulate;
}

static int take_guarded(struct trap_frame *frame)
{
	for (const struct ex_entry *e = __ex_table_start; e < __ex_table_end; e++) {
		if (e->from == frame->rip) {
			frame->rip = e->to;
			frame->rax = FAULT(frame->vector, frame->error);
			return 1;
		}
	}
	return 0;
}

/* A broken machine or kernel must not pass for what an instruction under test did. */
static int is_for_tests(unsigned vector)
{
	return vector != VECTOR_MC && vector != VECTOR_DF;
}

void trap_dispatch(struct trap_frame *frame)
{
	if (handlers[frame->vector]) {
		handlers[frame->vector](frame);
		return;
	}
	if (frame->vector >= VECTOR_EXCEPTIONS) {
		/* Of a device that firmware left running; unacknowledged it would block ours. */
		if (frame->vector != VECTOR_SPURIOUS)
			apic_eoi();
		return;
	}
	if (frame->vector == VECTOR_UD && emulator && emulator(frame))
		return;
	if (is_for_tests(frame->vector)) {
		if ((frame->cs & 3) == 3) {
			user_leave(frame);
			return;
		}
		if (take_guarded(frame))
			return;
	}
	if (fatal)
		fatal(frame);
	for (;;)
		hlt();
}
