/* SPDX-License-Identifier: BSD-2-Clause */
/* The axes that benchmarks of local invalidation share. */
#include "tests/bench/live_axes.h"

#include "arch/x86/safe.h"

const struct axis live_axis = {
	.key = "live",
	.quick = 1 << 0 | 1 << 2,
	.nr = 5,
	.values = {0, 16, 64, 512, LIVE_PAGES_MAX},
};

const struct axis live_page_axis = {
	.key = "page",
	.names = page_names,
	.quick = 1 << 0,
	.nr = 2,
	.values = {PAGE_4K, PAGE_2M},
};

bool live_applies(const struct axis_point *p)
{
	return p->values[AT_LIVE] || p->values[AT_PAGE] == PAGE_4K;
}

const char *live_set(struct bench_args *args)
{
	return live_pages_get((enum page_size)args->at.values[AT_PAGE], args->at.values[AT_LIVE],
			      &args->live);
}

/* A hypervisor may show the bit of CPUID and refuse that of EFER. */
const char *bench_refuse_tce(void)
{
	uint64_t efer = rdmsr(MSR_EFER);

	if (wrmsr_safe(MSR_EFER, efer | EFER_TCE))
		return "EFER.TCE can't be set, though CPUID has it";
	wrmsr(MSR_EFER, efer);
	return NULL;
}

void bench_enter_tce(const struct bench_args *args)
{
	(void)args;
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_TCE);
}

void bench_leave_tce(const struct bench_args *args)
{
	(void)args;
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_TCE);
}
