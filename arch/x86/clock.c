/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the TSC frequency and cross-checks it. */
#include "arch/x86/clock.h"

#include <stddef.h>

#include "arch/x86/cycles.h"
#include "arch/x86/divide.h"
#include "arch/x86/features.h"
#include "arch/x86/safe.h"

struct clock clock = {.tsc_hz = 1000000000, .source = "assumed"};

/* A timer that counts up at a known rate. */
struct reference {
	const char *name;
	uint64_t hz;
	uint32_t mask;
	uint32_t (*read)(void);
};

#define PM_TIMER_HZ     3579545
#define PIT_HZ          1193182
#define HPET_CAPS       0 /* index of 64-bit registers */
#define HPET_CONFIG     2
#define HPET_COUNTER    30
#define HPET_ENABLE     1ull
#define HPET_MAX_PERIOD 100000000u /* fs: the specification's limit */

#define ROUNDS          5
#define ROUND_MS        8
#define LOST_TRACK      1            /* no frequency */
#define ENOUGH_MS       80           /* twice what the rounds take where nothing is in the way */
#define STILL_TICKS     (1ull << 28) /* a timer that stands still this long is dead */
#define ROUND_MAX_TICKS (1ull << 32)
#define ROUND_MAX_READS 50000000u
#define MIN_HZ          1000000ull      /* what is outside is garbage, */
#define MAX_HZ          100000000000ull /* whoever states it */
#define ACCEPT_PPM      5000

static struct clock_hardware hardware;

static uint32_t read_pm_timer(void)
{
	return inl(hardware.pm_timer_port);
}

static uint32_t read_hpet(void)
{
	return hardware.hpet[HPET_COUNTER];
}

/* Channel 2 counts down; latched, low byte first. */
static uint32_t read_pit(void)
{
	uint8_t lo, hi;

	outb(0x43, 0x80);
	lo = inb(0x42);
	hi = inb(0x42);
	return ~(uint32_t)(hi << 8 | lo);
}

static void start_pit(void)
{
	outb(0x61, (inb(0x61) & ~2) | 1); /* gate on, speaker off */
	outb(0x43, 0xb4);                 /* channel 2, both bytes, rate generator: it wraps */
	outb(0x42, 0);
	outb(0x42, 0);
}

struct stamp {
	uint64_t tsc;
	uint32_t count;
};

/* The read that took least of three, so that one SMI or preemption does no harm. */
static struct stamp take_stamp(const struct reference *ref)
{
	struct stamp best = {0, 0};
	uint64_t best_width = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		uint64_t before = cycles_now();
		uint32_t count = ref->read() & ref->mask;
		uint64_t width = cycles_now() - before;

		if (width < best_width) {
			best_width = width;
			best = (struct stamp){before + width / 2, count};
		}
	}
	return best;
}

/*
 * Ticks between two reads after which the timer may have wrapped unseen, by what another timer said
 * of the TSC; unlimited where none did.
 */
static uint64_t longest_gap(const struct reference *ref)
{
	if (!clock.nr_checks)
		return UINT64_MAX;
	return clock.checks[clock.nr_checks - 1].hz / 1000 * (ref->mask / (ref->hz / 1000)) / 2;
}

/*
 * TSC frequency by one interval of the timer; 0 where the timer does not run, LOST_TRACK where it
 * could not be read often enough.
 */
static uint64_t measure_once(const struct reference *ref)
{
	uint64_t wanted = ref->hz * ROUND_MS / 1000;
	struct stamp start = take_stamp(ref);
	uint64_t elapsed = 0, last_move = start.tsc, gap = longest_gap(ref);
	uint32_t last = start.count;

	for (unsigned reads = 0; reads < ROUND_MAX_READS; reads++) {
		struct stamp now = take_stamp(ref);

		if (now.tsc - last_move > gap)
			return LOST_TRACK;
		if (now.count != last) {
			elapsed += (now.count - last) & ref->mask;
			last = now.count;
			last_move = now.tsc;
		} else if (now.tsc - last_move > STILL_TICKS) {
			return 0;
		}
		if (elapsed >= wanted)
			return (now.tsc - start.tsc) * ref->hz / elapsed;
		if (now.tsc - start.tsc > ROUND_MAX_TICKS)
			return 0;
	}
	return 0;
}

/*
 * The median of a few rounds. Where other CPUs slow every read of the timer (an emulator with
 * hundreds of them) one round is long, and so few are enough.
 */
static uint64_t measure(const struct reference *ref)
{
	uint64_t hz[ROUNDS] = {0}, begun = cycles_now();
	int n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t one = measure_once(ref);
		int j = n;

		if (!one)
			return 0;
		if (one == LOST_TRACK)
			continue;
		n++;
		for (; j > 0 && hz[j - 1] > one; j--)
			hz[j] = hz[j - 1];
		hz[j] = one;
		if ((cycles_now() - begun) / (one / 1000 + 1) > ENOUGH_MS)
			break;
	}
	return hz[n / 2];
}

static void add(const char *source, uint64_t hz)
{
	if (hz >= MIN_HZ && hz <= MAX_HZ && clock.nr_checks < CLOCK_MAX_CHECKS)
		clock.checks[clock.nr_checks++] = (struct clock_check){source, hz, 0};
}

