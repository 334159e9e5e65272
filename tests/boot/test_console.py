# SPDX-License-Identifier: BSD-2-Clause
"""Where the report goes on machines without a PC's serial port. These can't be run by run.sh, which
always gives the machine one."""

import shutil
import struct
import subprocess
import time

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
    run = run_sh("--accel", "tcg", "--", "run=smp/*", log=log)
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


def glyphs():
    """The kernel's font: for each picture of a character, the character."""
    font = (ROOT / "build/font.psf").read_bytes()[4:]
    return {font[code * 16 : code * 16 + 16]: chr(code) for code in range(0x20, 0x7F)}


def read_picture(path):
    """The text of a PPM, by the font, on a black ground; what is no character is a U+FFFD. [] where
    it is not whole."""
    data = path.read_bytes()
    head = data.split(b"\n", 3)
    if len(head) < 4 or head[0] != b"P6":
        return []
    width, height = map(int, head[1].split())
    pixels = head[3]
    if len(pixels) < width * height * 3:
        return []
    scale = 2 if width >= 2560 else 1
    known = glyphs()
    # One bit for each dot of the font; a grey picture's colours are alike.
    rows = [
        sum((pixels[(y * width + x * scale) * 3] > 0x60) << x for x in range(width // scale))
        for y in range(0, height, scale)
    ]
    lines = []
    for top in range(0, len(rows) - 15, 16):
        line = ""
        for left in range(0, width // scale - 7, 8):
            cell = bytes(REVERSED[rows[top + y] >> left & 0xFF] for y in range(16))
            line += known.get(cell, "\ufffd")
        lines.append(line.rstrip())
    return lines


REVERSED = [int(f"{byte:08b}"[::-1], 2) for byte in range(256)]
MONITOR = ["-monitor", "stdio"]
VGA = ["-device", "VGA"]


class Machine:
    """QEMU with a stick that holds the image, and of other devices only what the test names."""

    def __init__(self, place, *args, cmdline="run=smp/*", cpu="max", image=None):
        self.place = place
        stick = image or f"fat:{self.make_stick(cmdline)}"
        command = [QEMU, "-nodefaults", "-machine", "q35", "-accel", "tcg", "-cpu", cpu]
        command += ["-smp", "2", "-m", "256M", "-display", "none", "-no-reboot", *firmware()]
        command += ["-drive", f"if=none,id=esp,format=raw,readonly=on,file={stick}"]
        if image:
            command += ["-device", "qemu-xhci", "-device", "usb-storage,drive=esp,bootindex=0"]
        else:
            command += ["-device", "virtio-blk-pci,drive=esp,bootindex=0"]
        command += ["-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"]
        self.serial = place / "serial"
        command += ["-chardev", f"file,id=console,path={self.serial}", *args]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def make_stick(self, cmdline):
        stick = self.place / "esp"
        (stick / "EFI/BOOT").mkdir(parents=True)
        shutil.copy(ROOT / "build/BOOTX64.EFI", stick / "EFI/BOOT/BOOTX64.EFI")
        (stick / "shootdown.cfg").write_text(cmdline + "\n", encoding="ascii")
        return stick

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def monitor(self, command):
        """For machines started with MONITOR."""
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def screen(self):
        """The lines of text on it; [] while there is no picture of it."""
        picture = self.place / "screen.ppm"
        picture.unlink(missing_ok=True)
        self.monitor(f"screendump {picture}")
        for _ in range(50):
            time.sleep(0.1)
            lines = read_picture(picture) if picture.exists() else []
            if lines:
                return lines
        return []

    def wait_for_text(self, text):
        """The lines of the first picture that has it."""
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            lines = self.screen()
            if text in "\n".join(lines):
                return lines
        raise AssertionError(f"not on the screen: {text}\n" + "\n".join(lines))

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
    interrupt, line = bytes(6), bytes([7, 0, 1, 0, 3, 0])
    return b"%c\0\0\0" % kind + gas(1, 8, 1, port) + interrupt + line + b"\xff" * 4 + bytes(12)


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


def assert_readable(lines):
    text = "\n".join(lines)
    assert "Shootdown: 1 passed, 0 failed, 0 skipped" in lines
    assert any(line.startswith("Shootdown 0.") for line in lines), text
    assert any(line.startswith("machine   QEMU Standard PC") for line in lines), text
    assert any(line.startswith("console   no serial port, screen ") for line in lines), text
    assert any(line.startswith("clock     TSC ") for line in lines), text
    assert "smp/all-cpus-answer" in text
    assert "@SD1" not in text
    assert "\ufffd" not in text


@pytest.mark.parametrize("card", ["VGA", "VGA,xres=2560,yres=1600,vgamem_mb=32", "bochs-display"])
def test_screen_alone(tmp_path, card):
    with Machine(tmp_path, *MONITOR, "-device", card, cmdline="run=smp/* exit=halt") as machine:
        assert_readable(machine.wait_for_text("Halted: the machine may be switched off"))


def test_screen_beside_a_serial_port_may_be_left_alone(tmp_path):
    args = ["-serial", "chardev:console", *VGA]
    with Machine(tmp_path, *args, cmdline="run=smp/* console=serial") as machine:
        assert_whole_report_at(machine, "0x3f8, no screen")


def test_screen_beside_a_serial_port_has_the_text_too(tmp_path):
    args = ["-serial", "chardev:console", *MONITOR, *VGA]
    with Machine(tmp_path, *args, cmdline="run=smp/* exit=halt") as machine:
        lines = machine.wait_for_text("Halted: the machine may be switched off")
        assert "Shootdown: 1 passed, 0 failed, 0 skipped" in lines
        assert "console   serial 0x3f8, screen 1280x800" in lines


def test_a_panic_is_on_the_screen(tmp_path):
    cmdline = "run=smp/* inject=fault exit=halt"
    with Machine(tmp_path, *MONITOR, *VGA, cmdline=cmdline) as machine:
        text = "\n".join(machine.wait_for_text("Halted: the machine may be switched off"))
        assert "PANIC on CPU 0 (APIC ID 0): #PF page fault, error code 2" in text
        assert "write_unmapped" in text


def test_neither_screen_nor_serial_port(tmp_path):
    with Machine(tmp_path, "-vga", "none") as machine:
        assert machine.wait() == PASSED


def test_the_image_of_a_stick_boots_by_usb_with_an_edited_command_line(tmp_path):
    subprocess.run(["make", "-s", "-C", str(ROOT), "usb"], check=True)
    image, config = tmp_path / "stick.img", tmp_path / "edited"
    shutil.copy(ROOT / "build/shootdown-usb.img", image)
    config.write_text("run=smp/*,self/* seed=5\r\n", encoding="ascii")
    in_image = f"{image}@@1M"
    subprocess.run(["mcopy", "-o", "-i", in_image, str(config), "::/shootdown.cfg"], check=True)
    with Machine(tmp_path, "-serial", "chardev:console", image=image) as machine:
        assert_whole_report_at(machine, "0x3f8")
        assert machine.report().one("run")["cmdline"] == "run=smp/*,self/* seed=5"


PROMPT = "-- any key for more, or wait 30 seconds --"


def test_pages_wait_for_a_key_on_a_bare_machine_with_a_screen_alone(tmp_path):
    args = [*MONITOR, "-device", "VGA,xres=640,yres=480"]
    options = {"cmdline": "run=self/*,smp/*,local/* budget=1", "cpu": "max,-hypervisor"}
    seen = []
    with Machine(tmp_path, *args, **options) as machine:
        page = machine.wait_for_text(PROMPT)
        assert page[-1] == PROMPT
        time.sleep(2)
        assert machine.screen() == page
        for _ in range(20):
            seen += page
            machine.monitor("sendkey spc")
            time.sleep(2)
            page = machine.screen()
            if PROMPT not in page:
                break
        seen += machine.wait_for_text("Halted: the machine may be switched off")
    assert any(line.startswith("Shootdown 0.") for line in seen)
    assert any(line.startswith("Shootdown: ") and " 0 failed" in line for line in seen)
    places = [line[1:6] for line in seen if line.startswith("[") and "/" in line[:6]]
    total = int(places[0].split("/")[1])
    assert {int(place.split("/")[0]) for place in places} == set(range(1, total + 1))
