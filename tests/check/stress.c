/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All CPUs at once, each at random: reads and writes pages of the space it runs, goes to another
 * space, gives a page another frame, takes away and gives back the right to write, changes the
 * policy, ends a space and makes it anew. No CPU may see a frame after the flush that freed it has
 * returned, nor write to a page after the flush that protected it has, nor see in a new space what
 * the one before it had mapped.
 *
 * A frame holds the version of its page that it is. After the flush its page's old frame is marked
 * as freed, and the page's floor is the new version. A CPU reads the floor, then the page: a frame
 * that is freed or below the floor was reached by a translation that had to be gone.
 *
 * Each page is changed by one CPU at a time; all have interrupts on. Each ends by its own clock.
 *
 * Who ends a space holds all its pages, bids everyone leave, and waits until all have. In the new one
 * each page has its other frame, so that what the old one's ASIDs still hold would be a freed frame.
 */
#include "arch/x86/clock.h"
#include "arch/x86/insn.h"
#include "arch/x86/mem.h"
#include "arch/x86/safe.h"
#include "kernel/harness/check.h"
#include "kernel/harness/peer.h"
#include "kernel/harness/space_axes.h"
#include "kernel/smp.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"
#include "mm/shootdown.h"

#define SPACES   3u
#define PAGES    8u
#define FRAMES   2u  /* to a page: the one mapped, and the one freed last */
#define QUICK_MS 100 /* a row; budget= says otherwise */
#define FULL_MS  500
#define END_US   30000000

#define PAGE_VA 0x401f0000ull /* the pages lie across the end of 2 MiB, with gaps */
#define STRIDE  0x5000ull

#define FREED UINT64_MAX

/* Seen from everywhere through the direct map. */
struct frame {
	uint64_t version; /* or FREED */
	uint64_t scratch; /* where CPUs try to write */
};

struct page {
	bool held; /* by the CPU that changes it */
	uint32_t mapped;
	uint64_t frames[FRAMES];
	uint64_t floor;     /* no version below can be seen any more */
	uint64_t protected; /* odd: it can't be written */
} __attribute__((aligned(CACHE_LINE)));

/* What a CPU saw that it must not. */
struct finding {
	bool made;
	const char *what;
	uint32_t cpu, space, page;
	uint64_t version, floor;
};

struct player {
	struct cpu *cpu;
	uint64_t random;
	uint32_t space; /* SPACES: the kernel's own */
	uint64_t reads, remaps, protects, switches, exits;
	const char *wrong; /* what kept it from going on */
} __attribute__((aligned(CACHE_LINE)));

/* Who runs a space, by the check's own book: it may end when it is closed and they are none. */
struct visitors {
	uint32_t nr;
	bool closed;
} __attribute__((aligned(CACHE_LINE)));

static struct {
	struct address_space spaces[SPACES];
	struct page pages[SPACES][PAGES];
	struct visitors visitors[SPACES];
	struct player *players;
	uint32_t nr, us;
	bool changing; /* the policy */
	bool over;
	struct finding finding;
} stress;

/* George Marsaglia's xorshift64. */
static uint32_t draw(struct player *p, uint32_t below)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (uint32_t)(p->random >> 32) % below;
}

static uint64_t address_of(uint32_t page)
{
	return PAGE_VA + page * STRIDE;
}

/* The first finding is kept, and ends it. */
static void find(struct player *p, const char *what, uint32_t page, uint64_t version,
		 uint64_t floor)
{
	if (!__atomic_exchange_n(&stress.finding.made, true, __ATOMIC_ACQ_REL)) {
		stress.finding.what = what;
		stress.finding.cpu = p->cpu->index;
		stress.finding.space = p->space;
		stress.finding.page = page;
		stress.finding.version = version;
		stress.finding.floor = floor;
	}
	__atomic_store_n(&stress.over, true, __ATOMIC_RELEASE);
}

static void read_page(struct player *p, uint32_t i)
{
	uint64_t floor = __atomic_load_n(&stress.pages[p->space][i].floor, __ATOMIC_ACQUIRE);
	uint64_t version = *(volatile uint64_t *)address_of(i);

	p->reads++;
	if (version == FREED)
		find(p, "a freed frame", i, 0, floor);
	else if (version < floor)
		find(p, "an old frame", i, version, floor);
}

static void write_page(struct player *p, uint32_t i)
{
	const uint64_t *protected = &stress.pages[p->space][i].protected;
	uint64_t before = __atomic_load_n(protected, __ATOMIC_ACQUIRE);
	fault_t fault = store_safe((uint64_t *)(address_of(i) + sizeof(uint64_t)), p->cpu->index);

	if (!fault && before % 2 && __atomic_load_n(protected, __ATOMIC_ACQUIRE) == before)
		find(p, "a protected page written", i, 0, 0);
}

