# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's command line, good and bad, and faults put in on purpose."""

import re

import pytest


def test_cpus_uses_some_of_those_there(boot):
    run = boot("--cpus", "4", "--", "cpus=2", "run=smp/*,ipi/*")
    assert run.status == 0, run.console + run.messages
    cpus = run.report.one("cpus")
    assert (cpus["described"], cpus["expected"], cpus["online"]) == (4, 2, 2)
    run.report.assert_whole()
    assert run.report.one("run")["cmdline"] == "cpus=2 run=smp/*,ipi/*"


def test_counting_is_exact_where_every_instruction_takes_a_tick(boot):
    run = boot(
        *("--accel", "tcg", "--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=off"),
        *("--", "run=self/*"),
    )
    assert run.status == 0, run.console + run.messages
    empty = run.report.bench("self/empty")
    assert empty["net"] == 0
    assert empty["p5"] == empty["p95"]
    for count in (1, 10, 100, 1000):
        assert run.report.bench(f"self/nop-{count}")["net"] == count
        if count < 100:
            assert run.report.bench(f"self/nop-{count}", "throughput")["net"] == count


def test_features_can_be_turned_off(boot):
    run = boot("--", "nopge nopcid noinvpcid noinvlpgb nox2apic run=local/*,smp/*")
    assert run.status == 0, run.console + run.messages
    report = run.report
    cpu = report.one("cpu")
    assert "pge" in cpu["disabled"]
    assert not {"pge", "pcid", "invpcid", "x2apic"} & set(cpu["features"])
    assert report.one("cpus")["apic_mode"] == "xapic"
    assert (
        report.one("skip", name="local/cr4-pge-toggle")["why"]
        == "CPUID.1:EDX[13] PGE = 1, but turned off by nopge"
    )
    assert "nopge: PGE is not used" in report.lines
    # Silent about what the CPU has not got anyway.
    assert not [line for line in report.lines if line.startswith("noinvlpgb")]


def test_what_is_modelled_is_not_timed(boot):
    run = boot("--", "invlpgb=model run=broadcast/*")
    assert run.status == 0, run.console + run.messages
    benches = run.report.all("skip")
    assert {"broadcast/issue", "broadcast/tlbsync"} <= {skip["name"] for skip in benches}
    for skip in benches:
        assert skip["why"] == "CPUID 8000_0008:EBX[3] INVLPGB = 0; modelled, so there is no time"
        assert skip["params"] == {}


@pytest.mark.parametrize(
    "inject, says",
    [
        ("panic", "PANIC on CPU 0 (APIC ID 0): asked for by inject=panic"),
        ("fault", "PANIC on CPU 0 (APIC ID 0): #PF page fault, error code 2"),
        ("overflow", "PANIC on CPU 0 (APIC ID 0): #DF double fault"),
    ],
)
def test_a_dying_kernel_says_why_and_where(boot, inject, says):
    run = boot("--", f"inject={inject}")
    assert run.status == 3
    assert says in run.console
    assert "backtrace\n" in run.console
    assert ("recurse+0x" if inject == "overflow" else "inject_early+0x") in run.console
    assert "cr2 " in run.console
    if inject == "fault":
        assert "write of 0000000000005000, not mapped" in run.console
        assert "rax " in run.console
        assert "write_unmapped" in run.console
    assert not run.report.all("end")


# What fails under QEMU's TCG, which has neither INVPCID nor PCIDs. test_matrix.py has the others.
FAILING = {
    "fail": {"smp/all-cpus-answer"},
    "wx": {"fault/w-xor-x"},
    "no-guard": {"fault/stack-guards"},
    "no-fault": {
        "fault/cr0-cpl3",
        "fault/cr3-cpl3",
        "fault/cr4-cpl3",
        "fault/cr4-la57",
        "fault/cr4-pcide-absent",
        "fault/invlpg-cpl3",
        "fault/invlpg-lock",
        "fault/invlpgb-absent",
        "fault/invpcid-absent",
        "fault/load-noncanonical",
        "fault/tlbsync-absent",
    },
    "extra-fault": {"fault/invlpg-noncanonical"},
    "skip-local": {
        "stale/cr3-reload",
        "stale/cr4-pge",
        "stale/flush-all",
        "stale/invlpg",
        "stale/invlpg-whole-page",
    },
    "no-global": {
        "stale/cr4-pge",
        "stale/flush-all",
        "stale/invlpg",
        "stale/invlpg-whole-page",
    },
    "stale-psc": {
        "stale/cr3-reload",
        "stale/cr4-pge",
        "stale/flush-all",
        "stale/invlpg",
        "stale/invlpg-other-address",
    },
}
# And in which rows alone.
ROWS = {"no-global": ("global", 1), "stale-psc": ("cache", "psc")}


