# SPDX-License-Identifier: BSD-2-Clause
"""weak_wrmsr_fence(), what it is patched to, and the benchmarks and litmus tests around it."""

import re

import pytest
from conftest import run_sh

NONE = "66 0f 1f 44 00 00"
BOTH = "0f ae f0 0f ae e8"

VARIANTS = "none nop6 branch mfence lfence both sfence locked-add cpuid patched".split()
PLACEMENTS = "same-line other-line other-page remote-dirty".split()

QEMU = ("--lab", "--boot", "grub-bios", "--accel", "tcg")
BOCHS = ("--lab", "--emulator", "bochs", "--boot", "grub-bios", "--mem", "512M")


def qemu(vendor, cpus=2):
    return (*QEMU, "--cpu", f"max,vendor={vendor}", "--cpus", str(cpus))


def bochs(model, cpus=2):
    return (*BOCHS, "--cpu", model, "--cpus", str(cpus))


@pytest.mark.parametrize(
    "machine, cmdline, vendor, bytes_there",
    [
        (qemu("AuthenticAMD"), "", "AuthenticAMD", NONE),
        (qemu("HygonGenuine"), "", "HygonGenuine", NONE),
        (qemu("GenuineIntel"), "", "GenuineIntel", BOTH),
        (qemu("CentaurHauls"), "", "CentaurHauls", BOTH),
        (bochs("corei7_skylake_x"), "", "GenuineIntel", BOTH),
        (bochs("ryzen"), "", "AuthenticAMD", NONE),
        (qemu("GenuineIntel"), "fence=auto", "GenuineIntel", BOTH),
        (qemu("GenuineIntel"), "fence=none", "GenuineIntel", NONE),
        (qemu("GenuineIntel"), "fence=mfence", "GenuineIntel", "0f ae f0 0f 1f 00"),
        (qemu("GenuineIntel"), "fence=lfence", "GenuineIntel", "0f ae e8 0f 1f 00"),
        (qemu("GenuineIntel"), "fence=branch", "GenuineIntel", "e8 .. .. .. .. 90"),
        (qemu("AuthenticAMD"), "fence=both", "AuthenticAMD", BOTH),
        (bochs("ryzen"), "fence=both", "AuthenticAMD", BOTH),
    ],
)
def test_the_vendor_decides_what_is_patched_in_unless_fence_does(
    boot, lab, machine, cmdline, vendor, bytes_there
):
    run = boot(*machine, "--", f"{cmdline} run=order/alternatives")
    assert run.status == 0, run.console + run.messages
    assert run.report.one("cpu")["vendor"] == vendor
    check = run.report.one("check", name="order/alternatives")
    assert check["result"] == "pass"
    assert re.search(rf"places hold {bytes_there} \(fence=\w+, {vendor}\)", check["why"])


@pytest.mark.parametrize(
    "machine, inject, failing",
    [
        # Nothing is asked for in xAPIC mode, and by AMD, so that every row of order/ipi is judged.
        (("--boot", "grub-bios", "--accel", "tcg"), "early-ipi", {"order/ipi": 40}),
        (qemu("AuthenticAMD"), "early-ipi", {"order/ipi": 40}),
        # MFENCE; LFENCE, CPUID and what is patched in.
        (qemu("GenuineIntel"), "early-ipi", {"order/ipi": 12}),
        (bochs("corei7_skylake_x"), "early-ipi", {"order/ipi": 12, "order/deadline": 10}),
        (qemu("GenuineIntel"), "no-fence", {"order/alternatives": 1}),
        # There is nothing to be left out.
        (qemu("AuthenticAMD"), "no-fence", {}),
    ],
)
def test_an_injected_fault_fails_its_checks_and_no_other(boot, lab, machine, inject, failing):
    run = boot(*machine, "--", f"inject={inject} run=order/*,smp/*")
    assert run.status == (1 if failing else 0), run.console + run.messages
    run.report.assert_whole()
    failed = [check["name"] for check in run.report.all("check", result="fail")]
    assert {name: failed.count(name) for name in failed} == failing