static void use_pages(struct player *p)
{
	uint32_t nr = 1 + draw(p, 16);

	for (uint32_t k = 0; k < nr; k++) {
		uint32_t i = draw(p, PAGES);

		if (draw(p, 8))
			read_page(p, i);
		else
			write_page(p, i);
	}
}

/* Through the other half; interrupts are off, so not for long. */
static void use_pages_as_user(struct player *p)
{
	uint64_t flags = irq_save();

	address_space_enter_user();
	for (uint32_t k = 0; k < 4; k++)
		read_page(p, draw(p, PAGES));
	address_space_leave_user();
	irq_restore(flags);
}

static void flush_page(struct player *p, uint32_t space, uint32_t i)
{
	uint64_t va = address_of(i);
	uint32_t kind = draw(p, 8);
	bool answered;

	/* Mostly the page; now and then a range that it is in, or everything. */
	if (kind == 0)
		answered = address_space_flush_range(&stress.spaces[space], 0, FLUSH_TO_END,
						     FRAME_SIZE, false);
	else
		answered = address_space_flush_range(&stress.spaces[space],
						     kind == 1 ? va - 2 * FRAME_SIZE : va,
						     va + FRAME_SIZE, FRAME_SIZE, kind == 2);
	if (!answered)
		p->wrong = "got no answer to a flush";
}

static struct frame *mapped_frame(const struct page *page)
{
	return phys_to_virt(page->frames[page->mapped]);
}

/* The page's other frame has the next version from here on. The caller maps it, then frees the old. */
static void renew(struct page *page)
{
	uint64_t version = mapped_frame(page)->version + 1;

	page->mapped = (page->mapped + 1) % FRAMES;
	__atomic_store_n(&mapped_frame(page)->version, version, __ATOMIC_RELEASE);
}

static void free_old(struct page *page)
{
	struct frame *old = phys_to_virt(page->frames[(page->mapped + 1) % FRAMES]);

	__atomic_store_n(&page->floor, mapped_frame(page)->version, __ATOMIC_RELEASE);
	__atomic_store_n(&old->version, FREED, __ATOMIC_RELEASE);
}

static void remap(struct player *p, uint32_t space, uint32_t i)
{
	struct page *page = &stress.pages[space][i];
	uint64_t *entry = paging_entry(&stress.spaces[space].tables, address_of(i), NULL);

	renew(page);
	__atomic_store_n(entry, (*entry & ~PTE_ADDR_MASK) | page->frames[page->mapped],
			 __ATOMIC_RELEASE);
	flush_page(p, space, i);
	free_old(page);
	p->remaps++;
}

static void protect(struct player *p, uint32_t space, uint32_t i)
{
	struct page *page = &stress.pages[space][i];
	uint64_t *entry = paging_entry(&stress.spaces[space].tables, address_of(i), NULL);

	__atomic_store_n(entry, *entry & ~PTE_WRITE, __ATOMIC_RELEASE);
	flush_page(p, space, i);
	__atomic_add_fetch(&page->protected, 1, __ATOMIC_ACQ_REL);
	if (p->space < SPACES)
		use_pages(p);
	/* A translation that still forbids the write only faults. */
	__atomic_add_fetch(&page->protected, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(entry, *entry | PTE_WRITE, __ATOMIC_RELEASE);
	p->protects++;
}

static void change_page(struct player *p)
{
	uint32_t space = draw(p, 4) && p->space < SPACES ? p->space : draw(p, SPACES);
	uint32_t i = draw(p, PAGES);
	bool *held = &stress.pages[space][i].held;

	if (__atomic_exchange_n(held, true, __ATOMIC_ACQUIRE))
		return;
	if (draw(p, 4))
		remap(p, space, i);
	else
		protect(p, space, i);
	__atomic_store_n(held, false, __ATOMIC_RELEASE);
}

/* To the kernel's own. */
static void leave(struct player *p)
{
	address_space_switch(NULL);
	if (p->space < SPACES)
		__atomic_sub_fetch(&stress.visitors[p->space].nr, 1, __ATOMIC_SEQ_CST);
	p->space = SPACES;
}

/* Unless it is about to end: it is entered in the book first, then that is looked at. */
static bool may_enter(uint32_t space)
{
	struct visitors *v = &stress.visitors[space];

	__atomic_add_fetch(&v->nr, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&v->closed, __ATOMIC_SEQ_CST))
		return true;
	__atomic_sub_fetch(&v->nr, 1, __ATOMIC_SEQ_CST);
	return false;
}

