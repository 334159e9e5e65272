/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the TSC of each CPU is ahead of CPU 0's, measured twice: where the two do not agree
 * within their errors the TSCs drift apart, and no one-way figure means anything. That they are
 * apart is no fault, as the offset is taken off.
 */
#include "tests/bench/tsc_offset.h"
#include "arch/x86/clock.h"
#include "kernel/harness/peer.h"
#include "kernel/harness/report.h"
#include "kernel/inject.h"
#include "mm/kernel_space.h"

/* What the two rows of the matrix are. */
static const char *const row_names[] = {"offset", "error"};
static const struct axis row_axis = {.key = "of", .names = row_names, .nr = 2, .values = {0, 1}};
static const struct axis *const row_axes[AXES_MAX] = {&row_axis};

struct offsets {
	uint32_t nr;
	uint32_t columns[MATRIX_MAX];
	int64_t ticks[MATRIX_MAX], errors[MATRIX_MAX];
	int64_t largest, largest_error;
};

static int64_t magnitude(int64_t x)
{
	return x < 0 ? -x : x;
}

static void keep(struct offsets *o, const struct cpu *cpu, const struct tsc_offset *offset)
{
	if (magnitude(offset->ticks) > magnitude(o->largest))
		o->largest = offset->ticks;
	if (offset->error > o->largest_error)
		o->largest_error = offset->error;
	if (o->nr == MATRIX_MAX)
		return;
	o->columns[o->nr] = cpu->index;
	o->ticks[o->nr] = offset->ticks;
	o->errors[o->nr++] = offset->error;
}

static void report_rows(const struct offsets *o)
{
	for (uint32_t i = 0; i < 2; i++)
		report_matrix_row(&(struct report_matrix_row){
			.name = "ipi/tsc-offset",
			.axes = row_axes,
			.at = {{i}},
			.columns = o->columns,
			.p50 = i ? o->errors : o->ticks,
			.nr = o->nr,
		});
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	static struct offsets o;
	uint32_t drifting = 0, mute = 0;

	(void)at;
	o = (struct offsets){0};
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));) {
		struct tsc_offset first, again;

		if (!tsc_offset_measure(cpu, &first) || !tsc_offset_measure(cpu, &again)) {
			mute++;
			continue;
		}
		if (inject_is(INJECT_TSC_DRIFT))
			again.ticks += again.error + first.error + clock.tsc_hz / 1000;
		drifting += magnitude(again.ticks - first.ticks) > again.error + first.error;
		keep(&o, cpu, again.error < first.error ? &again : &first);
	}
	report_rows(&o);
	if (mute || drifting)
		return check_end(report, CHECK_FAIL,
				 "%u CPUs' TSCs drift against CPU 0's, %u CPUs did not answer",
				 drifting, mute);
	return check_end(report, CHECK_PASS, "none drifts; at most %ld ticks off, known to +-%ld",
			 o.largest, o.largest_error);
}

static const struct check tsc_offset = {
	.name = "ipi/tsc-offset",
	.what = "the TSCs keep their distance",
	.need = {.cpus = 2},
	.run = run,
};
CHECK(tsc_offset);
