/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that weak_wrmsr_fence() was patched as the CPU's vendor asks, or as fence= says: reads
 * back the bytes of every place and sees that no mapping of the text lets them be written.
 */
#include "arch/x86/fence.h"
#include "arch/x86/mem.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/inject.h"
#include "mm/kernel_space.h"

static bool is_writable(uint64_t va)
{
	const uint64_t *entry = paging_entry(&kernel_tables, va, NULL);

	return !entry || *entry & PTE_WRITE;
}

/* The first place that does not hold what it should; 0: all do. */
static uint64_t find_wrong(enum fence wanted, const uint64_t *sites, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[FENCE_BYTES];

		fence_encode(wanted, sites[i], fence_branch_target(), bytes);
		if (memcmp(bytes, (const void *)sites[i], FENCE_BYTES))
			return sites[i];
	}
	return 0;
}

static uint64_t find_writable(const uint64_t *sites, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_writable(sites[i]) || is_writable(sites[i] + FENCE_BYTES - 1))
			return sites[i];
	}
	return 0;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	const uint64_t *sites;
	size_t n = fence_sites(&sites);
	enum fence wanted =
		inject_is(INJECT_NO_FENCE) ? fence_of_vendor(cpu_identity.vendor) : fence_in_use();
	const uint8_t *b = (const uint8_t *)sites[0];
	uint64_t wrong = find_wrong(wanted, sites, n), writable = find_writable(sites, n);

	(void)at;
	if (wrong)
		return check_end(report, CHECK_FAIL, "the bytes at %lx are not those of fence=%s",
				 wrong, fence_names[wanted]);
	if (writable || !(read_cr0() & CR0_WP))
		return check_end(report, CHECK_FAIL, "the text at %lx can be written", writable);
	return check_end(report, CHECK_PASS,
			 "%zu places hold %02x %02x %02x %02x %02x %02x (fence=%s, %s)", n, b[0],
			 b[1], b[2], b[3], b[4], b[5], fence_names[wanted],
			 cpu_identity.vendor_name);
}

static const struct check alternatives = {
	.name = "order/alternatives",
	.what = "weak_wrmsr_fence() is what the vendor, or fence=, asks for",
	.run = run,
};
CHECK(alternatives);
