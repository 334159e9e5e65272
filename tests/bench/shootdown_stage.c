/* SPDX-License-Identifier: BSD-2-Clause */
/* The space, who runs it, and whether its flushes sent the IPIs that they should. */
#include "tests/bench/shootdown_stage.h"

#include "arch/x86/features.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "tests/bench/shootdown_loop.h"

#define ANSWER_US 5000000
#define BASE_4K   (1ull << 30)
#define BASE_2M   (2ull << 30)
#define EMPTY     (4ull << 30)

struct address_space *stage_space;

/* One that is never given a global ASID, and one that has it from the start. */
static struct address_space spaces[2];
static unsigned nr_spaces;   /* made */
static uint64_t frames;      /* 2 MiB, which all pages share */
static uint32_t running = 1; /* how many run the space in a turn; CPU 0 only then */

/* What CPU 0 has asked for by now, and how often all others have answered. */
struct account {
	uint64_t flushes, ipis, served, tlbsyncs;
};

/* A row's. */
struct stage {
	struct account before; /* its turn */
	const char *wrong;     /* the first thing that was */
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
	uint32_t policy = p->values[STAGE_AT_POLICY];

	/* `broadcast` is `ipi` until it is `broadcast-always`. */
	if (policy == POLICY_BROADCAST ||
	    (flush_policies[policy].broadcast && space_broadcast_is_modelled()))
		return false;
	return space_policy_applies(policy) && p->values[STAGE_AT_CPUS] <= smp.online;
}

static bool map_pages(struct address_space *space)
{
	for (uint64_t i = 0; i < STAGE_PAGES; i++) {
		if (!address_space_map(space, BASE_4K + i * page_bytes(PAGE_4K),
				       frames + i * FRAME_SIZE, PAGE_4K, MAP_WRITE) ||
		    !address_space_map(space, BASE_2M + i * page_bytes(PAGE_2M), frames, PAGE_2M,
				       MAP_WRITE))
			return false;
	}
	return shootdown_loop_prepare(space, EMPTY);
}

static const struct flush_policy *policy_of(const struct bench_args *args)
{
	return &flush_policies[args->at.values[STAGE_AT_POLICY]];
}

static struct address_space *space_of(const struct bench_args *args)
{
	return &spaces[policy_of(args)->from_start];
}

/* Once, and for the rest of the run. */
static bool make_spaces(void)
{
	uint64_t pages = page_bytes(PAGE_2M) / FRAME_SIZE;
	bool broadcast = feature_has(FEATURE_INVLPGB) && !space_broadcast_is_modelled();
	unsigned wanted = broadcast ? 2 : 1;

	if (!frames)
		frames = frames_alloc(pages, pages, 0);
	if (!frames)
		return false;
	while (nr_spaces < wanted) {
		struct address_space *space = &spaces[nr_spaces];
		uint32_t policy = nr_spaces ? POLICY_BROADCAST_ALWAYS : POLICY_IPI;

		if (!address_space_create(space, &flush_policies[policy], space_axes_pti()))
			return false;
		if (!map_pages(space)) {
			address_space_destroy(space);
			return false;
		}
		nr_spaces++;
	}
	return true;
}

const char *stage_setup(struct bench_args *args)
{
	args->state = kernel_memory_alloc(sizeof(struct stage));
	return args->state && make_spaces() ? NULL : "no memory for its address space";
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
			smp_start_on(cpu, run_space, i < n ? stage_space : NULL);
	}
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));)
		ok &= smp_wait(cpu, ANSWER_US);
	running = n;
	return ok;
}

static struct account take_account(void)
{
	const struct shootdown_counts *mine = shootdown_counts(this_cpu()->index);
	struct account a = {mine->flushes, mine->ipis, 0, mine->tlbsyncs};

	for (uint32_t i = 0; i < nr_cpus; i++)
		a.served += shootdown_counts(i)->served;
	return a;
}

void stage_enter(const struct bench_args *args)
{
	struct address_space *space = space_of(args);
	uint32_t n = args->at.values[STAGE_AT_CPUS];
	bool ok = true;

	if (stage_space != space) {
		ok = let_run(1);
		stage_space = space;
	}
	if (running != n)
		ok &= let_run(n);
	if (!ok)
		stage_went_wrong(args, "a CPU did not switch to the address space");
	__atomic_store_n(&space->policy, policy_of(args), __ATOMIC_RELAXED);
	address_space_switch(space);
	/* Who is alone is the owner from here on, where that counts. */
	if (!address_space_flush_range(space, 0, FLUSH_TO_END, page_bytes(PAGE_4K), false))
		stage_went_wrong(args, "a CPU did not answer");
	((struct stage *)args->state)->before = take_account();
}

void stage_leave(const struct bench_args *args)
{
	struct account before = ((struct stage *)args->state)->before, now = take_account();
	const struct flush_policy *policy = policy_of(args);
	uint64_t asked = policy->everyone    ? smp.online - 1
			 : policy->broadcast ? 0
					     : args->at.values[STAGE_AT_CPUS] - 1;
	uint64_t ipis = now.ipis - before.ipis, flushes = now.flushes - before.flushes;

	if (ipis != flushes * asked)
		stage_went_wrong(args,
				 "a flush did not send one IPI to each CPU that it has to ask");
	else if (now.tlbsyncs - before.tlbsyncs != (policy->broadcast ? flushes : 0))
		stage_went_wrong(args, "a flush did not end in the one TLBSYNC that it needs");
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
