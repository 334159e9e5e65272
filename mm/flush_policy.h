/* SPDX-License-Identifier: BSD-2-Clause */
/* Flush policies: which CPUs a flush asks to invalidate. Pure. */
#ifndef MM_FLUSH_POLICY_H
#define MM_FLUSH_POLICY_H

#include <stdbool.h>

enum flush_policy_id {
	POLICY_IPI,     /* those that run the space */
	POLICY_IPI_ALL, /* every CPU: the base that the others are measured against */
	POLICY_PRIVATE, /* none while only the caller has run it since its last full flush; else as ipi */
	/* With FEATURE_INVLPGB; without it they are as ipi. */
	POLICY_BROADCAST,        /* as ipi until many CPUs run it at once, then all by INVLPGB */
	POLICY_BROADCAST_ALWAYS, /* all by INVLPGB from the start */
	POLICY_COUNT
};

/* A policy, as the flush sees it. */
struct flush_policy {
	const char *name;
	bool everyone;   /* all CPUs online, whether they run the space or not */
	bool owner;      /* none where the caller is the space's owner (space_users.h) */
	bool broadcast;  /* the space may be given a global ASID (global_asid.h) */
	bool from_start; /* and is, as it is made or with its next flush */
};

/* By enum flush_policy_id, and the names, with NULL at the end. */
extern const struct flush_policy flush_policies[POLICY_COUNT];
extern const char *const flush_policy_names[POLICY_COUNT + 1];

#endif
