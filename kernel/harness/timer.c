/* SPDX-License-Identifier: BSD-2-Clause */
/* The handler of the APIC's timer, and the wait for it. */
#include "kernel/harness/timer.h"

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/trap.h"

static void handle_timer(struct trap_frame *frame)
{
	uint64_t *fired = &this_cpu()->timer_fired;

	(void)frame;
	__atomic_store_n(fired, *fired + 1, __ATOMIC_RELEASE);
	apic_eoi();
}

void timer_listen(void)
{
	trap_set_handler(VECTOR_TIMER, handle_timer);
}

uint64_t timer_fired(void)
{
	return __atomic_load_n(&this_cpu()->timer_fired, __ATOMIC_ACQUIRE);
}

bool timer_wait(uint64_t before, uint32_t us)
{
	uint64_t deadline = clock_deadline(us);
	bool fired;

	sti();
	while (!(fired = timer_fired() != before) && !clock_passed(deadline))
		pause();
	cli();
	return fired;
}

uint64_t timer_stamp(void)
{
	return *(volatile uint64_t *)&this_cpu()->timer_stamp;
}
