/* SPDX-License-Identifier: BSD-2-Clause */
/* The C half of visits to CPL 3. */
#include "arch/x86/user.h"

#include "arch/x86/cpu.h"

/* In user_entry.asm: keeps RSP in *rsp and in RSP0 of the TSS, comes back through user_resume. */
fault_t user_enter(uint64_t rip, uint64_t a, uint64_t b, uint64_t *rsp, struct tss *tss);
void user_resume(void);

fault_t user_run(uint64_t rip, uint64_t a, uint64_t b)
{
	struct cpu *cpu = this_cpu();
	uint64_t rsp0 = cpu->tss.rsp[0];
	fault_t fault = user_enter(rip, a, b, &cpu->user_rsp, &cpu->tss);

	cpu->tss.rsp[0] = rsp0;
	return fault;
}

void user_leave(struct trap_frame *frame)
{
	frame->rax = FAULT(frame->vector, frame->error);
	frame->rip = (uint64_t)user_resume;
	frame->cs = SEL_CODE64;
	frame->ss = SEL_DATA;
	frame->rsp = this_cpu()->user_rsp;
	frame->rflags = RFLAGS_FIXED;
}
