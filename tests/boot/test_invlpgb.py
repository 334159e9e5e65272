# SPDX-License-Identifier: BSD-2-Clause
"""INVLPGB and TLBSYNC by the model, on emulators that have neither, and the faults put in there."""

import re

import pytest
from conftest import run_sh

FEATURE = "CPUID 8000_0008:EBX[3] INVLPGB = 0"
CHECKS = "run=stale/*,fault/*,shootdown/*,stress/*,broadcast/*"
LAB = ("--lab", "--boot", "grub-bios")
BOCHS = ("--lab", "--emulator", "bochs", "--boot", "grub-bios", "--mem", "512M", "--cpus", "4")
ICOUNT = ("--accel", "tcg", "--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=off")
# So that ASIDs are given, run out and come again.
TIGHT = "gasids=8 gasid_cpus=1 gasid_sample=4"

MACHINES = {
    "lab-4-cpus": ((*LAB, "--cpus", "4"), ""),
    "lab-16-cpus": ((*LAB, "--cpus", "16"), ""),
    "lab-pti": ((*LAB, "--cpus", "4"), f"{TIGHT} pti"),
    "lab-1-cpu": ((*LAB, "--cpus", "1"), TIGHT),
    "bochs-skylake": ((*BOCHS, "--cpu", "corei7_skylake_x"), ""),
    "bochs-skylake-pti": ((*BOCHS, "--cpu", "corei7_skylake_x"), f"{TIGHT} pti"),
    "bochs-ryzen": ((*BOCHS, "--cpu", "ryzen"), TIGHT),
}


def broadcasts(record):
    return str(record.get("params", {}).get("policy", "")).startswith("broadcast")


def assert_no_modelled_time(report):
    """Counts and verdicts, but nothing that was timed; and what must be modelled says so."""
    modelled = report.all_with("modelled", True)
    assert {r["type"] for r in modelled} == {"check", "retention", "rate"}
    for rate in (r for r in modelled if r["type"] == "rate"):
        assert rate["value"] is None and rate["ci"] is None
        # By `broadcast` a space that few CPUs run has no global ASID, and may stay without.
        assert rate["invlpgbs"] > 0 or rate["params"]["policy"] == "broadcast"
    assert not [b for b in report.all("bench") if broadcasts(b) or b["name"].startswith("broadcast/")]
    for rate in filter(broadcasts, report.all("rate")):
        assert rate.get("modelled") or rate["params"]["policy"] == "broadcast"
    for name in ("stale/invlpgb", "stale/invlpgb-range", "shootdown/counts", "stress/shootdown"):
        for check in report.all("check", name=name):
            always = name.startswith("stale/") or check["params"].get("policy") == "broadcast-always"
            assert not always or check["result"] == "skip" or check["modelled"], check


def assert_all_skipped(report, why):
    skips = report.all("skip")
    names = {s["name"] for s in skips if s["name"].startswith("broadcast/")}
    assert {"broadcast/issue", "broadcast/tlbsync", "broadcast/flush"} <= names
    for skip in skips:
        assert not skip["name"].startswith("broadcast/") or why in skip["why"], skip


@pytest.mark.parametrize("machine", MACHINES)
def test_all_checks_pass_with_the_model(machine, tmp_path, lab):
    options, words = MACHINES[machine]
    run = run_sh(*options, "--", f"invlpgb=model {CHECKS} {words}", log=tmp_path / "console.log")
    assert run.status == 0, run.console + run.messages
    report = run.report
    report.assert_whole()
    assert report.one("cpu")["modelled"] == ["invlpgb"]
    assert "invlpgb" not in report.one("cpu")["features"]
    assert "invlpgb=model: software carries out INVLPGB" in run.console
    assert_no_modelled_time(report)
    assert_all_skipped(report, FEATURE)
    passed = {c["name"] for c in report.all("check", result="pass")}
    assert {
        *("stale/invlpgb", "stale/invlpgb-range", "stale/gasid", "fault/invlpgb-count"),
        *("fault/invlpgb-reserved", "fault/invlpgb-asid", "fault/invlpgb-nested"),
        *("fault/invlpgb-cpl3", "fault/tlbsync-cpl3"),
    } <= passed
    if report.one("cpus")["online"] > 1:
        assert {"stale/tlbsync", "shootdown/counts", "shootdown/transition"} <= passed
        policies = [c["params"]["policy"] for c in report.all("check", name="stress/shootdown")]
        assert {"broadcast", "broadcast-always", "changing"} <= set(policies)
    foreign = report.all("retention", name="stale/tlbsync")
    assert all(r["params"]["tlbsync"] == "other" and r["kept"] > 0 for r in foreign)


