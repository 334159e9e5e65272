#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds Shootdown, boots it in an emulator, prints its console and says by its exit status how the
# run went. `./run.sh --help` lists the options.

set -euo pipefail
readonly CALLED_FROM=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly STATUS_USAGE=2 STATUS_NO_END=3
readonly LAB=build/lab

usage() {
    cat <<'EOF'
usage: ./run.sh [options] [-- kernel command line]

  --accel auto|kvm|tcg   auto: KVM where it can work, else TCG             (auto)
  --emulator qemu|bochs  which emulator                                    (qemu)
  --boot efi|grub-efi|grub-bios                                            (efi)
  --cpus N               CPUs of the machine                               (2)
  --cpu MODEL            QEMU's -cpu                                       (max; host under KVM)
                         or Bochs' CPU model                               (corei7_skylake_x)
  --mem SIZE             its memory, as QEMU's -m                          (256M)
  --log FILE             keep the whole console there                      (build/last.log)
  --html FILE            write the report as a page there, with pictures; its own failure to do so
                         is told, and leaves the exit status that of the run
  --timeout S            stop the emulator after this many seconds         (600)
  --qemu PATH            another QEMU                                      (qemu-system-x86_64)
  --qemu-arg ARG         one more argument for QEMU; repeatable
  --firmware FILE        another OVMF image, code and variables in one file or (QEMU) code only
  --lab                  use the emulators and OVMF of tools/lab; makes the lab first, as root
  --records              show the records (@SD1 lines) on a terminal too; elsewhere they always are

Kernel command line, for example: -- run=local/* suite=full cpus=2 noinvpcid
  (README.md lists its words)

exit status: 0 all checks passed, 1 a check failed, 2 usage or set-up,
             3 the run ended without a valid end record
EOF
}

fail() {
    printf 'run.sh: %s\n' "$1" >&2
    exit "${2:-$STATUS_USAGE}"
}

note() {
    printf 'run.sh: %s\n' "$*" >&2
}

accel=auto emulator=qemu boot_path=efi lab='' cpus=2 cpu='' mem=256M log=build/last.log html='' timeout=600
qemu='' firmware='' records='' cmdline=''
qemu_args=()

is_number() {
    [[ $1 =~ ^[1-9][0-9]{0,5}$ ]]
}

# A path as the caller meant it, though we work elsewhere.
absolute() {
    case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s/%s' "$CALLED_FROM" "$1" ;;
    esac
}

one_of() {
    local option=$1 value=$2
    shift 2
    for valid in "$@"; do
        [ "$value" != "$valid" ] || return 0
    done
    fail "$option $value: not one of: $*"
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --lab) lab=yes ;;
        --records) records=yes ;;
        --)
            shift
            cmdline=$*
            return
            ;;
        --accel | --emulator | --boot | --cpus | --cpu | --mem | --log | --html | --timeout | \
            --qemu | --qemu-arg | --firmware)
            [ $# -ge 2 ] || fail "$1 needs a value"
            take_value "$1" "$2"
            shift
            ;;
        *) fail "unknown option '$1'; ./run.sh --help lists them" ;;
        esac
        shift
    done
}

take_value() {
    case $1 in
    --accel)
        one_of "$1" "$2" auto kvm tcg
        accel=$2
        ;;
    --emulator)
        one_of "$1" "$2" qemu bochs
        emulator=$2
        ;;
    --boot)
        one_of "$1" "$2" efi grub-efi grub-bios
        boot_path=$2
        ;;
    --cpus)
        is_number "$2" || fail "--cpus $2: not a number of CPUs"
        cpus=$2
        ;;
    --timeout)
        is_number "$2" || fail "--timeout $2: not a number of seconds"
        timeout=$2
        ;;
    --cpu) cpu=$2 ;;
    --mem)
        [[ $2 =~ ^[1-9][0-9]*[KMGT]?$ ]] || fail "--mem $2: not a size such as 256M"
        mem=$2
        ;;
    --log) log=$(absolute "$2") ;;
    --html) html=$(absolute "$2") ;;
    --qemu)
        qemu=$2
        case $2 in */*) qemu=$(absolute "$2") ;; esac
        ;;
    --qemu-arg) qemu_args+=("$2") ;;
    --firmware)
        firmware=$(absolute "$2")
        [ -r "$firmware" ] || fail "--firmware $2: can't be read"
        ;;
    esac
}