MACHINES = {
    "2-x2apic": (*qemu("GenuineIntel", 2), "--", ""),
    "4-xapic": (*qemu("AuthenticAMD", 4), "--", "nox2apic"),
    "8-x2apic": (*qemu("AuthenticAMD", 8), "--", ""),
    "bochs-x2apic": (*bochs("corei7_skylake_x"), "--", ""),
    "bochs-xapic": (*bochs("corei7_skylake_x"), "--", "nox2apic"),
}


@pytest.fixture(scope="module", params=MACHINES)
def everything(request, tmp_path_factory, lab):
    """All that has to do with fences, on machines of different sizes and in both modes."""
    log = tmp_path_factory.mktemp("fences") / "console.log"
    run = run_sh(*MACHINES[request.param], "run=fence/*,timer/*,order/* budget=20", log=log)
    assert run.status == 0, run.console + run.messages
    run.report.assert_whole()
    assert run.report.one("cpus")["apic_mode"] == request.param.split("-")[1]
    return run


def has_deadlines(report):
    return "tsc_deadline_timer" in report.one("cpu")["features"]


def test_every_variant_has_its_records(everything):
    report = everything.report
    places = [("", 2), ("-stores", 1), ("-icr", 2)]
    places += [("-deadline", 2)] if has_deadlines(report) else []
    for variant in VARIANTS:
        assert report.bench(f"fence/{variant}", "throughput")
        for place, rows in places:
            assert len(report.all("bench", name=f"fence/{variant}{place}")) == rows


def test_what_can_be_told_apart_is_said(everything):
    text = everything.report.text
    assert "against fence/nop6, alone:" in text
    assert "against fence/nop6-icr, before ICR, stores=8 line=remote:" in text
    assert "not resolvable here:" in text or "differ, by ticks:" in text


def test_the_litmus_sees_nothing_overtaken(everything):
    """An emulator has no store buffer to see through."""
    report = everything.report
    rows = report.all("check", name="order/ipi") + report.all("retention", name="order/ipi")
    assert len(rows) == len(VARIANTS) * len(PLACEMENTS)
    assert {(r["params"]["fence"], r["params"]["placement"]) for r in rows} == {
        (v, p) for v in VARIANTS for p in PLACEMENTS
    }
    counted = {r["params"]["fence"] for r in report.all("retention", name="order/ipi")}
    weak = report.one("cpu")["vendor"] == "GenuineIntel"
    weak &= report.one("cpus")["apic_mode"] == "x2apic"
    assert counted == (set(VARIANTS) - {"both", "cpuid", "patched"} if weak else set())
    assert all(r["kept"] == 0 and r["of"] > 0 for r in report.all("retention"))
    for check in report.all("check", name="order/ipi"):
        assert check["result"] == "pass"
        assert check["control"] == "control saw 5 of 5 with the store after the IPI"


def test_deadlines_are_told_or_skipped_with_the_bit(everything):
    report = everything.report
    assert report.bench("timer/one-shot-arm")["n"] > 0
    assert report.bench("timer/one-shot-late")["baseline"] == 0
    if not has_deadlines(report):
        for name in ("timer/deadline-arm", "timer/deadline-late", "fence/both-deadline"):
            why = report.one("skip", name=name)["why"]
            assert why == "CPUID.1:ECX[24] TSC-Deadline = 0"
        return
    late = report.all("bench", name="timer/deadline-late")
    assert [row["params"]["fence"] for row in late] == VARIANTS
    checks = report.all("check", name="order/deadline")
    counted = report.all("retention", name="order/deadline")
    asked_for = {"mfence", "both", "cpuid", "patched"}
    if report.one("cpus")["apic_mode"] == "x2apic":
        asked_for = set(VARIANTS)  # of the CPU itself
    assert {row["params"]["fence"] for row in checks} == asked_for
    assert {row["params"]["fence"] for row in counted} == set(VARIANTS) - asked_for
    assert all(row["result"] == "pass" for row in checks)
