/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The litmus test behind weak_wrmsr_fence(): does the write of ICR overtake earlier stores?
 *
 * CPU 0 stores the number of the round into a flag, orders in one of the ways of fence_variants.h,
 * and sends an IPI to another CPU. That one's stub reads the flag before anything else
 * (trap_entry.asm). If it does not find the number, the IPI came before the store. The way there
 * differs from round to round: how long since the last one, and how many stores to other lines
 * stand in the store buffer before the flag's, which leave it in order. It differs from row to row
 * where the flag lies.
 *
 * With what the vendor and the APIC's mode ask for, one such round is a failure. With less, it is
 * what Intel warns of and no failure: `kept` of the retention record counts such rounds.
 *
 * Control: rounds in which the flag is stored after the IPI was sent and taken. Where those look
 * ordered, the check is blind.
 */
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/trap.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/peer.h"
#include "kernel/inject.h"
#include "tests/bench/fence_stage.h"

#define CONTROL_ROUNDS 5
#define PRESSURE_LINES 32   /* stores before the flag's: fewer than this */
#define DELAY_TURNS    1024 /* of an empty loop: shorter than an IPI takes */
#define ANSWER_US      1000000

/* For each row, of which there are 40: rounds, and where they are slow for how long they go on. */
static const struct limits {
	uint32_t rounds, us;
} limits[] = {
	[SUITE_QUICK] = {500, 50000},
	[SUITE_FULL] = {500000, 5000000},
};

enum placement {
	SAME_LINE,   /* as what the receiver writes each round */
	OTHER_LINE,  /* of the page of the stores before it */
	OTHER_PAGE,  /* than those */
	REMOTE_DIRTY /* the receiver writes the line, and theirs, each round */
};

static const char *const placement_names[] = {
	[SAME_LINE] = "same-line",
	[OTHER_LINE] = "other-line",
	[OTHER_PAGE] = "other-page",
	[REMOTE_DIRTY] = "remote-dirty",
};

static const struct axis placement_axis = {
	.key = "placement",
	.names = placement_names,
	.nr = 4,
	.values = {SAME_LINE, OTHER_LINE, OTHER_PAGE, REMOTE_DIRTY},
};

enum { AT_FENCE, AT_PLACEMENT };

/* Two words of a line: the flag, and one for the receiver to dirty it by. */
struct flag_line {
	uint64_t flag, dirt;
} __attribute__((aligned(CACHE_LINE)));

static struct {
	uint8_t pressure[PRESSURE_LINES * CACHE_LINE];
	struct flag_line near;
	struct flag_line far __attribute__((aligned(4096)));
} pages __attribute__((aligned(4096)));

/* One row's test. */
static struct litmus {
	struct cpu *receiver;
	volatile uint64_t *flag;
	struct flag_line *dirtied; /* by the receiver, with the lines of the pressure; or NULL */
	enum apic_mode mode;
	uint64_t random;
} litmus;

/* Over all rows, so that no flag holds it by chance. */
static uint64_t round_number;

/* On the receiver, after the stub has read the flag. */
static void handle_order(struct trap_frame *frame)
{
	struct cpu *cpu = this_cpu();

	(void)frame;
	if (litmus.dirtied) {
		*(volatile uint64_t *)&litmus.dirtied->dirt = cpu->order_saw;
		store_lines((uint64_t)pages.pressure, PRESSURE_LINES);
	}
	__atomic_store_n(&cpu->order_seen, cpu->order_seen + 1, __ATOMIC_RELEASE);
	apic_eoi();
}

static uint64_t seen(void)
{
	return __atomic_load_n(&litmus.receiver->order_seen, __ATOMIC_ACQUIRE);
}

/* False: nothing came in time. */
static bool wait_for_more_than(uint64_t before, uint32_t us)
{
	uint64_t deadline = clock_deadline(us);

	while (seen() == before) {
		if (clock_passed(deadline))
			return false;
		pause();
	}
	return true;
}

/* George Marsaglia's xorshift64. */
static uint64_t next_random(void)
{
	litmus.random ^= litmus.random << 13;
	litmus.random ^= litmus.random >> 7;
	litmus.random ^= litmus.random << 17;
	return litmus.random;
}

#define ICR_ORDER (ICR_FIXED | ICR_ASSERT | VECTOR_ORDER)

/* Nothing but the fence stands between the store of the flag and the write of ICR. */
ALWAYS_INLINE void send_after(enum fence_variant variant, uint64_t nr_stores)
{
	volatile uint64_t *flag = litmus.flag;
	uint32_t apic_id = litmus.receiver->apic_id;
	uint64_t number = round_number;

	if (litmus.mode == APIC_X2APIC) {
		store_lines((uint64_t)pages.pressure, nr_stores);
		*flag = number;
		fence_variant(variant);
		x2apic_write_icr_bare(apic_id, ICR_ORDER);
	} else {
		volatile uint32_t *base = xapic;

		store_lines((uint64_t)pages.pressure, nr_stores);
		*flag = number;
		fence_variant(variant);
		xapic_write_icr_bare(base, apic_id, ICR_ORDER);
	}
}

/* The wrong way round: the store comes once the IPI was taken. */
static void send_before(void)
{
	uint64_t before = seen();

	if (litmus.mode == APIC_X2APIC)
		x2apic_write_icr_bare(litmus.receiver->apic_id, ICR_ORDER);
	else
		xapic_write_icr_bare(xapic, litmus.receiver->apic_id, ICR_ORDER);
	wait_for_more_than(before, ANSWER_US);
	*litmus.flag = round_number;
}

