#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes the image of a stick: GPT, one EFI system partition as small as FAT and its contents allow,
# in it the application and the command line. The same files always give the same bytes.
#
# usage: tools/make-usb.sh IMAGE APPLICATION COMMAND-LINE-FILE

set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

readonly SECTOR=512
# Bochs cuts an image to whole cylinders of 16 heads and 63 sectors; the copy of the partition table
# in the last sector must not fall off, or firmware takes none of the table.
readonly CYLINDER=$((16 * 63))
# The first partition starts at 1 MiB, where every stick's erase blocks like it.
readonly START=2048
# The second table: 32 sectors of entries and the header.
readonly END_SECTORS=33
# Free room for a longer command line, and for whatever else the owner puts there.
readonly ROOM=$((64 * 1024))

readonly DISK_GUID=5348544f-444f-574e-8000-000000000001
readonly PARTITION_GUID=5348544f-444f-574e-8000-000000000002
readonly VOLUME_ID=53485444
# mtools and mkfs.fat take this for the time of the files; FAT's own calendar starts in 1980.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800} TZ=UTC0

fail() {
    printf 'make-usb: %s\n' "$*" >&2
    exit 2
}

size_of() {
    stat -L -c %s "$1"
}

# Sectors of the partition: the contents and the room, the FATs, the root directory and a margin for
# them, rounded so that the disk is whole cylinders.
partition_sectors() {
    local bytes=$((($(size_of "$application") + $(size_of "$config") + ROOM) * 101 / 100 + 32768))
    local disk=$((START + bytes / SECTOR + 1 + END_SECTORS))
    disk=$(((disk + CYLINDER - 1) / CYLINDER * CYLINDER))
    echo $((disk - START - END_SECTORS))
}

make_partition() {
    local out=$1 sectors=$2
    truncate -s $((sectors * SECTOR)) "$out"
    mkfs.fat --invariant -h "$START" -i "$VOLUME_ID" -n SHOOTDOWN "$out" >/dev/null
    mmd -i "$out" ::/EFI ::/EFI/BOOT
    mcopy -i "$out" "$application" ::/EFI/BOOT/BOOTX64.EFI
    mcopy -i "$out" "$config" ::/shootdown.cfg
}

make_disk() {
    local out=$1 partition=$2 sectors=$3
    truncate -s $(((START + sectors + END_SECTORS) * SECTOR)) "$out"
    sgdisk --clear --set-alignment=1 --disk-guid="$DISK_GUID" \
        --new="1:$START:$((START + sectors - 1))" --typecode=1:ef00 --change-name=1:shootdown \
        --partition-guid="1:$PARTITION_GUID" "$out" >/dev/null
    dd if="$partition" of="$out" bs=$SECTOR seek=$START conv=notrunc status=none
}

main() {
    local sectors
    [ $# -eq 3 ] || fail 'usage: tools/make-usb.sh IMAGE APPLICATION COMMAND-LINE-FILE'
    readonly image=$1 application=$2
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # A copy: what is given may be a device such as /dev/null or a pipe. Its time is set for the image.
    config=$work/config
    cat "$3" >"$config"
    sectors=$(partition_sectors)
    make_partition "$work/esp" "$sectors"
    make_disk "$work/disk" "$work/esp" "$sectors"
    # By name in the end only: an image that is there is whole.
    cp --sparse=always "$work/disk" "$image.part"
    mv "$image.part" "$image"
}

main "$@"
