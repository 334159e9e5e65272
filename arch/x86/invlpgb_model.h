/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB and TLBSYNC carried out by software, on CPUs that have neither: each raises #UD, and the
 * handler does what the manual says (AMD APM vol. 3, "INVLPGB" and "TLBSYNC"), as late and in as bad
 * an order as it allows.
 *
 * An INVLPGB is queued to every CPU that was online when the model was started, this one included.
 * Each carries it out at some time until the TLBSYNC of the CPU that issued it is over: now and then
 * at once, on one CPU or another, mostly when that TLBSYNC asks for it by NMI, and in an order drawn
 * at random. TLBSYNC waits for what its own CPU has issued and for nothing else. What is drawn comes
 * from `seed`; on CPUs that run at the same time what meets what is up to them as well.
 *
 * No figure of it is a time of INVLPGB or TLBSYNC (docs/invlpgb.md).
 */
#ifndef ARCH_X86_INVLPGB_MODEL_H
#define ARCH_X86_INVLPGB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/invlpgb_encode.h"

/* What the modelled CPU says of itself. */
struct invlpgb_limits invlpgb_model_limits(void);

/* Memory that invlpgb_model_start() wants for so many CPUs, zeroed. */
size_t invlpgb_model_bytes(uint32_t nr_cpus);

/* From here on, for all CPUs that are online. Once, on CPU 0. `memory` is the model's for good. */
void invlpgb_model_start(void *memory, uint64_t seed);

bool invlpgb_model_is_on(void);

/* What it did so far, for all CPUs together. Exact while none issues any; all zero where it is off. */
struct invlpgb_model_counts {
	uint64_t invlpgbs;
	uint64_t alls; /* of those: without an address */
	uint64_t tlbsyncs;
	uint64_t ticks; /* of the TSC, within its handler of #UD */
};

struct invlpgb_model_counts invlpgb_model_counts(void);

/* INVLPGBs and TLBSYNCs of those counts. */
uint64_t invlpgb_model_total(void);

/*
 * A guest's entry in this CPU's TLB, so that one who leaves out INVLPGB_ASID can be seen to drop it;
 * and whether it is there still.
 */
void invlpgb_model_fill_guest(void);
bool invlpgb_model_has_guest(void);

#endif