#define SEND(symbol, CONSTANT, name, text)                       \
	case FENCE_VARIANT_##CONSTANT:                           \
		send_after(FENCE_VARIANT_##CONSTANT, nr_stores); \
		break;

static void send(enum fence_variant variant, uint64_t nr_stores)
{
	switch (variant) {
		FENCE_VARIANTS(SEND)
	case FENCE_VARIANT_COUNT:
		break;
	}
}

/* False: the IPI got lost. */
static bool play_round(enum fence_variant variant, bool wrong_way)
{
	uint64_t random = next_random(), before = seen(), flags = irq_save();

	round_number++;
	for (uint64_t i = random % DELAY_TURNS; i > 0; i--)
		__asm__ volatile("" : "+r"(i));
	if (litmus.mode == APIC_XAPIC)
		xapic_wait_idle();
	if (wrong_way)
		send_before();
	else
		send(variant, (random >> 32) % PRESSURE_LINES);
	irq_restore(flags);
	return wait_for_more_than(before, ANSWER_US);
}

struct outcome {
	uint32_t rounds, overtaken; /* so many, the IPI before the store in so many of them */
	bool lost;                  /* one IPI never came */
};

static struct outcome play(enum fence_variant variant, bool wrong_way, const struct limits *limits)
{
	uint64_t deadline = clock_deadline(limits->us);
	struct outcome o = {0};

	while (o.rounds < limits->rounds && !o.lost && (!o.rounds || !clock_passed(deadline))) {
		o.lost = !play_round(variant, wrong_way);
		o.overtaken += !o.lost && litmus.receiver->order_saw != round_number;
		o.rounds++;
	}
	return o;
}

static volatile uint64_t *choose_flag(struct cpu *receiver, enum placement placement)
{
	switch (placement) {
	case SAME_LINE:
		return &receiver->order_near_flag;
	case OTHER_LINE:
		return &pages.near.flag;
	default:
		return &pages.far.flag;
	}
}

static void set_stage(struct cpu *receiver, enum placement placement)
{
	litmus = (struct litmus){
		.receiver = receiver,
		.flag = choose_flag(receiver, placement),
		.dirtied = placement == REMOTE_DIRTY ? &pages.far : NULL,
		.mode = apic_mode(),
		.random = 0x9e3779b97f4a7c15ull,
	};
	receiver->order_flag = (const uint64_t *)litmus.flag;
	trap_set_handler(VECTOR_ORDER, handle_order);
}

/* What must hold here: `patched` is judged by what ought to have been patched in. */
static bool must_be_ordered(enum fence_variant variant)
{
	enum fence patched =
		inject_is(INJECT_NO_FENCE) ? fence_of_vendor(cpu_identity.vendor) : fence_in_use();

	return fence_variant_orders_icr(variant, litmus.mode, cpu_identity.vendor, patched);
}

static enum check_result judge(struct check_report *report, enum fence_variant variant)
{
	static const struct limits few = {CONTROL_ROUNDS, ANSWER_US};
	struct outcome control = play(variant, true, &few), o = {0};

	format(report->control, sizeof(report->control),
	       "control saw %u of %u with the store after the IPI", control.overtaken,
	       control.rounds);
	if (!control.lost && !control.overtaken)
		return check_end(report, CHECK_SKIP, "blind: a store after the IPI looks no later");
	if (!control.lost)
		o = play(variant, inject_is(INJECT_EARLY_IPI), &limits[report->suite]);
	if (control.lost || o.lost)
		return check_end(report, CHECK_FAIL, "an IPI was sent and never came");
	report->kept = o.overtaken;
	report->of = o.rounds;
	if (!must_be_ordered(variant))
		return CHECK_RETENTION;
	return check_end(report, o.overtaken ? CHECK_FAIL : CHECK_PASS,
			 "the IPI overtook the store in %u of %u rounds", o.overtaken, o.rounds);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	enum fence_variant variant = (enum fence_variant)at->values[AT_FENCE];
	struct cpu *receiver = peer_next(cpus[0]);
	enum check_result result;

	if (!receiver)
		return check_end(report, CHECK_SKIP, "no other CPU is online");
	set_stage(receiver, (enum placement)at->values[AT_PLACEMENT]);
	/* Awake: waking up from HLT takes longer than any store. */
	if (!peer_hold(receiver, PEER_POLL))
		return check_end(report, CHECK_FAIL, "the other CPU does not answer");
	result = judge(report, variant);
	if (result == CHECK_RETENTION && report->kept)
		printk("  order/ipi fence=%s placement=%s: the IPI overtook the store in %u of %u "
		       "rounds, %lu per million\n",
		       fence_variant_names[variant], placement_names[at->values[AT_PLACEMENT]],
		       report->kept, report->of, report->kept * 1000000ul / report->of);
	if (!peer_release(receiver))
		return check_end(report, CHECK_FAIL, "the other CPU does not come back");
	return result;
}

static const struct check order_ipi = {
	.name = "order/ipi",
	.what = "an IPI does not overtake the stores before it",
	.need = {.cpus = 2},
	.axes = {&fence_variant_axis, &placement_axis},
	.run = run,
};
CHECK(order_ipi);
