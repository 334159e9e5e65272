/* SPDX-License-Identifier: BSD-2-Clause */
/* The Makefile gives COMMIT. */
#include "kernel/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char shootdown_commit[] = COMMIT;
const char shootdown_compiler[] = COMPILER;
