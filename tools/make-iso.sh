#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes a CD and stick image that GRUB2 boots from BIOS and from UEFI.
#
# usage: tools/make-iso.sh KERNEL IMAGE [COMMAND LINE]
# With a command line (which may be empty) the image boots it at once, without waiting at the menu.

set -euo pipefail

kernel=$1 image=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree/boot/grub"
cp "$kernel" "$tree/boot/shootdown.elf"
first='' timeout=10
if [ $# -ge 3 ]; then
    timeout=0
    read -ra words <<<"$3"
    # Word by word, for GRUB hands a quoted one with blanks on in quotes. A single quote ends a
    # quoted word of its, so one that is meant stands outside.
    first='menuentry "Shootdown: as asked" { multiboot2 /boot/shootdown.elf'
    for word in "${words[@]}"; do
        first+=" '${word//\'/\'\\\'\'}'"
    done
    first+=' }'
fi
while IFS= read -r text; do
    case $text in
    '@FIRST@') text=$first ;;
    *) text=${text//@TIMEOUT@/$timeout} ;;
    esac
    printf '%s\n' "$text"
done <boot/multiboot2/grub.cfg >"$tree/boot/grub/grub.cfg"

grub-mkrescue -o "$image" "$tree" >"$tree.log" 2>&1 || {
    cat "$tree.log" >&2
    exit 1
}
rm -f "$tree.log"
