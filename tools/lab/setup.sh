#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes the lab: a private root of Debian testing under build/lab/root with current QEMU, Bochs and
# firmware, and wrappers in build/lab/bin that run them without chroot. Does nothing, quickly, where
# it is there already.
#
# usage: tools/lab/setup.sh [--mirror URL]   URL: a Debian mirror, instead of apt's own
#        tools/lab/setup.sh --check          is it there? Says nothing, makes nothing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PATH=$PATH:/usr/sbin:/sbin

readonly LAB=build/lab
readonly ROOT=$LAB/root PART=$LAB/root.part
readonly PACKAGES='qemu-system-x86 bochs bochs-term bochsbios vgabios seabios ovmf'
# Testing's own name first; mirrors that keep codenames only have it by the second.
readonly SUITES='testing forky'
readonly SCRIPTS=/usr/share/debootstrap/scripts

fail() {
    printf 'lab: %s\n' "$*" >&2
    exit 2
}

note() {
    printf 'lab: %s\n' "$*" >&2
}

# The recipe goes into the root last: a root with another one, or none, is made anew.
recipe() {
    printf '%s\n' "$PACKAGES"
}

is_made() {
    recipe | cmp -s - "$ROOT/.recipe"
}

require_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        exec sudo tools/lab/setup.sh "$@"
    fi
    fail 'making the lab takes root: debootstrap makes device files and enters the new system by
  chroot. Please run once, as root or through sudo:
  sudo make lab
  The emulators in it need no root then.'
}

# apt reads its own configuration, whichever form that has; security archives have no testing.
apt_mirrors() {
    command -v apt-get >/dev/null || return 0
    # shellcheck disable=SC2016 # apt-get fills these in
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Identifier: Packages' |
        awk '$2 !~ /security|updates|backports/ && $1 ~ /^(https?|file):/ && !seen[$1]++ { print $1 }'
}

# Sets `mirror` and `suite` to the first pair that is there.
find_suite() {
    local candidates
    candidates=${1:-$(apt_mirrors)}
    [ -n "$candidates" ] ||
        fail "apt's configuration names no mirror; name one: tools/lab/setup.sh --mirror URL"
    for mirror in $candidates; do
        for suite in $SUITES; do
            if /usr/lib/apt/apt-helper -qq download-file \
                "${mirror%/}/dists/$suite/InRelease" "$LAB/InRelease" >/dev/null 2>&1 &&
                grep -q '^Origin: Debian$' "$LAB/InRelease"; then
                return
            fi
        done
    done
    fail "no Debian testing at ${candidates//$'\n'/ }; name a mirror: tools/lab/setup.sh --mirror URL"
}

# An older debootstrap does not know today's names; they all follow sid.
script_for() {
    if [ -e "$SCRIPTS/$1" ]; then
        printf '%s' "$SCRIPTS/$1"
    else
        printf '%s' "$SCRIPTS/sid"
    fi
}

# Runs a command with mounts of its own, so that none is left behind however it ends.
with_own_mounts() {
    if unshare --mount true 2>/dev/null; then
        unshare --mount -- "$@"
    else
        "$@"
    fi
}

bootstrap() {
    with_own_mounts debootstrap --variant=minbase --include=ca-certificates \
        "$suite" "$PART" "$mirror" "$(script_for "$suite")"
}

# Snapshots of an archive are older than their own Valid-Until.
install_packages() {
    local packages
    read -ra packages <<<"$PACKAGES"
    # No service is to be started in there.
    printf '#!/bin/sh\nexit 101\n' >"$PART/usr/sbin/policy-rc.d"
    chmod 755 "$PART/usr/sbin/policy-rc.d"
    # shellcheck disable=SC2016 # for the inner shell
    with_own_mounts sh -c '
        root=$1
        shift
        mount -t proc proc "$root/proc" 2>/dev/null || true
        export DEBIAN_FRONTEND=noninteractive LC_ALL=C
        chroot "$root" apt-get -o Acquire::Check-Valid-Until=false -qq update &&
            chroot "$root" apt-get -o Acquire::Check-Valid-Until=false -qq -y \
                --no-install-recommends install "$@" &&
            chroot "$root" apt-get clean
        status=$?
        umount "$root/proc" 2>/dev/null || true
        exit $status
    ' sh "$PART" "${packages[@]}"
}

# Runs a step into the log, and quotes the log's end where it fails.
logged() {
    local what=$1
    shift
    note "$what"
    "$@" </dev/null >>"$LAB/log" 2>&1 || {
        tail -n 15 "$LAB/log" | sed 's/^/lab: | /' >&2
        fail "that failed; the whole log is in $LAB/log"
    }
}

# The root gets its name when it is whole: a half-made one never has it.
make_root() {
    tools/setup.sh lab
    : >"$LAB/log"
    find_suite "$1"
    rm -rf --one-file-system "$PART"
    logged "fetching Debian $suite (a minute or so)" bootstrap
    logged "installing $PACKAGES (another one or two)" install_packages
    rm -f "$LAB/InRelease"
    recipe >"$PART/.recipe"
    rm -rf --one-file-system "$ROOT"
    mv "$PART" "$ROOT"
}

versions() {
    dpkg-query --admindir="$ROOT/var/lib/dpkg" -f '${Package} ${Version}, ' -W \
        qemu-system-x86 bochs ovmf | sed 's/, $//'
}

# Root may have made the lab: what is right already needs no writing.
install_wrappers() {
    local name
    mkdir -p "$LAB/bin"
    for name in qemu-system-x86_64 bochs; do
        cmp -s "tools/lab/$name" "$LAB/bin/$name" ||
            install -m 755 "tools/lab/$name" "$LAB/bin/$name"
    done
}

main() {
    local mirror_named=''
    case ${1:-} in
    --check)
        is_made && [ -x "$LAB/bin/bochs" ]
        return
        ;;
    --mirror)
        [ $# -eq 2 ] || fail '--mirror needs a URL'
        mirror_named=$2
        ;;
    '') ;;
    *) fail "unknown option '$1'; usage: tools/lab/setup.sh [--mirror URL | --check]" ;;
    esac
    if ! is_made; then
        require_root "$@"
        umask 022
        mkdir -p "$LAB"
        # Two at once would take each other's half for rubbish.
        exec 9>"$LAB/lock"
        if ! flock -n 9; then
            note 'waiting for another one that is at it'
            flock 9
        fi
        is_made || make_root "$mirror_named"
        note "made, with $(versions)"
    fi
    install_wrappers
}

main "$@"