# Options that are good each by itself may not go together.
check_options() {
    if [ "$emulator" = bochs ]; then
        [ "$accel" != kvm ] || fail '--accel kvm: only QEMU has it'
        [ -z "$qemu" ] || fail "--qemu $qemu: the emulator is to be Bochs"
        [ ${#qemu_args[@]} -eq 0 ] || fail "--qemu-arg ${qemu_args[0]}: the emulator is to be Bochs"
    fi
    if [ -n "$lab" ] && [ -n "$qemu" ]; then fail "--qemu $qemu: --lab has its own"; fi
}

# The variables may name other files and a shorter wait so that tests can play a machine with KVM.
readonly CPUINFO=${SHOOTDOWN_CPUINFO:-/proc/cpuinfo} KVM=${SHOOTDOWN_KVM:-/dev/kvm}
readonly SILENCE_S=${SHOOTDOWN_SILENCE_S:-20}

# /dev/kvm alone proves nothing: it can be there where the CPU can't run guests.
kvm_can_work() {
    { : <>"$KVM"; } 2>/dev/null && grep -qwE 'vmx|svm' "$CPUINFO"
}

choose_accel() {
    chosen=$accel
    if [ "$accel" = auto ]; then
        chosen=tcg
        if kvm_can_work; then chosen=kvm; fi
    fi
}

# The log is opened before anything takes long; what an earlier run left there is not this one's.
open_log() {
    mkdir -p build
    : 2>/dev/null >"$log" || fail "can't write the log to $log"
    if [ -n "$html" ] && { [ ! -w "${html%/*}/" ] || [ -d "$html" ]; }; then
        fail "can't write the page to $html"
    fi
}

build() {
    local needs=(build)
    # What was named, or comes from the lab, need not be installed.
    if [ -z "$lab" ]; then
        if [ "$emulator" = qemu ] && [ -z "$qemu" ]; then needs+=(emulator); fi
        if [ "$boot_path" != grub-bios ] && [ -z "$firmware" ]; then needs+=(firmware); fi
    fi
    if [ "$boot_path" != efi ]; then
        needs+=(iso)
    elif [ "$emulator" = bochs ]; then
        needs+=(usb)
    fi
    [ -z "$html" ] || needs+=(html)
    tools/setup.sh "${needs[@]}" || exit "$STATUS_USAGE"
    make -s --no-print-directory -j"$(nproc)" all tools >&2 || fail 'the build failed'
    [ -z "$lab" ] || tools/lab/setup.sh || exit "$STATUS_USAGE"
}

# Sets `program` to the emulator's, and `firmware` to what it takes.
find_emulator() {
    if [ -n "$lab" ]; then
        find_in_lab
    elif [ "$emulator" = bochs ]; then
        program=bochs
    else
        program=${qemu:-qemu-system-x86_64}
    fi
    if [ "$emulator" = bochs ]; then
        bochs_require
        [ "$boot_path" = grub-bios ] || bochs_find_firmware
    else
        command -v "$program" >/dev/null || fail "no QEMU at '$program'"
        [ "$boot_path" = grub-bios ] || find_firmware
    fi
}

find_in_lab() {
    local share=$LAB/root/usr/share
    if [ "$emulator" = bochs ]; then
        program=$LAB/bin/bochs
        share+=/ovmf/OVMF.fd
    else
        program=$LAB/bin/qemu-system-x86_64
        share+=/OVMF/OVMF_CODE_4M.fd
    fi
    if [ "$boot_path" != grub-bios ]; then firmware=${firmware:-$share}; fi
}

find_firmware() {
    [ -n "$firmware" ] || firmware=$(tools/setup.sh --print-firmware) ||
        fail 'no OVMF firmware found; install ovmf or name one with --firmware'
}

# A disk for UEFI itself, a CD for GRUB; the command line is on it.
make_medium() {
    if [ "$boot_path" != efi ]; then
        # What make is given it expands.
        make -s --no-print-directory iso CMDLINE="${cmdline//\$/\$\$}" ISO="$work/cd.iso" >&2 ||
            fail 'the CD image could not be made'
        return
    fi
    make_esp
    if [ "$emulator" = bochs ]; then
        tools/make-usb.sh "$work/disk.img" build/BOOTX64.EFI "$work/esp/shootdown.cfg"
    fi
}

# What a stick would hold: the application and the command line.
make_esp() {
    mkdir -p "$work/esp/EFI/BOOT"
    cp build/BOOTX64.EFI "$work/esp/EFI/BOOT/BOOTX64.EFI"
    printf '%s\n' "$cmdline" >"$work/esp/shootdown.cfg"
    if [ -n "${SHOOTDOWN_CFG:-}" ]; then cp "$SHOOTDOWN_CFG" "$work/esp/shootdown.cfg"; fi
}

# QEMU takes a comma for the end of a value unless it is doubled.
quoted() {
    printf '%s' "${1//,/,,}"
}

# Code-only images need a variable store beside them, as a copy that may be written.
firmware_args() {
    local name=${firmware##*/} vars
    vars=${name/CODE/VARS}
    vars=${vars/.secboot/}
    vars=${vars/.strictnx/}
    vars=$(dirname "$firmware")/$vars
    if [ "$vars" != "$firmware" ] && [ -r "$vars" ]; then
        cp "$vars" "$work/vars.fd"
        chmod +w "$work/vars.fd"
        args+=(-drive "if=pflash,format=raw,unit=0,readonly=on,file=$(quoted "$firmware")"
            -drive "if=pflash,format=raw,unit=1,file=$(quoted "$work/vars.fd")")
    else
        args+=(-bios "$firmware")
    fi
}

medium_args() {
    if [ "$boot_path" = efi ]; then
        args+=(-drive "if=none,id=esp,format=raw,readonly=on,file=fat:$(quoted "$work/esp")"
            -device "virtio-blk-pci,drive=esp,bootindex=0")
    else
        args+=(-drive "if=none,id=cd,media=cdrom,format=raw,readonly=on,file=$(quoted "$work/cd.iso")"
            -device "ide-cd,drive=cd,bootindex=0")
    fi
}

# Sets `command`.
qemu_command() {
    local model=$cpu
    if [ -z "$model" ]; then
        model=max
        [ "$chosen" != kvm ] || model=host,migratable=off,+invtsc
    fi
    args=(-machine q35 -accel "$chosen" -cpu "$model" -smp "$cpus" -m "$mem")
    [ -z "$firmware" ] || firmware_args
    medium_args
    args+=(-device "isa-debug-exit,iobase=0xf4,iosize=0x04"
        -chardev "file,id=console,path=$(quoted "$work/serial")" -serial chardev:console
        -display none -monitor none -net none -no-reboot "${qemu_args[@]}")
    command=("$program" "${args[@]}")
}

# Firmware moves the cursor and paints; records are for programs.
show_console() {
    local script='s/\x1b\[[0-9;=?]*[A-Za-z]//g; s/\x1b[()][A-Z0-9]//g; s/[\r\f]//g'
    if [ -z "$records" ] && [ -t 1 ]; then script+='; /^@SD1 /d'; fi
    sed -u "$script"
}

is_running() {
    [ -n "${emulator_pid:-}" ] && kill -0 "$emulator_pid" 2>/dev/null
}

# Asks it to end, and makes it end after five seconds.
stop_emulator() {
    local tries=0
    is_running || return 0
    kill "$emulator_pid" 2>/dev/null || true
    while is_running && [ $tries -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -KILL "$emulator_pid" 2>/dev/null || true
    wait "$emulator_pid" 2>/dev/null || true
}

# The kernel's last word where it can't end the machine: nothing comes after it. `read` fails on a
# line that has not got its end yet.
has_halted() {
    local last
    IFS= read -r last < <(tail -n 1 "$work/serial") && [[ $last == 'Halted: '* ]]
}

# Sets `ended` to how the emulator ended: by itself, silent (not a byte in time), timeout.
watch() {
    local start=$SECONDS
    while is_running; do
        sleep 0.1
        ! has_halted || break
        if [ "$may_fall_back" = yes ] && [ ! -s "$work/serial" ] &&
            [ $((SECONDS - start)) -ge "$SILENCE_S" ]; then
            ended=silent
            return
        fi
        if [ $((SECONDS - start)) -ge "$timeout" ]; then
            ended=timeout
            return
        fi
    done
    ended='by itself'
}

# One boot, its console on standard output.
boot_once() {
    local tail_pid
    if [ "$emulator" = bochs ]; then bochs_command; else qemu_command; fi
    : >"$work/serial"
    "${command[@]}" </dev/null >"$work/emulator.out" 2>&1 &
    emulator_pid=$!
    tail -n +1 -f -s 0.1 --pid=$emulator_pid "$work/serial" 2>/dev/null | show_console &
    tail_pid=$!
    watch
    stop_emulator
    wait "$tail_pid" || true
}

boot_machine() {
    if [ "$emulator" = qemu ]; then choose_accel; else chosen=''; fi
    may_fall_back=no
    if [ "$accel" = auto ] && [ "$chosen" = kvm ]; then may_fall_back=yes; fi
    boot_once
    # Silent for too long, or gone without a word.
    if [ "$may_fall_back" = yes ] && [ ! -s "$work/serial" ] && [ "$ended" != timeout ]; then
        note "the guest stayed silent under KVM; trying again with TCG"
        quote_emulator
        chosen=tcg
        may_fall_back=no
        boot_once
    fi
}

quote_emulator() {
    if [ "$emulator" = bochs ]; then
        bochs_messages | sed 's/^/run.sh: Bochs says: /' >&2
    else
        sed 's/^/run.sh: QEMU says: /' "$work/emulator.out" >&2
    fi
}

# Whatever ends the run, what there is of the console is kept.
# shellcheck disable=SC2317 # called by the trap
keep_log() {
    [ ! -e "$work/serial" ] || cat "$work/serial" >"$log"
}

# The page names the log that it is of.
write_page() {
    local status=0
    mkdir "$work/page"
    cp "$work/serial" "$work/page/${log##*/}"
    build/shootdown-report html "$work/page/${log##*/}" -o "$html" 2>"$work/page.err" || status=$?
    # What is damaged in the report has been said.
    sed -n '/ left out: /s/^shootdown-report: /run.sh: /p' "$work/page.err" >&2
    if [ $status -lt 3 ]; then
        note "the page is $html"
    else
        note 'the page could not be written'
        sed 's/^shootdown-report: /run.sh: /' "$work/page.err" >&2
    fi
}

# Says in a word what the console is worth, and exits with the status that it means.
conclude() {
    local status=0
    build/shootdown-report check --quiet - <"$work/serial" |
        sed 's/^standard input: /run.sh: /' >&2 || status=$?
    case $status in
    0 | 1) ;;
    *)
        [ "$ended" != timeout ] || note "stopped after $timeout s (--timeout)"
        [ -s "$work/serial" ] || note 'the guest printed nothing'
        case $cmdline in
        *format=text*) note 'format=text left out the records, so nothing can be verified' ;;
        esac
        quote_emulator
        status=$STATUS_NO_END
        ;;
    esac
    note "the whole console is in $log"
    [ -z "$html" ] || write_page
    exit "$status"
}

# shellcheck source=tools/bochs.sh
. tools/bochs.sh

main() {
    parse_options "$@"
    check_options
    open_log
    build
    find_emulator
    work=$(mktemp -d)
    trap 'stop_emulator; keep_log; rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    make_medium
    boot_machine
    conclude
}

main "$@"
