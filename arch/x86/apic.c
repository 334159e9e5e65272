/* SPDX-License-Identifier: BSD-2-Clause */
/* Local APIC: mode, EOI, IPIs. */
#include "arch/x86/apic.h"

#include "arch/x86/features.h"
#include "arch/x86/safe.h"

/* xAPIC register offsets; the x2APIC MSR is 800h + offset / 16. */
enum apic_register {
	APIC_ID = 0x20,
	APIC_VERSION = 0x30,
	APIC_TPR = 0x80,
	APIC_EOI = 0xb0,
	APIC_SVR = 0xf0,
	APIC_LVT_TIMER = 0x320,
	APIC_LVT_LINT0 = 0x350,
	APIC_LVT_ERROR = 0x370,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0,
};

#define APIC_SVR_ENABLE (1u << 8)
#define APIC_LVT_MASKED (1u << 16)

#define APIC_DIVIDE_BY_1 0xbu

volatile uint32_t *xapic;
static enum apic_mode mode;

uint64_t apic_mmio_base(void)
{
	return rdmsr(MSR_APIC_BASE) & APIC_BASE_ADDR_MASK;
}

enum apic_mode apic_mode(void)
{
	return mode;
}

static uint32_t apic_read(enum apic_register reg)
{
	if (mode == APIC_X2APIC)
		return rdmsr(MSR_X2APIC_BASE + (reg >> 4));
	return xapic[reg / 4];
}

static void apic_write(enum apic_register reg, uint32_t value)
{
	if (mode == APIC_X2APIC)
		wrmsr(MSR_X2APIC_BASE + (reg >> 4), value);
	else
		xapic[reg / 4] = value;
}

/* Intel SDM vol. 4, IA32_XAPIC_DISABLE_STATUS: the firmware can forbid xAPIC mode. */
static bool locked_in_x2apic(void)
{
	uint64_t value;

	if (!feature_has(FEATURE_ARCH_CAPS) || rdmsr_safe(MSR_ARCH_CAPS, &value) ||
	    !(value & ARCH_CAPS_XAPIC_DISABLE))
		return false;
	return !rdmsr_safe(MSR_XAPIC_DISABLE, &value) && value & XAPIC_DISABLE_LOCKED;
}

void apic_init(volatile uint32_t *mmio)
{
	xapic = mmio;
	mode = feature_has(FEATURE_X2APIC) || locked_in_x2apic() ? APIC_X2APIC : APIC_XAPIC;
}

/*
 * The legal steps only: x2APIC is left through "disabled", and entered from xAPIC mode (SDM,
 * "x2APIC State Transitions"). No APIC register is touched before the mode is right.
 */
static void set_mode(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);
	uint64_t bare = base & ~(APIC_BASE_EN | APIC_BASE_EXTD);

	if (mode == APIC_X2APIC) {
		if (!(base & APIC_BASE_EN))
			wrmsr(MSR_APIC_BASE, bare | APIC_BASE_EN);
		if (!(base & APIC_BASE_EXTD))
			wrmsr(MSR_APIC_BASE, bare | APIC_BASE_EN | APIC_BASE_EXTD);
		return;
	}
	if (base & APIC_BASE_EXTD)
		wrmsr(MSR_APIC_BASE, bare);
	wrmsr(MSR_APIC_BASE, bare | APIC_BASE_EN);
}

void apic_enable(void)
{
	set_mode();
	/* LINT1 is left as it is: where firmware opened it, it brings NMIs of the platform. */
	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED);
	apic_write(APIC_LVT_LINT0, APIC_LVT_MASKED);
	apic_write(APIC_LVT_ERROR, APIC_LVT_MASKED);
	apic_write(APIC_TPR, 0);
	apic_write(APIC_SVR, APIC_SVR_ENABLE | VECTOR_SPURIOUS);
}

uint32_t apic_id(void)
{
	uint32_t id = apic_read(APIC_ID);

	return mode == APIC_X2APIC ? id : id >> 24;
}

void apic_eoi(void)
{
	apic_write(APIC_EOI, 0);
}

static void icr_write(uint32_t apic_id, uint32_t low)
{
	if (mode == APIC_X2APIC)
		x2apic_write_icr(apic_id, low);
	else
		xapic_write_icr(apic_id, low);
}

void ipi_send(uint32_t apic_id, uint8_t vector)
{
	icr_write(apic_id, ICR_FIXED | ICR_ASSERT | vector);
}

void ipi_send_init(uint32_t apic_id)
{
	icr_write(apic_id, ICR_INIT | ICR_ASSERT);
}

void ipi_send_startup(uint32_t apic_id, uint8_t page)
{
	icr_write(apic_id, ICR_STARTUP | ICR_ASSERT | page);
}

void ipi_send_nmi(uint32_t apic_id)
{
	icr_write(apic_id, ICR_NMI | ICR_ASSERT);
}

void apic_timer_enable(enum apic_timer_mode timer_mode, uint8_t vector)
{
	if (timer_mode == APIC_TIMER_DEADLINE) {
		apic_timer_choose_deadline_bare(mode, vector);
		/* In xAPIC mode that was a store, which WRMSR can overtake; then it is ignored. */
		mfence();
		lfence();
		return;
	}
	apic_write(APIC_TIMER_DIVIDE, APIC_DIVIDE_BY_1);
	apic_write(APIC_LVT_TIMER, vector);
}

/* Another mode disarms a deadline (Intel SDM vol. 3A, "TSC-Deadline Mode"). */
void apic_timer_disable(void)
{
	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED);
	apic_write(APIC_TIMER_INITIAL, 0);
}

void apic_timer_write_count(uint32_t count)
{
	apic_write(APIC_TIMER_INITIAL, count);
}

uint32_t apic_timer_read_count(void)
{
	return apic_read(APIC_TIMER_CURRENT);
}
