/* SPDX-License-Identifier: BSD-2-Clause */
/* Which Shootdown this is. */
#ifndef KERNEL_VERSION_H
#define KERNEL_VERSION_H

#define SHOOTDOWN_VERSION "0.1.0"

extern const char shootdown_commit[];   /* abbreviated, "-dirty" where files differ from it */
extern const char shootdown_compiler[]; /* name and version */

#endif
