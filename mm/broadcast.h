/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flushes by INVLPGB, and which spaces are given a global ASID for it (mm/global_asid.h has the
 * rules). For mm/address_space.c and mm/shootdown.c, with interrupts off, and only with
 * FEATURE_INVLPGB where it does not say otherwise.
 */
#ifndef MM_BROADCAST_H
#define MM_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/invlpgb.h"
#include "mm/address_space.h"
#include "mm/flush_request.h"

struct tlb_state;

/*
 * As GLOBAL_ASID_CPUS, GLOBAL_ASID_SAMPLE, and how many global ASIDs there are, up to
 * GLOBAL_ASIDS_MAX. Once, with the feature or without.
 */
void broadcast_init(uint32_t cpus, uint32_t sample, uint32_t asids);

/* Those again. */
uint32_t broadcast_cpus(void);
uint32_t broadcast_sample(void);
uint32_t broadcast_asids(void);

/* Gives `space` one, if there is one left and it has none. With or without the feature. */
void broadcast_give_asid(struct address_space *space);

/* The space ends. With or without the feature. */
void broadcast_take_asid_back(struct address_space *space);

/*
 * At the end of a flush that was not broadcast: gives the space one if its policy and the number of
 * CPUs that run it say so. With or without the feature.
 */
void broadcast_consider(struct tlb_state *t, struct address_space *space,
			const struct flush_policy *policy);

/*
 * Asks all CPUs to invalidate what `request` says of the space that has the global ASID `asid`, and
 * waits until they have. Between the two those are asked by IPI who run it under another ASID.
 */
void broadcast_issue(struct tlb_state *t, const struct address_space *space, uint32_t asid,
		     const struct flush_request *request);
void broadcast_wait(struct tlb_state *t);

/* What becomes of a request with the faults that are put in: for those who issue one themselves. */
struct invlpgb_request broadcast_as_injected(struct invlpgb_request request);

#endif
