/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a CPU that goes to sleep by STI; HLT or STI; MWAIT wake where an NMI comes between the two?
 * STI holds interrupts off until then, not NMIs, and IRET holds off nothing: the interrupt it is to
 * wake for comes too early (arch/x86/trap.h, trap_end_wait()). On CPU 0.
 *
 * No NMI can be aimed at that place, so #DB stands in for it: RFLAGS.TF is set just before STI, which
 * does not hold off #DB either, and the kernel's handler of NMIs is given its frame. An interrupt to
 * oneself waits already. It has to be taken behind HLT or MWAIT.
 *
 * Control: #DB alone. The interrupt has to be taken too early then, and the CPU sleeps until the
 * timer ends it; else the check is blind, as in QEMU 7.2's TCG, which has no #DB after STI.
 */
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/insn.h"
#include "arch/x86/regs.h"
#include "arch/x86/trap.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/peer.h"
#include "kernel/harness/timer.h"
#include "kernel/inject.h"

#define SLEEP_COUNT \
	(1u << 24) /* of the APIC's timer: 17 ms in QEMU, less than a second elsewhere */

static const struct axis wait_axis = {
	.key = "wait",
	.names = peer_wait_names,
	.nr = 2,
	.values = {PEER_HLT, PEER_MWAIT},
};

static bool applies(const struct axis_point *p)
{
	return p->values[0] != PEER_MWAIT || feature_has(FEATURE_MWAIT);
}

static bool with_nmi;
static uint64_t nap_at, woken_at; /* HLT or MWAIT; where the interrupt was taken */

static void handle_debug(struct trap_frame *frame)
{
	if (*(const uint8_t *)(frame->rip - 1) != OP_STI)
		return;
	nap_at = frame->rip;
	frame->rflags &= ~RFLAGS_TF;
	if (!with_nmi)
		return;
	frame->vector = VECTOR_NMI;
	trap_dispatch(frame);
}

static void handle_nap(struct trap_frame *frame)
{
	woken_at = frame->rip;
	apic_eoi();
}

/* Interrupts off. There is a #DB after each instruction behind POPF, up to STI. */
static void nap(enum peer_wait how)
{
	apic_timer_enable(APIC_TIMER_ONE_SHOT, VECTOR_TIMER);
	apic_timer_write_count(SLEEP_COUNT);
	ipi_send(this_cpu()->apic_id, VECTOR_NAP);
	if (how == PEER_MWAIT) {
		monitor(&woken_at);
		irq_restore(RFLAGS_FIXED | RFLAGS_TF);
		sti_mwait();
	} else {
		irq_restore(RFLAGS_FIXED | RFLAGS_TF);
		sti_hlt();
	}
	cli();
	apic_timer_disable();
}

static void try(enum peer_wait how, bool nmi)
{
	uint64_t flags = irq_save();

	with_nmi = nmi;
	nap_at = woken_at = 0;
	nap(how);
	irq_restore(flags);
}

static enum check_result judge(struct check_report *report, enum peer_wait how)
{
	const char *name = peer_wait_names[how];
	bool in_time;

	try(how, false);
	if (!nap_at)
		return check_end(report, CHECK_SKIP, "blind: no #DB after STI");
	format(report->control, sizeof(report->control),
	       "control, with no NMI, took the interrupt %s %s",
	       woken_at > nap_at ? "behind" : "before", name);
	if (woken_at != nap_at)
		return check_end(report, CHECK_SKIP, "blind: an interrupt is not taken before %s",
				 name);
	try(how, !inject_is(INJECT_LOSE_WAKE));
	in_time = nap_at && woken_at > nap_at;
	return check_end(report, in_time ? CHECK_PASS : CHECK_FAIL, "took the interrupt %s %s",
			 in_time ? "behind" : "before", name);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	enum check_result result;

	timer_listen();
	trap_set_handler(VECTOR_DB, handle_debug);
	trap_set_handler(VECTOR_NAP, handle_nap);
	result = judge(report, (enum peer_wait)at->values[0]);
	trap_set_handler(VECTOR_DB, NULL);
	return result;
}

static const struct check nmi_before_nap = {
	.name = "ipi/nmi-before-nap",
	.what = "an NMI between STI and HLT loses no wake-up",
	.axes = {&wait_axis},
	.applies = applies,
	.run = run,
};
CHECK(nmi_before_nap);