def test_without_the_model_nothing_but_skips(tmp_path, lab):
    run = run_sh(*LAB, "--cpus", "4", "--", CHECKS, log=tmp_path / "console.log")
    assert run.status == 0, run.console + run.messages
    report = run.report
    report.assert_whole()
    assert report.one("cpu")["modelled"] == [] and not report.all_with("modelled", True)
    assert_all_skipped(report, FEATURE)
    needy = [c for c in report.all("check") if re.search("invlpgb|tlbsync|gasid", c["name"])]
    assert {c["result"] for c in needy if c["name"].endswith("-absent")} == {"pass"}
    for check in (c for c in needy if not c["name"].endswith("-absent")):
        assert (check["result"], check["why"]) == ("skip", FEATURE), check
    assert not [r for r in report.records if broadcasts(r)]


# What fails with each fault put in, and nothing else of what is run.
FAILS = {
    "skip-tlbsync": (
        "stale/*invlpgb*,stale/tlbsync,shootdown/counts,shootdown/transition,stress/* budget=3000",
        {
            *("stale/invlpgb", "stale/invlpgb-range", "stale/tlbsync", "shootdown/counts"),
            *("shootdown/transition", "stress/shootdown"),
        },
    ),
    "no-finish": ("stale/invlpgb*,shootdown/counts,shootdown/transition", {"shootdown/transition"}),
    "zero-count-max": (
        "fault/*invlpgb*,stale/invlpgb*,shootdown/counts,shootdown/tlb-flush",
        {"fault/invlpgb-count", "shootdown/counts"},
    ),
    "off-by-one": ("stale/invlpgb*,shootdown/counts,fault/*invlpgb*", {"stale/invlpgb-range"}),
    "stale-rollover": ("stale/*gasid,stale/invlpgb*,shootdown/counts", {"stale/gasid"}),
    "no-fault": (
        "fault/*invlpgb*,fault/tlbsync*",
        {f"fault/invlpgb-{name}" for name in ("count", "reserved", "asid", "nested", "cpl3")}
        | {"fault/tlbsync-cpl3"},
    ),
}


@pytest.mark.parametrize("inject", FAILS)
def test_a_fault_fails_its_checks_and_no_other(inject, tmp_path, lab):
    names, fails = FAILS[inject]
    run = run_sh(
        *(*LAB, "--cpus", "4", "--", f"invlpgb=model inject={inject} run={names}"),
        log=tmp_path / "console.log",
    )
    run.report.assert_whole()
    assert {c["name"] for c in run.report.all("check", result="fail")} == fails
    assert run.status == 1


# What drops too much shows in the row that keeps an entry otherwise.
KEPT = {"no-va-valid": "other-page", "no-asid-valid": "guest"}


def test_what_drops_too_much_shows_in_what_is_kept(tmp_path, lab):
    def kept(words):
        run = run_sh(
            *(*LAB, "--cpus", "4", "--", f"invlpgb=model run=stale/invlpgb {words}"),
            log=tmp_path / "console.log",
        )
        assert run.status == 0, run.console + run.messages
        return {
            r["params"]["entry"]: (r["kept"], r["of"])
            for r in run.report.all("retention")
            if (r["params"]["valid"], r["params"]["global"], r["params"]["final"])
            == ("va+pcid+asid", 0, 0)
        }

    right = kept("")
    for entry in KEPT.values():
        assert right[entry][0] == right[entry][1] > 0
    for inject, entry in KEPT.items():
        wrong = kept(f"inject={inject}")
        assert wrong.pop(entry)[0] == 0
        # Both faults show in one row each.
        other = next(e for e in KEPT.values() if e != entry)
        assert wrong[other] == right[other]


def test_a_broadcast_takes_as_many_instructions_with_any_number_of_cpus(tmp_path, lab):
    def count(cpus):
        run = run_sh(
            *(*LAB, "--cpus", str(cpus), *ICOUNT),
            *("--", "invlpgb=model run=shootdown/instructions"),
            log=tmp_path / "console.log",
        )
        assert run.status == 0, run.console + run.messages
        check = run.report.one("check", name="shootdown/instructions", result="pass")
        ipi, broadcast = re.match(
            r"ipi (\d+, \d+, \d+); broadcast-always (\d+, \d+, \d+) instructions", check["why"]
        ).groups()
        return [[int(n) for n in numbers.split(", ")] for numbers in (ipi, broadcast)]

    (few_ipi, few), (many_ipi, many) = count(4), count(16)
    assert len({*few, *many}) == 1
    assert few_ipi[:2] == many_ipi[:2] and few_ipi[2] < many_ipi[2]
    assert many[2] * 4 < many_ipi[2]


@pytest.mark.parametrize(
    "words, says",
    [
        ("invlpgb=model noinvlpgb", "invlpgb=model is ignored: noinvlpgb"),
        (
            "policy=broadcast",
            "policy=broadcast needs CPUID 8000_0008:EBX[3] INVLPGB, which is not there: "
            "it is policy=ipi",
        ),
    ],
)
def test_what_can_not_be_is_told(words, says, boot):
    run = boot("--boot", "grub-bios", "--", f"{words} run=shootdown/counts")
    assert run.status == 0, run.console + run.messages
    assert says in run.console
    assert not run.report.all_with("modelled", True)
