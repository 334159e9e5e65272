# shellcheck shell=bash disable=SC2154 # run.sh sources this and sets what is used here
# SPDX-License-Identifier: BSD-2-Clause
# What run.sh needs to boot in Bochs: version, firmware, configuration.

# Before it, UEFI and x2APIC do not work together.
readonly BOCHS_NEEDED=3.1

# Where distributions keep OVMF with its variables in one file; Bochs has no flash in two parts.
readonly WHOLE_FIRMWARE='/usr/share/ovmf/OVMF.fd /usr/share/edk2/x64/OVMF.4m.fd
/usr/share/edk2/ovmf/OVMF.fd /usr/share/qemu/ovmf-x86_64.bin'

bochs_require() {
    local version
    command -v "$program" >/dev/null ||
        fail "no Bochs on PATH; with --lab it is taken from the lab"
    # Asked for help it starts no machine; it tells its version on the way out.
    version=$("$program" --help </dev/null 2>&1 | sed -n 's/.*Bochs x86 Emulator \([0-9.]*\).*/\1/p')
    printf '%s\n' "$BOCHS_NEEDED" "${version:-0}" | sort -CV ||
        fail "Bochs ${version:-of unknown version} is too old: $BOCHS_NEEDED or later is needed; \
with --lab it is taken from the lab"
}

bochs_find_firmware() {
    local file
    for file in ${firmware:-$WHOLE_FIRMWARE}; do
        firmware=$file
        [ ! -r "$file" ] || return 0
    done
    fail 'no OVMF.fd (code and variables in one file) found; name one with --firmware, or use --lab'
}

# Bochs counts memory in MiB.
bochs_mem_mib() {
    case $mem in
    *K) echo $((${mem%K} / 1024)) ;;
    *G) echo $((${mem%G} * 1024)) ;;
    *T) echo $((${mem%T} * 1024 * 1024)) ;;
    *) echo "${mem%M}" ;;
    esac
}

# Ends where addresses of 32 bits do, where the CPU starts.
bochs_firmware_line() {
    local size
    if [ "$boot_path" = grub-bios ]; then
        printf 'romimage: file=%s\n' "${firmware:-\$BXSHARE/BIOS-bochs-latest}"
    else
        size=$(stat -L -c %s "$firmware")
        printf 'romimage: file="%s", address=0x%x\n' "$firmware" $((0x100000000 - size))
    fi
}

# Under Bochs' own (2026-08) GRUB from BIOS runs wild as it looks for a graphics mode; SeaBIOS' works.
bochs_vga_bios() {
    local file root=''
    [ -z "$lab" ] || root=$LAB/root
    if [ "$boot_path" = grub-bios ]; then
        for file in "$root"/usr/share/{seabios,qemu}/vgabios-stdvga.bin; do
            if [ -r "$file" ]; then
                printf '%s' "$file"
                return
            fi
        done
        note 'no vgabios-stdvga.bin of SeaBIOS found; GRUB may fail with the VGA BIOS of Bochs'
    fi
    printf '%s' "\$BXSHARE/VGABIOS-lgpl-latest"
}

bochs_medium_lines() {
    if [ "$boot_path" = efi ]; then
        printf 'ata0-master: type=disk, path="%s", mode=flat\nboot: disk\n' "$work/disk.img"
    else
        printf 'ata0-master: type=cdrom, path="%s", status=inserted\nboot: cdrom\n' "$work/cd.iso"
    fi
}

# rfb is the only display that takes neither a terminal nor an X server. sync=none: as fast as it
# goes. port_e9_hack: the guest knows by it that this is Bochs (arch/x86/features.c).
bochs_config() {
    cat <<CONFIG
megs: $(bochs_mem_mib)
$(bochs_firmware_line)
vgaromimage: file=$(bochs_vga_bios)
cpu: model=${cpu:-corei7_skylake_x}, count=$cpus, ips=100000000, reset_on_triple_fault=0
$(bochs_medium_lines)
pci: enabled=1, chipset=i440fx
com1: enabled=1, mode=file, dev="$work/serial"
display_library: rfb, options="timeout=0"
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
clock: sync=none
port_e9_hack: enabled=1
log: "$work/bochs.log"
panic: action=report
error: action=report
info: action=report
CONFIG
}

# Sets `command`. The display listens on every network interface: with a network of its own, where
# we may have one, nobody can come in.
bochs_command() {
    local alone
    bochs_config >"$work/bochsrc"
    command=()
    for alone in '--net' '--user --net'; do
        # shellcheck disable=SC2086 # two words
        if unshare $alone true 2>/dev/null; then
            # shellcheck disable=SC2206
            command=(unshare $alone --)
            break
        fi
    done
    command+=("$program" -q -unlock -f "$work/bochsrc")
}

# What it printed as it left, and the end of its log. There may be neither.
bochs_messages() {
    grep -a -A1 'exiting with the following message' "$work/emulator.out" | tail -n 1 || true
    tail -n 10 "$work/bochs.log" 2>/dev/null || true
}
