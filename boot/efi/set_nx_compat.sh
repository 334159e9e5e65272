#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sets IMAGE_DLLCHARACTERISTICS_NX_COMPAT (100h) in a PE32+ file, which objcopy can't.
# Source: Microsoft PE format, "Optional Header Windows-Specific Fields (Image Only)".
set -eu
file=$1
pe=$(od -An -tu4 -j60 -N4 "$file" | tr -d ' ')
# PE signature 4 bytes, COFF header 20, then offset 70 of the optional header; little endian 0100h.
printf '\000\001' | dd of="$file" bs=1 seek=$((pe + 24 + 70)) conv=notrunc status=none
