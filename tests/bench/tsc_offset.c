/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges time stamps with another CPU. */
#include "tests/bench/tsc_offset.h"

#include "arch/x86/clock.h"
#include "arch/x86/cycles.h"
#include "kernel/smp.h"

#define EXCHANGES 300     /* at least, unless time is up */
#define GOOD_US   2       /* an error that is worth no more of them */
#define ENOUGH_US 50000   /* no further exchange after that */
#define ANSWER_US 1000000 /* for all of them */

/* The question's number and the answer's, each on a line of its own, the stamp with the answer. */
struct exchange {
	uint32_t asked __attribute__((aligned(CACHE_LINE)));
	uint32_t answered __attribute__((aligned(CACHE_LINE)));
	uint64_t stamp;
	bool over __attribute__((aligned(CACHE_LINE)));
};

static struct exchange exchange;

static void answer(void *unused)
{
	uint64_t deadline = clock_deadline(ANSWER_US);
	uint32_t last = 0;

	(void)unused;
	while (!__atomic_load_n(&exchange.over, __ATOMIC_ACQUIRE) && !clock_passed(deadline)) {
		uint32_t asked = __atomic_load_n(&exchange.asked, __ATOMIC_ACQUIRE);

		if (asked == last) {
			pause();
			continue;
		}
		last = asked;
		exchange.stamp = cycles_ordered();
		__atomic_store_n(&exchange.answered, asked, __ATOMIC_RELEASE);
	}
}

/* True: the answer to question `i` came, and `found` is what follows from it alone. */
static bool ask(uint32_t i, uint64_t deadline, struct tsc_offset *found)
{
	uint64_t begin, end;

	begin = cycles_ordered();
	__atomic_store_n(&exchange.asked, i, __ATOMIC_RELEASE);
	while (__atomic_load_n(&exchange.answered, __ATOMIC_ACQUIRE) != i) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	end = cycles_ordered();
	found->error = (int64_t)((end - begin + 1) / 2);
	found->ticks = (int64_t)(exchange.stamp - begin) - found->error;
	return true;
}

bool tsc_offset_measure(struct cpu *cpu, struct tsc_offset *offset)
{
	uint64_t flags = irq_save(), enough, deadline = clock_deadline(ANSWER_US);
	int64_t good = clock.tsc_hz / 1000000 * GOOD_US;
	struct tsc_offset found;
	bool any;

	exchange = (struct exchange){0};
	smp_start_on(cpu, answer, NULL);
	/* The first waits until the other has come; only then the time runs. */
	any = ask(1, deadline, offset);
	enough = clock_deadline(ENOUGH_US);
	for (uint32_t i = 2; any && !clock_passed(enough); i++) {
		if (i > EXCHANGES && offset->error <= good)
			break;
		if (!ask(i, deadline, &found))
			break;
		if (found.error < offset->error)
			*offset = found;
	}
	__atomic_store_n(&exchange.over, true, __ATOMIC_RELEASE);
	irq_restore(flags);
	return smp_wait(cpu, ANSWER_US) && any;
}
