# SPDX-License-Identifier: BSD-2-Clause
"""run.sh: options, exit statuses, and the way from KVM back to TCG."""

import os
import subprocess

import pytest
from conftest import ROOT


@pytest.mark.parametrize(
    "args, says",
    [
        (["--cpus"], "--cpus needs a value"),
        (["--cpus", "none"], "--cpus none: not a number of CPUs"),
        (["--mem", "lots"], "--mem lots: not a size"),
        (["--accel", "hvf"], "not one of: auto kvm tcg"),
        (["--emulator", "vmware"], "not one of: qemu bochs"),
        (["--boot", "pxe"], "not one of: efi grub-efi grub-bios"),
        (["--emulator", "bochs", "--accel", "kvm"], "--accel kvm: only QEMU has it"),
        (["--emulator", "bochs", "--qemu", "q"], "--qemu q: the emulator is to be Bochs"),
        (["--emulator", "bochs", "--qemu-arg", "-S"], "--qemu-arg -S: the emulator is to be Bochs"),
        (["--lab", "--qemu", "q"], "--qemu q: --lab has its own"),
        (["--firmware", "/nowhere"], "can't be read"),
        (["--html"], "--html needs a value"),
        (["--html", "/nowhere/x.html"], "can't write the page to /nowhere/x.html"),
        (["--html", "/"], "can't write the page to /"),
        (["--frobnicate"], "unknown option '--frobnicate'"),
        (["stray"], "unknown option 'stray'"),
    ],
)
def test_bad_options_are_named_and_nothing_boots(args, says):
    done = subprocess.run(
        [str(ROOT / "run.sh"), *args], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert not done.stdout


def test_help_is_help():
    done = subprocess.run(
        [str(ROOT / "run.sh"), "--help"], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("usage: ./run.sh")


def test_html_writes_a_page_after_the_run(boot, tmp_path):
    page = tmp_path / "a, b.html"
    run = boot("--accel", "tcg", "--html", str(page), "--", "run=smp/*")
    assert run.status == 0, run.console + run.messages
    assert f"run.sh: the page is {page}" in run.messages
    text = page.read_text()
    assert "No check failed" in text and "console.log" in text and text.endswith("</html>\n")


def test_html_leaves_the_exit_status_that_of_the_run(boot, tmp_path):
    page = tmp_path / "page.html"
    run = boot("--qemu-arg", "-no-such-option", "--html", str(page))
    assert run.status == 3
    assert "damaged or incomplete" in page.read_text()


def test_a_page_that_can_not_be_written_is_told(boot, tmp_path):
    """Here as its place is gone by the time that the run is over."""
    place = tmp_path / "place"
    place.mkdir()
    emulator = tmp_path / "qemu"
    emulator.write_text(f"#!/bin/sh\nrmdir '{place}'\n")
    emulator.chmod(0o755)
    run = boot("--qemu", str(emulator), "--html", str(place / "page.html"))
    assert run.status == 3
    assert "run.sh: the page could not be written" in run.messages
    assert "No such file or directory" in run.messages


def test_missing_emulator_is_a_set_up_error(boot):
    run = boot("--qemu", "/nowhere/qemu")
    assert run.status == 2
    assert "no QEMU at '/nowhere/qemu'" in run.messages


def test_a_guest_that_never_ends_is_stopped(boot, tmp_path):
    emulator = tmp_path / "qemu"
    emulator.write_text("#!/bin/sh\nexec sleep 600\n")
    emulator.chmod(0o755)
    run = boot("--qemu", str(emulator), "--timeout", "2")
    assert run.status == 3
    assert "stopped after 2 s (--timeout)" in run.messages
    assert "the guest printed nothing" in run.messages


def path_with(tmp_path, name, text):
    program = tmp_path / name
    program.write_text(text)
    program.chmod(0o755)
    return {"PATH": f"{tmp_path}:{os.environ['PATH']}"}


def test_a_bochs_that_is_too_old_is_refused(boot, tmp_path):
    env = path_with(tmp_path, "bochs", "#!/bin/sh\necho 'Bochs x86 Emulator 2.7'\n")
    run = boot("--emulator", "bochs", env=env)
    assert run.status == 2
    assert "Bochs 2.7 is too old: 3.1 or later is needed" in run.messages


def test_a_bochs_that_fails_is_quoted(boot, tmp_path):
    firmware = tmp_path / "OVMF.fd"
    firmware.write_bytes(bytes(4096))
    env = path_with(
        tmp_path,
        "bochs",
        "#!/bin/sh\n"
        "echo 'Bochs x86 Emulator 3.1'\n"
        "echo 'Bochs is exiting with the following message:'\n"
        "echo '[HD    ] all is lost'\n",
    )
    run = boot("--emulator", "bochs", "--firmware", str(firmware), env=env)
    assert run.status == 3
    assert "run.sh: Bochs says: [HD    ] all is lost" in run.messages
    assert "the guest printed nothing" in run.messages


def test_a_machine_that_halts_is_ended(boot):
    run = boot("--accel", "tcg", "--timeout", "60", "--", "run=smp/* exit=halt")
    assert run.status == 0, run.console + run.messages
    assert "Halted: the machine may be switched off." in run.report.lines
    assert "stopped after" not in run.messages


@pytest.mark.parametrize("path", ["grub-efi", "grub-bios"])
def test_grub_hands_over_the_command_line(boot, path):
    run = boot("--accel", "tcg", "--boot", path, "--", "run=smp/* seed=7")
    assert run.status == 0, run.console + run.messages
    assert run.report.one("run")["boot"] == {
        "grub-efi": "multiboot2-efi",
        "grub-bios": "multiboot2-bios",
    }[path]
    assert run.report.one("run")["cmdline"] == "run=smp/* seed=7"


def test_an_emulator_that_fails_is_quoted(boot):
    run = boot("--qemu-arg", "-no-such-option")
    assert run.status == 3
    assert "QEMU says: " in run.messages
    assert "-no-such-option" in run.messages


def test_a_log_that_can_not_be_written_is_told_before_anything_boots():
    done = subprocess.run(
        [str(ROOT / "run.sh"), "--log", "/proc/nowhere/x.log"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert "can't write the log to /proc/nowhere/x.log" in done.stderr


def test_paths_may_be_relative_and_have_commas_and_blanks(tmp_path):
    place = tmp_path / "a, b"
    place.mkdir()
    firmware = subprocess.run(
        [str(ROOT / "tools/setup.sh"), "--print-firmware"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.strip()
    for name in {firmware, firmware.replace("CODE", "VARS")}:
        (place / name.split("/")[-1]).write_bytes(open(name, "rb").read())
    done = subprocess.run(
        [
            *(str(ROOT / "run.sh"), "--firmware", firmware.split("/")[-1]),
            *("--log", "my log", "--accel", "tcg", "--", "run=smp/*"),
        ],
        cwd=place,
        env={**os.environ, "TMPDIR": str(place)},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "@SD1" in (place / "my log").read_text(errors="replace")


@pytest.fixture
def machine_with_kvm(tmp_path):
    """A QEMU whose KVM guests say nothing, and a machine on which run.sh believes in KVM."""
    emulator = tmp_path / "qemu"
    emulator.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" -accel kvm "*) exec sleep 600 ;; esac\n'
        'exec qemu-system-x86_64 "$@"\n'
    )
    emulator.chmod(0o755)
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags : fpu vmx sse\n")
    kvm = tmp_path / "kvm"
    kvm.touch()
    env = {
        "SHOOTDOWN_CPUINFO": str(cpuinfo),
        "SHOOTDOWN_KVM": str(kvm),
        "SHOOTDOWN_SILENCE_S": "2",
    }
    return emulator, env


def test_silent_kvm_falls_back_to_tcg(boot, machine_with_kvm):
    emulator, env = machine_with_kvm
    run = boot("--qemu", str(emulator), "--", "run=smp/*", env=env)
    assert run.status == 0, run.console + run.messages
    assert run.messages.count("the guest stayed silent under KVM") == 1
    run.report.assert_whole()


def test_kvm_is_not_tried_where_the_cpu_can_run_no_guests(boot, machine_with_kvm):
    emulator, env = machine_with_kvm
    (emulator.parent / "cpuinfo").write_text("flags : fpu sse notvmx\n")
    run = boot("--qemu", str(emulator), "--", "run=smp/*", env=env)
    assert run.status == 0, run.console + run.messages
    assert "KVM" not in run.messages