static void add_cpuid_15(void)
{
	struct cpuid c;
	uint64_t crystal;

	if (cpuid(0, 0).eax < 0x15)
		return;
	c = cpuid(0x15, 0);
	if (!c.eax || !c.ebx)
		return;
	crystal = c.ecx;
	if (!crystal) {
		/*
		 * SDM vol. 3B, "Determining the Processor Base Frequency": Skylake, Kaby Lake
		 * client.
		 */
		uint32_t model = cpu_identity.model;

		if (model != 0x4e && model != 0x5e && model != 0x8e && model != 0x9e)
			return;
		crystal = 24000000;
	}
	add("CPUID 15h", crystal * c.ebx / c.eax);
}

static void add_hypervisor(void)
{
	if (feature_has(FEATURE_HYPERVISOR) && cpuid(0x40000000, 0).eax >= 0x40000010 &&
	    cpuid(0x40000000, 0).eax < 0x40010000)
		add("CPUID 40000010h", cpuid(0x40000010, 0).eax * 1000ull);
}

static void add_cpuid_16(void)
{
	if (cpuid(0, 0).eax >= 0x16)
		add("CPUID 16h", (cpuid(0x16, 0).eax & 0xffff) * 1000000ull);
}

/*
 * On AMD the TSC runs at the frequency of P0. In a guest the MSR says nothing of the guest's TSC.
 */
static void add_amd_p0(void)
{
	uint64_t p0;

	if (cpu_identity.vendor != VENDOR_AMD || cpu_identity.family < 0x17 ||
	    feature_has(FEATURE_HYPERVISOR) || rdmsr_safe(MSR_AMD_P0, &p0) || !(p0 >> 63))
		return;
	if (cpu_identity.family >= 0x1a)
		add("AMD P0", (p0 & 0xfff) * 5 * 1000000);
	else if (p0 >> 8 & 0x3f)
		add("AMD P0", 200000000 * (p0 & 0xff) / (p0 >> 8 & 0x3f));
}

static void add_measured(void)
{
	static struct reference ref;

	if (hardware.hpet && hardware.hpet[HPET_CAPS] >> 32 &&
	    hardware.hpet[HPET_CAPS] >> 32 <= HPET_MAX_PERIOD) {
		hardware.hpet[HPET_CONFIG] |= HPET_ENABLE;
		ref = (struct reference){"HPET",
					 1000000000000000 / (hardware.hpet[HPET_CAPS] >> 32),
					 0xffffffff, read_hpet};
		add(ref.name, measure(&ref));
	}
	if (hardware.pm_timer_port) {
		ref = (struct reference){"PM timer", PM_TIMER_HZ,
					 hardware.pm_timer_32bit ? 0xffffffff : 0xffffff,
					 read_pm_timer};
		add(ref.name, measure(&ref));
	}
	start_pit();
	ref = (struct reference){"PIT", PIT_HZ, 0xffff, read_pit};
	add(ref.name, measure(&ref));
}

static int64_t ppm_between(uint64_t hz, uint64_t base)
{
	return divide_signed(((int64_t)hz - (int64_t)base) * 1000000, base);
}

static bool agrees(uint64_t hz, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		int64_t ppm = ppm_between(hz, clock.checks[i].hz);

		if (ppm < ACCEPT_PPM && ppm > -ACCEPT_PPM)
			return true;
	}
	return first == end;
}

static void choose(unsigned nr_stated, unsigned nr_stated_or_measured)
{
	for (unsigned i = 0; i < clock.nr_checks; i++) {
		const struct clock_check *c = &clock.checks[i];

		/* Stated ones come first; past the measured ones are the nominal ones. */
		if (i < nr_stated && !agrees(c->hz, nr_stated, nr_stated_or_measured))
			continue;
		clock.tsc_hz = c->hz;
		clock.source = c->source;
		break;
	}
	for (unsigned i = 0; i < clock.nr_checks; i++)
		clock.checks[i].ppm = ppm_between(clock.checks[i].hz, clock.tsc_hz);
}

void clock_init(const struct clock_hardware *hw)
{
	unsigned nr_stated, nr_measured;

	hardware = *hw;
	clock.invariant = feature_has(FEATURE_INVARIANT_TSC);
	add_cpuid_15();
	add_hypervisor();
	add_amd_p0();
	nr_stated = clock.nr_checks;
	add_measured();
	nr_measured = clock.nr_checks;
	add_cpuid_16();
	choose(nr_stated, nr_measured);
}

uint64_t clock_deadline(uint32_t us)
{
	return cycles_now() + clock.tsc_hz / 1000 * us / 1000;
}

bool clock_passed(uint64_t deadline)
{
	return (int64_t)(cycles_now() - deadline) >= 0;
}

void clock_delay_us(uint32_t us)
{
	uint64_t deadline = clock_deadline(us);

	while (!clock_passed(deadline))
		pause();
}

uint64_t clock_ms(uint64_t ticks)
{
	return ticks / (clock.tsc_hz / 1000);
}
