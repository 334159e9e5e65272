/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of the kernel's for the host tests, which may not turn interrupts off: one thread only. */
#ifndef ARCH_X86_SPINLOCK_H
#define ARCH_X86_SPINLOCK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct spinlock {
	bool held;
};

static inline uint64_t spin_lock_irqsave(struct spinlock *lock)
{
	assert(!lock->held);
	lock->held = true;
	return 0;
}

static inline void spin_unlock_irqrestore(struct spinlock *lock, uint64_t flags)
{
	(void)flags;
	assert(lock->held);
	lock->held = false;
}

#endif
