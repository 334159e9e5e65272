#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs what building, running, testing or linting needs and the machine lacks, from the
# distribution's packages. Does nothing, quickly, where all is there.
#
# usage: tools/setup.sh build|run|test|lint ...

set -euo pipefail

# What is looked for (a command, or a file with a slash) and the Debian package that brings it.
readonly NEEDS='
build  make                                  make
build  gcc                                   gcc
build  ld                                    binutils
build  nasm                                  nasm
build  awk                                   mawk
build  cmp                                   diffutils
build  /usr/include/x86_64-linux-gnu/sys/types.h  libc6-dev
build  /usr/include/efi/efi.h                gnu-efi
build  /usr/include/jansson.h                libjansson-dev
run    qemu-system-x86_64                    qemu-system-x86
run    /usr/share/OVMF/OVMF_CODE_4M.fd       ovmf
test   /usr/include/cmocka.h                 libcmocka-dev
test   /usr/lib/python3/dist-packages/pytest/__init__.py  python3-pytest
test   git                                   git
lint   clang                                 clang
lint   clang-format                          clang-format
lint   cppcheck                              cppcheck
lint   shellcheck                            shellcheck
'

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 2
}

is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# Prints the packages that are missing for the purposes named.
missing_packages() {
    local purpose thing package
    while read -r purpose thing package; do
        [ -n "$purpose" ] || continue
        case " $* " in
        *" $purpose "*) is_there "$thing" || echo "$package" ;;
        esac
    done <<<"$NEEDS"
}

install_packages() {
    local as_root=()
    command -v apt-get >/dev/null ||
        fail "this is no Debian or Ubuntu; please install what brings: $*"
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo)
        else
            fail "some packages are missing; please run:
  sudo apt-get update && sudo apt-get install --no-install-recommends $*"
        fi
    fi
    echo "setup: installing $*" >&2
    "${as_root[@]}" apt-get update -qq >&2 || true # a stale list may still do
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >&2 ||
        fail "apt-get could not install: $*"
}

main() {
    local packages
    [ $# -gt 0 ] || fail 'usage: tools/setup.sh build|run|test|lint ...'
    for purpose in "$@"; do
        case $purpose in
        build | run | test | lint) ;;
        *) fail "unknown purpose '$purpose'; valid: build run test lint" ;;
        esac
    done
    mapfile -t packages < <(missing_packages "$@")
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
}

main "$@"
