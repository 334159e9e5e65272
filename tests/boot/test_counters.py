# SPDX-License-Identifier: BSD-2-Clause
"""
Core cycles and page walks by performance counters. No emulator has any; tests/host/test_pmu.c has a
model of them. Here: the code that reads them, what a machine that lies about them gets told, and the
whole way of the figures, with the TSC in the place of a counter.
"""

import shutil
import subprocess

import pytest
from conftest import ROOT, run_sh
from disassembly import Kernel
from test_exact import ICOUNT

BOCHS = ("--lab", "--emulator", "bochs", "--cpu", "corei7_skylake_x", "--mem", "512M", "--cpus", "1")


@pytest.fixture(scope="module")
def kernel():
    return Kernel(str(ROOT / "build/shootdown.elf"))


def words(section):
    """The instructions, but for the padding that a compiler puts before loops."""
    padding = ("nop", "nopw", "nopl", "cs", "data16", "xchg")
    names = [text.split()[0] for _, text in section]
    return [name for name in names if name not in padding or name == "nop"]


def test_a_counted_section_is_the_timed_one_and_one_move(kernel):
    """The move takes RDPMC's operand to ECX; the empty section has it too."""
    seen = 0
    for name in kernel.benches:
        try:
            timed = kernel.sections(name)[0]
        except AssertionError:
            continue  # calls one of two samplers
        more = len(words(kernel.counted_section(name))) - len(words(timed))
        # CPUID overwrites ECX and more, and a function what it likes: operands may have to be
        # moved out of the way.
        moves = name.startswith("fence/cpuid") or "call" in words(timed)
        assert more == 1 or (moves and more <= 3), name
        seen += 1
    assert seen > 20


def test_counters_that_are_only_claimed_are_refused_with_the_reason(tmp_path, lab):
    """Bochs' CPUID has counters and its MSRs take any write; RDPMC faults, or reads 0."""
    report = run_sh(*BOCHS, "--", "run=self/empty samples=64", log=tmp_path / "console.log").report
    clock = report.one("clock")
    assert clock["core_counter"] is None
    assert clock["core_counter_why"] == "IA32_FIXED_CTR1: RDPMC faults"
    assert clock["walk_counter"] is None
    assert clock["walk_counter_why"] == (
        "DTLB_LOAD_MISSES.WALK_ACTIVE: does not advance (0 in 64 flushes of the whole TLB)"
    )
    assert report.bench("self/empty")["core"] is None


def replace(path, old, new):
    text = path.read_text()
    assert old in text, path
    path.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def substituted(tmp_path_factory, lab):
    """
    A boot of a kernel with RDTSC where the sources have RDPMC, and with CPUID's leaf 0Ah as Skylake
    has it; where each instruction takes one tick, so that what it counts is exact.
    """
    tree = tmp_path_factory.mktemp("substituted") / "shootdown"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build", "__pycache__"))
    (tree / "build").mkdir()
    (tree / "build/lab").symlink_to((ROOT / "build/lab").resolve())
    replace(tree / "arch/x86/cycles.h", "rdpmc\\n", "rdtsc\\n")
    replace(tree / "arch/x86/safe.h", "rdpmc\\n", "rdtsc\\n")
    leaf = "(struct cpuid){.eax = 0x07300404, .edx = 0x603}"
    replace(tree / "arch/x86/pmu.c", "cpu->query(0x0a, 0)", leaf)
    subprocess.run(["make", "-s", "-j2", "-C", str(tree), "all"], check=True)
    return run_sh(
        *("--lab", "--boot", "grub-bios", "--cpus", "1", "--cpu", "Skylake-Server", *ICOUNT),
        *("--", "run=self/*,local/cr3*,local/invlpg*,refill/* samples=64"),
        log=tree / "console.log",
        root=tree,
    )


def test_core_cycles_go_the_whole_way_into_the_report(substituted):
    report = substituted.report
    report.assert_whole()
    clock = report.one("clock")
    assert (clock["core_counter"], clock["core_counter_why"]) == ("IA32_FIXED_CTR1", None)
    latencies = [b for b in report.all("bench") if b["params"]["mode"] == "latency"]
    assert len(latencies) >= 20
    for bench in latencies:
        core = bench["core"]
        assert core["n"] == 16, bench  # 8 in each of two turns
        assert core["p50"] == bench["p50"] + 1  # the move
        assert core["baseline"] == bench["baseline"] + 1
        assert core["net"] == bench["net"]
        assert core["ci"][0] <= core["p50"] <= core["ci"][1]
    assert all(b["core"] is None for b in report.all("bench") if b not in latencies)
    heads = [line for line in report.lines if "[95% of median]" in line]
    assert heads and all(" core" in line for line in heads)
    assert all(len(line) <= 132 for line in report.lines if "@SD1" not in line)


def test_a_clock_is_not_taken_for_a_counter_of_page_walks(substituted):
    report = substituted.report
    clock = report.one("clock")
    assert clock["walk_counter"] is None
    assert "advances where nothing walks" in clock["walk_counter_why"]
    assert all(b["walk"] is None for b in report.all("bench"))
