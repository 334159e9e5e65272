/* SPDX-License-Identifier: BSD-2-Clause */
/* Test-and-test-and-set lock that keeps interrupts off while held. */
#ifndef ARCH_X86_SPINLOCK_H
#define ARCH_X86_SPINLOCK_H

#include <stdbool.h>

#include "arch/x86/insn.h"

struct spinlock {
	bool held;
};

static inline bool spin_trylock(struct spinlock *lock)
{
	return !__atomic_exchange_n(&lock->held, true, __ATOMIC_ACQUIRE);
}

static inline uint64_t spin_lock_irqsave(struct spinlock *lock)
{
	uint64_t flags = irq_save();

	while (!spin_trylock(lock)) {
		while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED))
			pause();
	}
	return flags;
}

static inline void spin_unlock_irqrestore(struct spinlock *lock, uint64_t flags)
{
	__atomic_store_n(&lock->held, false, __ATOMIC_RELEASE);
	irq_restore(flags);
}

#endif
