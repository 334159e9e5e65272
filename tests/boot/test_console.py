# SPDX-License-Identifier: BSD-2-Clause
"""Where the report goes on machines without a PC's serial port. These can't be run by run.sh, which
always gives the machine one."""

import shutil
import struct
import subprocess

import pytest
from conftest import ROOT, run_sh
from report import Report

PASSED = 0x10 << 1 | 1  # QEMU's exit status for LEAVE_PASSED
TIMEOUT_S = 120
QEMU = "qemu-system-x86_64"


@pytest.fixture(scope="module", autouse=True)
def built(tmp_path_factory):
    """Whatever is missing or old is built by the first boot."""
    log = tmp_path_factory.mktemp("console") / "console.log"
    run = run_sh("--accel", "tcg", "--log", str(log), "--", "run=smp/*", log=log)
    assert run.status == 0, run.console + run.messages
    return run


def firmware():
    """OVMF as arguments for QEMU, its variables not kept."""
    code = subprocess.run(
        [str(ROOT / "tools/setup.sh"), "--print-firmware"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.strip()
    args = ["-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}"]
    variables = code.replace("CODE", "VARS").replace("-code", "-vars")
    return args + ["-drive", f"if=pflash,format=raw,unit=1,snapshot=on,file={variables}"]


class Machine:
    """QEMU with a stick that holds the image, and of other devices only what the test names."""

    def __init__(self, place, *args, cmdline="run=smp/*", cpu="max"):
        self.place = place
        stick = place / "esp"
        (stick / "EFI/BOOT").mkdir(parents=True)
        shutil.copy(ROOT / "build/BOOTX64.EFI", stick / "EFI/BOOT/BOOTX64.EFI")
        (stick / "shootdown.cfg").write_text(cmdline + "\n", encoding="ascii")
        command = [QEMU, "-nodefaults", "-machine", "q35", "-accel", "tcg", "-cpu", cpu]
        command += ["-smp", "2", "-m", "256M", "-display", "none", "-no-reboot", *firmware()]
        command += ["-drive", f"if=none,id=esp,format=raw,readonly=on,file=fat:{stick}"]
        command += ["-device", "virtio-blk-pci,drive=esp,bootindex=0"]
        command += ["-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"]
        self.serial = place / "serial"
        command += ["-chardev", f"file,id=console,path={self.serial}", *args]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def wait(self):
        return self.process.wait(timeout=TIMEOUT_S)

    def report(self):
        """The serial port's, from where the kernel begins."""
        text = self.serial.read_text(encoding="utf-8", errors="replace")
        return Report(text[text.index("Shootdown ") :])



def gas(space, width, access, address):
    return struct.pack("<BBBBQ", space, width, 0, access, address)


def spcr(port, kind=0):
    """Up to the console's language, at 115200 baud; no PCI device."""
    return struct.pack("<B3x12sBBIBBBBBBHH", kind, gas(1, 8, 1, port), 0, 0, 0, 7, 0, 1, 0, 3, 0, 0xFFFF, 0xFFFF) + bytes(12)


def dbg2(port):
    """One serial port for a debugger."""
    name = b".\0"
    device = struct.pack(
        "<BHBHHHHHHHHH", 0, 22 + 12 + 4 + len(name), 1, len(name), 38, 0, 0, 0x8000, 0, 0, 22, 34
    )
    device += gas(1, 8, 1, port) + struct.pack("<I", 8) + name
    return struct.pack("<II", 44, 1) + device


def assert_whole_report_at(machine, where):
    assert machine.wait() == PASSED
    report = machine.report()
    report.assert_whole()
    assert f"console   serial {where}" in "\n".join(report.lines)
    assert report.lines[0].startswith("Shootdown ")


def test_serial_port_on_pci(tmp_path):
    args = ["-device", "pci-serial,chardev=console"]
    with Machine(tmp_path, *args) as machine:
        assert_whole_report_at(machine, "0x")


def test_serial_port_behind_a_bridge(tmp_path):
    args = ["-device", "pcie-root-port,id=root", "-device", "pcie-pci-bridge,id=bridge,bus=root"]
    args += ["-device", "pci-serial,chardev=console,bus=bridge,addr=3"]
    with Machine(tmp_path, *args) as machine:
        assert_whole_report_at(machine, "0x")


def test_second_port_of_a_pc(tmp_path):
    with Machine(tmp_path, "-device", "isa-serial,iobase=0x2f8,irq=3,chardev=console") as machine:
        assert_whole_report_at(machine, "0x2f8")


@pytest.mark.parametrize("signature, make", [("SPCR", spcr), ("DBG2", dbg2)])
def test_port_that_acpi_names(tmp_path, signature, make):
    body = tmp_path / "table"
    body.write_bytes(make(0x5000))
    args = ["-device", "isa-serial,iobase=0x5000,irq=3,chardev=console"]
    args += ["-acpitable", f"sig={signature},rev=2,data={body}"]
    with Machine(tmp_path, *args) as machine:
        assert_whole_report_at(machine, "0x5000")


def test_a_port_that_is_named_but_silent_is_told(tmp_path):
    args = ["-device", "isa-serial,iobase=0x2f8,irq=3,chardev=console"]
    with Machine(tmp_path, *args, cmdline="run=smp/* uart=0x3e8") as machine:
        assert machine.wait() == PASSED
        text = machine.serial.read_text(errors="replace")
        assert "uart=0x3e8: no serial port answers there" in text
        assert "console   serial 0x2f8" in text
