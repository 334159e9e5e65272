#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Boots anew what tests/report/data/ keeps; then run `make report-golden`. Takes some minutes, and
# the lab. The boots of one image go into boots.tar.xz, as records only.
#
# usage: tests/report/collect.sh

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly DATA=tests/report/data

# A failed check is fine, and is kept: the logs are to be as they come.
boot() {
    local log=$1 status=0
    shift
    ./run.sh --log "$log" "$@" >/dev/null 2>&1 || status=$?
    [ "$status" -le 1 ] || {
        echo "collect: run.sh $* ended with status $status" >&2
        exit 1
    }
}

boot_many() {
    local work number
    work=$(mktemp -d)
    trap 'rm -rf "$work"' RETURN
    for number in $(seq -w 1 40); do
        boot "$work/tcg-$number.log" --accel tcg --boot grub-bios --cpus 4 -- format=records
    done
    for number in 1 2 3; do
        boot "$work/icount-$number.log" --accel tcg --boot grub-bios \
            --qemu-arg -icount --qemu-arg shift=0,sleep=off -- format=records samples=100
        boot "$work/bochs-$number.log" --lab --emulator bochs --boot grub-bios -- \
            format=records samples=20 'run=smp/*,self/*,local/*,ipi/*'
    done
    tar -C "$work" --sort=name --owner=0 --group=0 --mtime=@0 -cJf "$PWD/$DATA/boots.tar.xz" \
        --transform='s,^\./,,' .
}

boot $DATA/small.log --accel tcg --boot grub-bios -- 'run=smp/*,self/empty,local/cr3-noflush'
boot $DATA/qemu.log --accel tcg --cpus 4 -- \
    'run=smp/*,self/*,local/cr3*,local/range-full,local/range-one*,stale/*,ipi/*'
boot $DATA/bochs.log --lab --emulator bochs --boot grub-bios -- \
    samples=20 'run=smp/*,self/*,local/inv*,fault/*'
boot_many
