/* SPDX-License-Identifier: BSD-2-Clause */
/* The space, who runs it, and whether its flushes sent the IPIs that they should. */
#include "tests/bench/shootdown_stage.h"

#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "tests/bench/shootdown_loop.h"

#define ANSWER_US 5000000
#define BASE_4K   (1ull << 30)
#define BASE_2M   (2ull << 30)
#define EMPTY     (4ull << 30)

struct address_space stage_space;

static uint64_t frames;      /* 2 MiB, which all pages share; 0: the space is not made yet */
static uint32_t running = 1; /* how many run the space in a turn; CPU 0 only then */

/* What CPU 0 has asked for by now, and how often all others have answered. */
struct account {
	uint64_t flushes, ipis, served;
};

/* A row's. */
struct stage {
	struct account before; /* its turn */
	const char *wrong;     /* the first thing that was */
};

const struct axis stage_cpus_axis = {
	.key = "cpus",
	.nr = 3,
	.values = {1, 2, AXIS_ALL_CPUS},
};

uint64_t stage_base(enum page_size size)
{
	return size == PAGE_2M ? BASE_2M : BASE_4K;
}

uint64_t stage_empty_page(void)
{
	return EMPTY;
}

uint64_t stage_frame(void)
{
	return frames;
}

void stage_went_wrong(const struct bench_args *args, const char *why)
{
	struct stage *stage = args->state;

	if (!stage->wrong)
		stage->wrong = why;
}

bool stage_applies(const struct axis_point *p)
{
	return space_policy_applies(p->values[STAGE_AT_POLICY]) &&
	       p->values[STAGE_AT_CPUS] <= smp.online;
}

static bool map_pages(void)
{
	for (uint64_t i = 0; i < STAGE_PAGES; i++) {
		if (!address_space_map(&stage_space, BASE_4K + i * page_bytes(PAGE_4K),
				       frames + i * FRAME_SIZE, PAGE_4K, MAP_WRITE) ||
		    !address_space_map(&stage_space, BASE_2M + i * page_bytes(PAGE_2M), frames,
				       PAGE_2M, MAP_WRITE))
			return false;
	}
	return shootdown_loop_prepare(&stage_space, EMPTY);
}

/* Once, and for the rest of the run. */
static bool make_space(void)
{
	uint64_t pages = page_bytes(PAGE_2M) / FRAME_SIZE;

	if (frames)
		return true;
	frames = frames_alloc(pages, pages, 0);
	if (frames &&
	    address_space_create(&stage_space, space_policy_default(), space_axes_pti()) &&
	    map_pages())
		return true;
	if (frames)
		frames_free(frames, pages);
	frames = 0;
	return false;
}

const char *stage_setup(struct bench_args *args)
{
	args->state = kernel_memory_alloc(sizeof(struct stage));
	return args->state && make_space() ? NULL : "no memory for its address space";
}

static void run_space(void *space)
{
	address_space_switch(space);
}

/* The first `n` CPUs, this one among them, run the space; the others do not. */
static bool let_run(uint32_t n)
{
	uint32_t i = 1;
	bool ok = true;

	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu)); i++) {
		if ((i < n) != (i < running))
			smp_start_on(cpu, run_space, i < n ? &stage_space : NULL);
	}
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));)
		ok &= smp_wait(cpu, ANSWER_US);
	running = n;
	return ok;
}

static struct account take_account(void)
{
	const struct shootdown_counts *mine = shootdown_counts(this_cpu()->index);
	struct account a = {mine->flushes, mine->ipis, 0};

	for (uint32_t i = 0; i < nr_cpus; i++)
		a.served += shootdown_counts(i)->served;
	return a;
}

void stage_enter(const struct bench_args *args)
{
	const struct flush_policy *policy = &flush_policies[args->at.values[STAGE_AT_POLICY]];

	if (running != args->at.values[STAGE_AT_CPUS] && !let_run(args->at.values[STAGE_AT_CPUS]))
		stage_went_wrong(args, "a CPU did not switch to the address space");
	__atomic_store_n(&stage_space.policy, policy, __ATOMIC_RELAXED);
	address_space_switch(&stage_space);
	/* Who is alone is the owner from here on, where that counts. */
	if (!address_space_flush_range(&stage_space, 0, FLUSH_TO_END, page_bytes(PAGE_4K), false))
		stage_went_wrong(args, "a CPU did not answer");
	((struct stage *)args->state)->before = take_account();
}

void stage_leave(const struct bench_args *args)
{
	struct account before = ((struct stage *)args->state)->before, now = take_account();
	uint64_t asked = flush_policies[args->at.values[STAGE_AT_POLICY]].everyone
				 ? smp.online - 1
				 : args->at.values[STAGE_AT_CPUS] - 1;
	uint64_t ipis = now.ipis - before.ipis;

	if (ipis != (now.flushes - before.flushes) * asked)
		stage_went_wrong(args,
				 "a flush did not send one IPI to each CPU that it has to ask");
	else if (now.served - before.served != ipis)
		stage_went_wrong(args, "not every IPI was answered");
	address_space_switch(NULL);
}

const char *stage_finish(const struct bench_args *args)
{
	struct stage *stage = args->state;
	const char *wrong = let_run(1) ? stage->wrong : "a CPU did not leave the address space";

	kernel_memory_free(stage, sizeof(*stage));
	return wrong;
}