@pytest.mark.parametrize("inject", FAILING)
def test_an_injected_fault_fails_its_checks_and_no_other(boot, inject):
    run = boot("--boot", "grub-bios", "--", f"inject={inject}", "run=smp/*,stale/*,fault/*")
    run.report.assert_whole()
    failed = run.report.all("check", result="fail")
    # Some of them fail there as an erratum has it, with or without the fault put in.
    expected = {c["name"] for c in run.report.all("check", result="xfail")} & FAILING[inject]
    assert {c["name"] for c in failed} | expected == FAILING[inject]
    if inject in ROWS:
        key, value = ROWS[inject]
        assert {c["params"][key] for c in failed} == {value}
    assert run.status == 1
    assert "FAILED" in run.report.lines


IPI_COUNTED = {
    *("ipi/all-at-once", "ipi/mesh", "ipi/rtt", "ipi/nmi"),
    *("ipi/broadcast-cluster", "ipi/broadcast-loop", "ipi/broadcast-shorthand"),
    *("ipi/self-icr", "ipi/self-msr", "ipi/self-shorthand"),
    *("ipi/unicast-logical", "ipi/unicast-oneway", "ipi/unicast-rtt"),
}


@pytest.mark.parametrize(
    "inject, failing, why",
    [
        ("lose-ipi", IPI_COUNTED, lambda sent, received: received < sent),
        ("dup-ipi", IPI_COUNTED, lambda sent, received: received == sent + 1),
        ("tsc-drift", {"ipi/tsc-offset"}, None),
    ],
)
def test_a_wrong_number_of_ipis_is_noticed_wherever_they_are_counted(
    boot, lab, inject, failing, why
):
    cmdline = f"inject={inject} run=ipi/*,smp/*,self/empty samples=32"
    run = boot("--lab", "--boot", "grub-bios", "--accel", "tcg", "--cpus", "4", "--", cmdline)
    run.report.assert_whole()
    assert run.status == 1
    failed = run.report.all("check", result="fail")
    assert {c["name"] for c in failed} == failing
    assert not {b["name"] for b in run.report.all("bench")} & failing
    for check in failed if why else []:
        sent, received = re.fullmatch(r"(\d+) IPIs sent, (\d+) received", check["why"]).groups()
        assert why(int(sent), int(received)), check


@pytest.mark.parametrize("words", ["", "invlpgb=model"])  # each has its handler of NMIs
@pytest.mark.parametrize("inject, result", [("", "pass"), ("inject=lose-wake", "fail")])
def test_an_nmi_before_a_nap_loses_no_wake_up(boot, lab, words, inject, result):
    cmdline = f"{words} {inject} run=ipi/nmi-before-nap"
    run = boot("--lab", "--boot", "grub-bios", "--accel", "tcg", "--", cmdline)
    run.report.assert_whole()
    naps = run.report.all("check", name="ipi/nmi-before-nap")
    assert {n["params"]["wait"]: n["result"] for n in naps} == {"hlt": result, "mwait": result}


def test_a_dead_ap_is_named_and_the_rest_runs(boot):
    run = boot("--cpus", "4", "--", "inject=dead-ap run=smp/*,fault/*,self/empty,ipi/*")
    report = run.report
    report.assert_whole()
    cpus = report.one("cpus")
    assert (cpus["described"], cpus["expected"], cpus["online"]) == (4, 4, 3)
    assert cpus["failed"] == [{"apic": 3, "why": "no answer to INIT and two SIPIs"}]
    assert "warning   CPU with APIC ID 3 is not used: no answer to INIT and two SIPIs" in (
        report.lines
    )
    failed = report.all("check", result="fail")
    assert [c["name"] for c in failed] == ["smp/all-cpus-answer"]
    assert failed[0]["why"] == "3 of 4 answered; the CPU with APIC ID 3 did not"
    assert report.one("check", name="fault/stack-guards")["result"] == "pass"
    assert {r["name"] for r in report.all("bench")} >= {"self/empty", "ipi/unicast-rtt"}
    assert run.status == 1


