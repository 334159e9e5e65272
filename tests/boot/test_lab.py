# SPDX-License-Identifier: BSD-2-Clause
"""The emulators of the lab. Makes the lab where it may: as root on a machine with apt."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT


@pytest.fixture(scope="module", autouse=True)
def lab():
    setup = str(ROOT / "tools/lab/setup.sh")
    if subprocess.run([setup, "--check"], check=False).returncode == 0:
        return
    if os.geteuid() != 0:
        pytest.skip("no lab, and making it takes root: sudo make lab")
    if not shutil.which("apt-get"):
        pytest.skip("no lab, and it is made from Debian's packages, which this system has not got")
    made = subprocess.run([setup], capture_output=True, encoding="utf-8", check=False)
    if made.returncode != 0:
        pytest.skip(f"no lab, and it could not be made: {made.stderr}")


def test_lab_qemu_has_x2apic(boot):
    run = boot("--lab", "--accel", "tcg", "--", "run=smp/*")
    assert run.status == 0, run.console + run.messages
    assert run.report.one("cpus")["apic_mode"] == "x2apic"


def test_bochs_has_pcid_and_invpcid_and_ends_by_itself(boot):
    run = boot("--lab", "--emulator", "bochs", "--", "run=smp/*,local/*,fault/*,stale/*")
    # Bochs 3.1 looks at the low half of INVPCID's type only; everything else is right.
    failed = {check["name"] for check in run.report.all("check", result="fail")}
    assert failed <= {"fault/invpcid-type-high"}, run.console + run.messages
    assert run.status == (1 if failed else 0)
    assert {"pcid", "invpcid", "x2apic"} <= set(run.report.one("cpu")["features"])
    assert run.report.one("cpus")["online"] == 2
    for kind in ("addr", "context", "all", "all-nonglobal"):
        assert run.report.bench(f"local/invpcid-{kind}")
    skipped = run.report.all("skip") + run.report.all("check", result="skip")
    assert not [s["name"] for s in skipped if "PCID" in s["why"]]
    assert run.report.lines[-2:] == ["Halted: the machine may be switched off.", ""]


def test_bochs_by_grub_from_bios(boot):
    run = boot("--lab", "--emulator", "bochs", "--boot", "grub-bios", "--", "run=smp/*")
    assert run.status == 0, run.console + run.messages
    assert run.report.one("run")["boot"] == "multiboot2-bios"


def test_bochs_is_stopped_in_time_and_quoted(boot):
    run = boot("--lab", "--emulator", "bochs", "--timeout", "3")
    assert run.status == 3
    assert "stopped after 3 s (--timeout)" in run.messages
    assert "Bochs says: " in run.messages
