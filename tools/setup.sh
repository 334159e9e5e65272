#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs what building, running, testing or linting needs and the machine lacks, from the
# distribution's packages. Does nothing, quickly, where all is there.
#
# usage: tools/setup.sh PURPOSE ...         build emulator firmware test fuzz usb iso lab lint html
#                                           browser
#        tools/setup.sh --print-firmware    where OVMF is

set -euo pipefail

# Administrators' programs are not on everyone's PATH.
PATH=$PATH:/usr/sbin:/sbin

readonly PURPOSES='build emulator firmware test fuzz usb iso lab lint html browser'

# The purpose, what is looked for (a command, a <header>, or @ and one of the cases of is_there) and
# the Debian package that brings it.
readonly NEEDS='
build  make                                  make
build  gcc                                   gcc
build  ld                                    binutils
build  nasm                                  nasm
build  awk                                   mawk
build  cmp                                   diffutils
build  <stdio.h>                             libc6-dev
build  <efi/efi.h>                           gnu-efi
build  <jansson.h>                           libjansson-dev
build  @font                                 console-setup-linux
emulator  qemu-system-x86_64                 qemu-system-x86
firmware  @firmware                          ovmf
iso    grub-mkrescue                         grub-common
iso    xorriso                               xorriso
iso    mformat                               mtools
iso    @grub-bios                            grub-pc-bin
iso    @grub-efi                             grub-efi-amd64-bin
test   <cmocka.h>                            libcmocka-dev
test   @pytest                               python3-pytest
test   @elftools                             python3-pyelftools
test   git                                   git
test   prove                                 perl
test   @pexpect                              python3-pexpect
test   @yaml                                 python3-yaml
test   @requests                             python3-requests
usb    mcopy                                 mtools
usb    mkfs.fat                              dosfstools
usb    sgdisk                                gdisk
lab    debootstrap                           debootstrap
lab    gpgv                                  gpgv
fuzz   clang                                 clang
fuzz   @fuzzer                               libclang-rt-dev
fuzz   <jansson.h>                           libjansson-dev
html   gnuplot                               gnuplot-nox
browser  chromium                            chromium
browser  chromedriver                        chromium-driver
browser  @selenium                           python3-selenium
lint   clang                                 clang
lint   clang-format                          clang-format
lint   cppcheck                              cppcheck
lint   shellcheck                            shellcheck
lint   mandoc                                mandoc
'

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 2
}

# Where distributions keep OVMF; run.sh looks in the same places.
readonly FIRMWARE='/usr/share/OVMF/OVMF_CODE_4M.fd /usr/share/OVMF/OVMF_CODE.fd
/usr/share/edk2/x64/OVMF_CODE.4m.fd /usr/share/edk2/ovmf/OVMF_CODE.fd
/usr/share/qemu/ovmf-x86_64-code.bin'

firmware_found() {
    local file
    for file in $FIRMWARE; do
        if [ -r "$file" ]; then
            echo "$file"
            return 0
        fi
    done
    return 1
}

# The library of -fsanitize=fuzzer comes apart from the compiler, and by the compiler's version.
fuzzer_found() {
    local runtime
    runtime=$(clang -print-runtime-dir 2>/dev/null) &&
        [ -n "$(find "$runtime" "$runtime/../linux" -name 'libclang_rt.fuzzer*.a' 2>/dev/null)" ]
}

is_there() {
    case $1 in
    '<'*) printf '#include %s\n' "$1" | cc -E - >/dev/null 2>&1 ;;
    @font) [ -r /usr/share/consolefonts/Lat15-VGA16.psf.gz ] ;;
    @firmware) firmware_found >/dev/null ;;
    @grub-bios) [ -d /usr/lib/grub/i386-pc ] ;;
    @grub-efi) [ -d /usr/lib/grub/x86_64-efi ] ;;
    @fuzzer) fuzzer_found ;;
    @pytest | @elftools | @pexpect | @yaml | @requests | @selenium) /usr/bin/python3 -c "import ${1#@}" >/dev/null 2>&1 ;;
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
    [ $# -gt 0 ] || fail "usage: tools/setup.sh PURPOSE ...; valid: $PURPOSES"
    if [ "$1" = --print-firmware ]; then
        firmware_found
        return
    fi
    for purpose in "$@"; do
        case " $PURPOSES " in
        *" $purpose "*) ;;
        *) fail "unknown purpose '$purpose'; valid: $PURPOSES" ;;
        esac
    done
    mapfile -t packages < <(missing_packages "$@")
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
}

main "$@"