@pytest.mark.parametrize("inject", ["wx", "no-guard"])
def test_an_injected_mapping_is_named_by_its_address(boot, inject):
    run = boot("--cpus", "2", "--", f"inject={inject} run=fault/w-xor-x,fault/stack-guards")
    (failed,) = run.report.all("check", result="fail")
    expected = {
        "wx": r"1 mappings are writable and executable, first fffff[0-9a-f]{11} \(4 KiB\)",
        "no-guard": r"main stack at ffffd[0-9a-f]{11} of the CPU with APIC ID 1: "
        r"the page below it is mapped",
    }
    assert re.fullmatch(expected[inject], failed["why"])


def test_without_nx_nothing_can_be_said_of_w_xor_x(boot):
    run = boot("--cpu", "qemu64,-nx", "--", "run=smp/*,fault/*")
    assert run.status == 0, run.console + run.messages
    assert "nx" not in run.report.one("cpu")["features"]
    check = run.report.one("check", name="fault/w-xor-x")
    assert check["result"] == "skip"
    assert check["why"] == "CPUID 8000_0001:EDX[20] NX = 0"
    assert run.report.one("check", name="fault/stack-guards")["result"] == "pass"


def test_unknown_words_are_named_and_left_out(boot):
    run = boot("--", "runn=self/* cpus=many suite=quik budget= nopge=1 run=slf/*,smp/* seed=7")
    assert run.status == 0, run.console + run.messages
    complaints = [line for line in run.report.lines if line.startswith("command line: ")]
    assert complaints == [
        "command line: ignored: unknown word 'runn=self/*'; nearest: run",
        "command line: ignored: bad value in 'cpus=many'; valid: 1 to 4294967295",
        "command line: ignored: bad value in 'suite=quik'; nearest: quick",
        "command line: ignored: 'budget=' needs a value",
        "command line: ignored: 'nopge=1' takes no value; valid: nopge",
        "command line: ignored: run=slf/* selects nothing; nearest: self/nop-1",
    ]
    assert {c["name"] for c in run.report.all("check")} == {"smp/all-cpus-answer"}


def test_garbage_in_the_file_loses_nothing_else(boot, tmp_path):
    config = tmp_path / "garbage.cfg"
    garbage = bytes((i * 97 + 13) % 256 for i in range(3000))
    config.write_bytes(garbage + b"\r\n run=smp/*\r\n")
    run = boot(env={"SHOOTDOWN_CFG": str(config)})
    assert run.status == 0, run.console + run.messages
    run.report.assert_whole()
    assert "ignored: unknown word" in run.console
    assert {c["name"] for c in run.report.all("check")} == {"smp/all-cpus-answer"}


def test_a_file_saved_as_utf16_is_read(boot, tmp_path):
    config = tmp_path / "utf16.cfg"
    config.write_bytes("run=smp/*\r\n".encode("utf-16"))
    run = boot(env={"SHOOTDOWN_CFG": str(config)})
    assert run.status == 0, run.console + run.messages
    assert run.report.one("run")["cmdline"] == "run=smp/*"


def test_a_very_long_command_line_loses_nothing(boot, tmp_path):
    config = tmp_path / "long.cfg"
    config.write_text("nonsense=12345 " * 680 + "run=smp/*")
    assert config.stat().st_size > 10000
    run = boot(env={"SHOOTDOWN_CFG": str(config)})
    assert run.status == 0, run.console + run.messages
    report = run.report
    report.assert_whole()
    assert "command line: ignored: 648 more words that are not understood" in report.lines
    assert {c["name"] for c in report.all("check")} == {"smp/all-cpus-answer"}
    assert report.one("run")["cmdline"].endswith("...")


def test_records_alone(boot):
    run = boot("--", "format=records run=smp/*")
    assert run.status == 0, run.console + run.messages
    assert run.report.all("end")
    assert not [line for line in run.report.lines if line.startswith("[")]


def test_text_alone_can_not_be_verified_and_says_so(boot):
    run = boot("--", "format=text run=smp/*")
    assert run.status == 3
    assert "format=text left out the records" in run.messages
    assert "Shootdown: 1 passed, 0 failed, 0 skipped" in run.report.lines
    assert not run.report.records


def test_runs_in_64_mib(boot):
    run = boot("--mem", "64M", "--cpus", "4")
    assert run.status == 0, run.console + run.messages
    assert run.report.one("machine")["memory_mib"] <= 64
    run.report.assert_whole()
