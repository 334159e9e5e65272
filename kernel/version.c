/* SPDX-License-Identifier: BSD-2-Clause */
/* The Makefile gives COMMIT. */
#include "kernel/version.h"

#define STRING_OF(x)                 #x
#define STRING(x)                    STRING_OF(x)
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

#ifdef __clang__
#define COMPILER "clang " VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define COMPILER "gcc " VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif

const char shootdown_commit[] = COMMIT;
const char shootdown_compiler[] = COMPILER;