static void change_space(struct player *p)
{
	uint32_t from = p->space, to = draw(p, SPACES + 1);

	if (to == from || (to < SPACES && !may_enter(to)))
		return;
	if (to == SPACES) {
		leave(p);
	} else {
		address_space_switch(&stress.spaces[to]);
		if (from < SPACES)
			__atomic_sub_fetch(&stress.visitors[from].nr, 1, __ATOMIC_SEQ_CST);
		p->space = to;
	}
	p->switches++;
}

static bool hold_all(uint32_t space, uint32_t *held)
{
	for (*held = 0; *held < PAGES; ++*held) {
		if (__atomic_exchange_n(&stress.pages[space][*held].held, true, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

static bool wait_until_left(uint32_t space)
{
	const uint32_t *nr = &stress.visitors[space].nr;
	uint64_t deadline = clock_deadline(END_US);

	while (__atomic_load_n(nr, __ATOMIC_SEQ_CST)) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

static bool map_all(uint32_t space)
{
	for (uint32_t i = 0; i < PAGES; i++) {
		const struct page *page = &stress.pages[space][i];

		if (!address_space_map(&stress.spaces[space], address_of(i),
				       page->frames[page->mapped], PAGE_4K, MAP_WRITE))
			return false;
	}
	return true;
}

/* No CPU runs it, and this one holds all its pages. */
static bool make_anew(uint32_t space)
{
	struct address_space *s = &stress.spaces[space];
	const struct flush_policy *policy = s->policy;

	address_space_destroy(s);
	for (uint32_t i = 0; i < PAGES; i++) {
		renew(&stress.pages[space][i]);
		free_old(&stress.pages[space][i]);
	}
	return address_space_create(s, policy, space_axes_pti()) && map_all(space);
}

/* It leaves whichever space it runs, as another may wait for it to. */
static void end_space(struct player *p)
{
	uint32_t space = draw(p, SPACES), held;
	struct visitors *v = &stress.visitors[space];

	if (hold_all(space, &held)) {
		__atomic_store_n(&v->closed, true, __ATOMIC_SEQ_CST);
		leave(p);
		if (!wait_until_left(space))
			p->wrong = "waited for another to leave a space";
		else if (!make_anew(space))
			p->wrong = "had no memory for a space";
		p->exits++;
		if (!p->wrong)
			__atomic_store_n(&v->closed, false, __ATOMIC_SEQ_CST);
	}
	while (held > 0)
		__atomic_store_n(&stress.pages[space][--held].held, false, __ATOMIC_RELEASE);
}

/* Of a space that is about to end, too. */
static bool must_leave(const struct player *p)
{
	return p->space < SPACES &&
	       __atomic_load_n(&stress.visitors[p->space].closed, __ATOMIC_ACQUIRE);
}

static void change_policy(struct player *p)
{
	__atomic_store_n(&stress.spaces[draw(p, SPACES)].policy,
			 &flush_policies[draw(p, POLICY_COUNT)], __ATOMIC_RELEASE);
}

static void act(struct player *p)
{
	uint32_t what = draw(p, 32);

	if (must_leave(p))
		leave(p);
	else if (what == 0 && !draw(p, 4))
		end_space(p);
	else if (what == 0)
		change_space(p);
	else if (what < 4)
		change_page(p);
	else if (what == 4 && stress.changing)
		change_policy(p);
	else if (p->space == SPACES)
		pause();
	else if (what < 8 && stress.spaces[0].user_root)
		use_pages_as_user(p);
	else
		use_pages(p);
}

static void play(void *player)
{
	struct player *p = player;
	uint64_t deadline = clock_deadline(stress.us);

	sti();
	while (!__atomic_load_n(&stress.over, __ATOMIC_ACQUIRE) && !clock_passed(deadline) &&
	       !p->wrong)
		act(p);
	leave(p);
	if (p != stress.players)
		cli();
}

static bool set_up_page(uint32_t space, uint32_t i)
{
	struct page *page = &stress.pages[space][i];

	for (unsigned k = 0; k < FRAMES; k++) {
		page->frames[k] = frame_alloc_zeroed();
		if (!page->frames[k])
			return false;
	}
	page->floor = 1;
	mapped_frame(page)->version = 1;
	return true;
}

static bool set_up(const struct flush_policy *policy, uint64_t seed)
{
	memset(&stress, 0, sizeof(stress));
	stress.players = kernel_memory_alloc(nr_cpus * sizeof(*stress.players));
	if (!stress.players)
		return false;
	for (struct cpu *cpu = cpus[0]; cpu; cpu = peer_next(cpu)) {
		stress.players[stress.nr] = (struct player){
			.cpu = cpu,
			.random = (seed + stress.nr + 1) * 0x9e3779b97f4a7c15ull,
			.space = SPACES,
		};
		stress.nr++;
	}
	for (uint32_t s = 0; s < SPACES; s++) {
		if (!address_space_create(&stress.spaces[s], policy, space_axes_pti()))
			return false;
		for (uint32_t i = 0; i < PAGES; i++) {
			if (!set_up_page(s, i))
				return false;
		}
		if (!map_all(s))
			return false;
	}
	return true;
}

static void strike(void)
{
	for (uint32_t s = 0; s < SPACES; s++) {
		for (uint32_t i = 0; i < PAGES * FRAMES; i++) {
			uint64_t frame = stress.pages[s][i / FRAMES].frames[i % FRAMES];

			if (frame)
				frames_free(frame, 1);
		}
		if (stress.spaces[s].tables.root)
			address_space_destroy(&stress.spaces[s]);
	}
	kernel_memory_free(stress.players, nr_cpus * sizeof(*stress.players));
}

/* False: a CPU did not end, and may still be at it. */
static bool play_all(void)
{
	bool ended = true;

	for (uint32_t i = 1; i < stress.nr; i++)
		smp_start_on(stress.players[i].cpu, play, &stress.players[i]);
	play(&stress.players[0]);
	for (uint32_t i = 1; i < stress.nr; i++)
		ended &= smp_wait(stress.players[i].cpu, END_US);
	return ended;
}

static enum check_result judge(struct check_report *report, uint64_t seed)
{
	const struct finding *f = &stress.finding;
	uint64_t reads = 0, changes = 0, switches = 0, exits = 0;

	for (uint32_t i = 0; i < stress.nr; i++) {
		const struct player *p = &stress.players[i];

		if (p->wrong)
			return check_end(report, CHECK_FAIL, "CPU %u %s; seed=%lu", p->cpu->index,
					 p->wrong, seed);
		reads += p->reads;
		changes += p->remaps + p->protects;
		switches += p->switches;
		exits += p->exits;
	}
	if (f->made)
		return check_end(
			report, CHECK_FAIL,
			"CPU %u saw %s: space %u, page %u, version %lu below %lu; seed=%lu", f->cpu,
			f->what, f->space, f->page, f->version, f->floor, seed);
	if (!reads || !changes || !switches)
		return check_end(report, CHECK_FAIL, "%lu reads, %lu changes, %lu switches", reads,
				 changes, switches);
	return check_end(report, CHECK_PASS,
			 "%lu reads, %lu changes, %lu switches, %lu exits on %u CPUs", reads,
			 changes, switches, exits, stress.nr);
}

/* As a value of the axis: the policy changes all the time. */
#define POLICY_CHANGING POLICY_COUNT

static const char *const policy_names[] = {
	"ipi", "ipi-all", "private", "broadcast", "broadcast-always", "changing", NULL,
};

static const struct axis policy_axis = {
	.key = "policy",
	.names = policy_names,
	.nr = POLICY_COUNT + 1,
	.values = {POLICY_IPI, POLICY_IPI_ALL, POLICY_PRIVATE, POLICY_BROADCAST,
		   POLICY_BROADCAST_ALWAYS, POLICY_CHANGING},
};

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	uint32_t policy = at->values[0];
	uint64_t ms = report->suite == SUITE_FULL ? FULL_MS : QUICK_MS;
	enum check_result result;

	if (!set_up(&flush_policies[policy % POLICY_COUNT], report->seed)) {
		strike();
		return check_end(report, CHECK_SKIP, "no memory for its address spaces");
	}
	stress.us = (report->budget_ms ? report->budget_ms : ms) * 1000;
	stress.changing = policy == POLICY_CHANGING;
	if (!play_all())
		return check_end(report, CHECK_FAIL, "a CPU did not end in time");
	result = judge(report, report->seed);
	strike();
	return result;
}

static bool applies(const struct axis_point *p)
{
	return p->values[0] == POLICY_CHANGING || space_policy_applies(p->values[0]);
}

static const struct check shootdown = {
	.name = "stress/shootdown",
	.what = "CPUs read, write, remap and switch at random; none sees what was flushed",
	.need = {.cpus = 2},
	.axes = {&policy_axis},
	.applies = applies,
	.run = run,
};
CHECK(shootdown);
