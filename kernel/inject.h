/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults put in on purpose (inject=NAME), one at a time, to see that the harness notices.
 * docs/checks.md names what each must make fail.
 */
#ifndef KERNEL_INJECT_H
#define KERNEL_INJECT_H

#include <stdbool.h>

enum inject {
	INJECT_NONE,
	INJECT_PANIC,       /* panic once the header is out */
	INJECT_FAULT,       /* write to an unmapped address there */
	INJECT_OVERFLOW,    /* overflow the stack there */
	INJECT_FAIL,        /* throw away the last CPU's answer */
	INJECT_SKIP_LOCAL,  /* leave out the local flush under test */
	INJECT_EXTRA_FAULT, /* run what must fault where a check's subject is legal */
	INJECT_NO_FAULT,    /* run what is legal where a fault is due */
	INJECT_WX,          /* map a page both writable and executable */
	INJECT_NO_GUARD,    /* map the page below a stack */
	INJECT_DEAD_AP,     /* send the last AP neither INIT nor SIPI */
	INJECT_NO_GLOBAL,   /* leave out the flush under test where the entry is global */
	INJECT_WRONG_TYPE,  /* run INVPCID under test with the next narrower type */
	INJECT_WRONG_PCID,  /* and with another PCID in its descriptor */
	INJECT_STALE_PSC,   /* keep old what a paging-structure cache would hold */
	INJECT_NO_FENCE,    /* leave out weak_wrmsr_fence() whoever asks for it */
	INJECT_LOSE_IPI,    /* leave out one IPI of those that are counted */
	INJECT_DUP_IPI,     /* send one of them a second time */
	INJECT_TSC_DRIFT,   /* take the TSCs for a millisecond further apart when looked at again */
	INJECT_EARLY_IPI,   /* write ICR and TSC_DEADLINE before what must come before them */
	INJECT_SKIP_REMOTE, /* ask one CPU fewer than a flush must */
	INJECT_EARLY_ACK,   /* answer a flush, and carry it out with the next */
	INJECT_SHORT_RANGE, /* leave out the last page of a flush */
	INJECT_STALE_ASID,  /* take over another address space's ASID as it is */
	INJECT_LATE_SET,    /* run an address space without being in its set of CPUs */
	INJECT_SKIP_GENERATION, /* switch back without what was missed */
	INJECT_SKIP_TLBSYNC,    /* do not wait for what INVLPGB asked for */
	INJECT_NO_FINISH,       /* ask nobody who runs a space under its old ASID still */
	INJECT_NO_VA_VALID,     /* INVLPGB of pages without the bit that says which */
	INJECT_NO_ASID_VALID,   /* INVLPGB without the bit that spares guests */
	INJECT_ZERO_COUNT_MAX,  /* take the most pages of one INVLPGB for none */
	INJECT_OFF_BY_ONE,      /* one page fewer in an INVLPGB of several */
	INJECT_STALE_ROLLOVER,  /* give global ASIDs again without invalidating them */
	INJECT_LOSE_WAKE,       /* an NMI between STI and HLT is not made up for */
	INJECT_COUNT
};

/* The names, by enum inject. */
extern const char *const inject_names[INJECT_COUNT + 1];

/* Set once, from the command line. */
void inject_set(enum inject inject);

bool inject_is(enum inject inject);

#endif
