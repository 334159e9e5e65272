# SPDX-License-Identifier: BSD-2-Clause
"""
The timing code against its oracle. Where every instruction takes one tick (QEMU -icount shift=0)
the net figure of a benchmark is the number of instructions it runs, and that is counted here in the
disassembly of the kernel that was booted.
"""

import re

import pytest
from conftest import ROOT, run_sh
from disassembly import Kernel

ICOUNT = ("--accel", "tcg", "--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=off")

# Benchmark, parameters, how often each loop of its section runs.
STRAIGHT = [
    ("local/invlpg-4k", {"live": 0}),
    ("local/invlpg-4k", {"live": 64}),
    ("local/invlpg-4k-global", {}),
    ("local/invlpg-2m", {}),
    ("local/invlpg-not-present", {}),
    ("local/invlpg-non-canonical", {}),
    ("local/cr3-reload", {"live": 0}),
    ("local/cr3-reload", {"live": 64}),
    ("local/cr4-rewrite", {}),
    ("local/cr4-pge-bare", {}),
    ("local/cr4-pge-toggle", {}),
    ("self/empty", {}),
    ("self/nop-1", {}),
    ("self/nop-10", {}),
    ("self/nop-100", {}),
    ("self/nop-1000", {}),
]
LOOPS = [
    ("local/range-full", {"live": 512}, (512,)),
    ("local/range-one-by-one", {"live": 512, "pages": 1}, (1, 512)),
    ("local/range-one-by-one", {"live": 512, "pages": 8}, (8, 512)),
    ("local/range-one-by-one", {"live": 512, "pages": 1024}, (1024, 512)),
    ("refill/none", {"live": 64}, (64,)),
    ("refill/none", {"live": 512}, (512,)),
    ("refill/cr3-reload", {"live": 512}, (512,)),
    ("refill/cr4-pge-toggle", {"live": 64}, (64,)),
    ("refill/invlpg", {"live": 64}, (64,)),
    *(("refill/none", {"live": n, "page": p}, (n,)) for n in (1, 16, 1536) for p in ("4k", "2m")),
    ("local/range-one-by-one", {"live": 1536, "pages": 2}, (2, 1536)),
    ("local/range-full", {"live": 1536}, (1536,)),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, lab):
    """Two boots of the same image that must not differ in a tick; by GRUB, which is soonest there."""
    log = tmp_path_factory.mktemp("icount") / "console.log"
    return [
        run_sh(
            *("--lab", "--boot", "grub-bios", "--cpus", "1", *ICOUNT),
            *("--", "run=self/*,local/*,refill/* suite=full samples=64"),
            log=log,
        )
        for _ in range(2)
    ]


@pytest.fixture(scope="module")
def kernel():
    return Kernel(str(ROOT / "build/shootdown.elf"))


def ids(value):
    return "" if value in ({}, ()) else None


@pytest.mark.parametrize("name, params", STRAIGHT)
def test_the_latency_of_a_sequence_is_its_length(runs, kernel, name, params):
    bench = runs[0].report.bench(name, **params)
    assert bench["net"] == kernel.count(name) - kernel.count("baseline")
    assert bench["p5"] == bench["p95"]


@pytest.mark.parametrize("name", sorted({name for name, _ in STRAIGHT} - {"self/nop-100", "self/nop-1000"}))
def test_the_throughput_of_a_sequence_is_the_length_of_sixteen(runs, kernel, name):
    bench = runs[0].report.bench(name, "throughput")
    more = kernel.count(name, operations=32) - kernel.count(name, operations=16)
    assert bench["net"] == pytest.approx(more / 16, abs=0.001)


@pytest.mark.parametrize("name, params, loops", LOOPS)
def test_the_latency_of_a_loop_is_what_its_turns_add_up_to(runs, kernel, name, params, loops):
    bench = runs[0].report.bench(name, **params)
    assert bench["net"] == kernel.count(name, loops=loops) - kernel.count("baseline")


# What fence/X adds, in instructions; cpuid has one that zeroes EAX, branch jumps over the fences.
FENCES = {
    "none": 0,
    "nop6": 1,
    "branch": 2,
    "mfence": 1,
    "lfence": 1,
    "both": 2,
    "sfence": 1,
    "locked-add": 1,
    "cpuid": 2,
}

# What weak_wrmsr_fence() is by fence=; branch: CALL, CMP, JE, (MFENCE, LFENCE,) RET, NOP.
PATCHED = [
    ("AuthenticAMD", "auto", 1),
    ("AuthenticAMD", "none", 1),
    ("AuthenticAMD", "mfence", 2),
    ("AuthenticAMD", "lfence", 2),
    ("AuthenticAMD", "both", 2),
    ("AuthenticAMD", "branch", 5),
    ("GenuineIntel", "auto", 2),
    ("GenuineIntel", "branch", 7),
]


def boot_fences(log, cmdline, *options):
    run = run_sh(*("--lab", "--boot", "grub-bios", *ICOUNT), *options, "--", cmdline, log=log)
    assert run.status == 0, run.console + run.messages
    return run.report


@pytest.fixture(scope="module", params=["x2apic", "xapic"])
def fences(request, tmp_path_factory, lab):
    """All ways to order, with every number of stores and every kind of line."""
    log = tmp_path_factory.mktemp("fences") / "console.log"
    off = "nox2apic " if request.param == "xapic" else ""
    cmdline = off + "run=fence/* suite=full samples=64 budget=10"
    report = boot_fences(log, cmdline, "--cpus", "2", "--cpu", "max,vendor=AuthenticAMD")
    assert report.one("cpus")["apic_mode"] == request.param
    return report


@pytest.mark.parametrize("name, instructions", FENCES.items())
def test_a_fence_costs_its_instructions(fences, kernel, name, instructions):
    assert fences.bench(f"fence/{name}")["net"] == instructions
    throughput = fences.bench(f"fence/{name}", "throughput")["net"]
    if name == "branch":  # the disassembly does not know that it jumps
        assert throughput == instructions
        return
    code = kernel.count(f"fence/{name}") - kernel.count("baseline")
    assert code == instructions
    # Between the 16th and the 32nd a compiler may place a move of an operand differently.
    more = kernel.count(f"fence/{name}", 32) - kernel.count(f"fence/{name}", 16)
    assert throughput == pytest.approx(more / 16, abs=0.001)
    assert more / 16 == pytest.approx(instructions, abs=0.1)


@pytest.mark.parametrize("place, rows", [("stores", 9), ("icr", 10)])
@pytest.mark.parametrize("name, instructions", FENCES.items())
def test_a_fence_costs_its_instructions_wherever_it_stands(
    fences, kernel, name, instructions, place, rows
):
    if (name, place) == ("cpuid", "stores"):
        # It overwrites four registers, and clang then moves the operands of the stores elsewhere.
        one, other = (kernel.count(f"fence/{n}-stores", loops=(1,)) for n in ("cpuid", "none"))
        instructions = one - other
    with_it = fences.all("bench", name=f"fence/{name}-{place}")
    without = fences.all("bench", name=f"fence/none-{place}")
    assert len(with_it) == len(without) == rows
    for one, other in zip(with_it, without, strict=True):
        assert one["params"] == other["params"]
        assert one["net"] - other["net"] == instructions, one["params"]


def test_a_store_takes_four_instructions_a_line(fences):
    """TEST and JZ, then MOV, ADD, DEC and JNZ for each; the compiler copies both operands."""
    rows = fences.all("bench", name="fence/none-stores")
    assert {row["net"] - 4 * row["params"]["stores"] for row in rows} == {4}


def told_apart(report, heading):
    """The variants that a conclusion says differ, and those that it can't tell apart."""
    lines = report.lines[report.lines.index(heading) + 1 :]
    words = {"differ, by ticks:": set(), "not resolvable here:": set()}
    for line in lines:
        if not line.startswith("    "):
            break
        for title in words:
            if line.strip().startswith(title):
                current = words[title]
        current.update(re.findall(r"([a-z][a-z0-9-]+) [+-]?[\d.]+ \[", line))
    return words["differ, by ticks:"], words["not resolvable here:"]


@pytest.mark.parametrize(
    "heading",
    [
        "  against fence/nop6, alone:",
        "  against fence/nop6, alone, back to back:",
        "  against fence/nop6-stores, after stores, stores=32 line=uncached:",
        "  against fence/nop6-icr, before ICR, stores=0 line=none:",
    ],
)
def test_only_what_costs_more_or_less_than_the_nop_is_told_apart(fences, heading):
    same = {name for name, instructions in FENCES.items() if instructions == 1}
    patched = "patched"  # a NOP too, on AMD
    differ, alike = told_apart(fences, heading)
    assert differ == FENCES.keys() - same
    assert alike == (same | {patched}) - {"nop6"}


@pytest.mark.parametrize("vendor, fence, instructions", PATCHED)
def test_the_patched_fence_costs_what_was_patched_in(tmp_path, lab, vendor, fence, instructions):
    report = boot_fences(
        *(tmp_path / "console.log", f"fence={fence} run=fence/patched*,fence/none* samples=32"),
        *("--cpus", "1", "--cpu", f"max,vendor={vendor}"),
    )
    assert report.bench("fence/patched")["net"] == instructions
    before_icr = [report.bench(f"fence/{name}-icr", stores=0) for name in ("patched", "none")]
    assert before_icr[0]["net"] - before_icr[1]["net"] == instructions


def test_two_boots_give_the_same_figures(runs):
    first, second = ([r for r in run.report.all("bench")] for run in runs)
    assert [(r["name"], r["params"], r["p50"]) for r in first] == [
        (r["name"], r["params"], r["p50"]) for r in second
    ]


@pytest.fixture(scope="module")
def ipi_report(tmp_path_factory, lab):
    run = run_sh(
        *("--lab", "--boot", "grub-bios", "--cpus", "2", *ICOUNT),
        *("--", "run=ipi/* samples=64"),
        log=tmp_path_factory.mktemp("ipi") / "console.log",
    )
    assert run.status == 0, run.console + run.messages
    return run.report


@pytest.mark.parametrize(
    "name",
    ["self-icr", "self-shorthand", "self-msr", "unicast-rtt", "unicast-logical", "nmi"]
    + ["unicast-oneway", "broadcast-shorthand", "broadcast-loop", "broadcast-cluster"],
)
def test_a_fence_before_an_ipi_costs_its_instructions(ipi_report, name):
    """With 2 CPUs every mode sends one IPI. The emulated vendor is AMD: a NOP is patched in."""
    assert ipi_report.one("cpu")["vendor"] == "AuthenticAMD"
    waits = {b["params"].get("receiver") for b in ipi_report.all("bench", name=f"ipi/{name}")}
    # Without PAUSE what is measured there are the emulator's time slices.
    if name != "unicast-oneway":
        waits -= {"busy"}
    assert waits
    for wait in waits:
        at = {"receiver": wait} if wait else {}
        none, patched, both = (
            ipi_report.bench(f"ipi/{name}", fence=fence, **at)["net"]
            for fence in ("none", "patched", "both")
        )
        assert (patched - none, both - none) == (1, 2), (name, wait)


def test_the_round_trip_of_an_ipi_is_short(ipi_report):
    """kvm-unit-tests' vmexit ipi takes 113 instructions between its reads of the TSC."""
    for wait in ("hlt", "poll", "mwait"):
        bench = ipi_report.bench("ipi/unicast-rtt", fence="both", receiver=wait)
        assert bench["p5"] == bench["p95"]
        assert 61 < bench["net"] <= 113


def test_two_runs_in_bochs_give_the_same_figures(tmp_path, lab):
    """Bochs' time is simulated, so nothing may differ there either."""
    runs = [
        run_sh(
            *("--lab", "--emulator", "bochs", "--cpu", "corei7_skylake_x", "--mem", "512M"),
            *("--cpus", "1", "--", "run=local/* samples=64"),
            log=tmp_path / "console.log",
        )
        for _ in range(2)
    ]
    first, second = ([r for r in run.report.all("bench")] for run in runs)
    assert {r["name"] for r in first} >= {"local/invpcid-all", "local/cr3-switch-noflush"}
    assert [(r["name"], r["params"], r["p50"]) for r in first] == [
        (r["name"], r["params"], r["p50"]) for r in second
    ]


@pytest.fixture(scope="module")
def flushes(tmp_path_factory, lab):
    """Reports by the number of CPUs."""
    reports = {}
    for cpus in (2, 4):
        run = run_sh(
            *("--lab", "--boot", "grub-bios", "--cpus", str(cpus), *ICOUNT),
            *("--", "run=shootdown/flush,shootdown/loop suite=full samples=32 budget=10"),
            log=tmp_path_factory.mktemp("flushes") / "console.log",
        )
        assert run.status == 0, run.console + run.messages
        reports[cpus] = run.report
    return reports


def flush_net(report, policy, cpus, pages=1, page="4k"):
    bench = report.bench("shootdown/flush", policy=policy, cpus=cpus, pages=pages, page=page)
    assert bench["p5"] == bench["p95"], bench["params"]
    return bench["net"]


@pytest.mark.parametrize("policy", ["ipi", "private"])
@pytest.mark.parametrize("pages", [1, 8, 33, 512])
def test_a_flush_costs_nothing_for_cpus_outside_the_set(flushes, policy, pages):
    for cpus in (1, 2):
        few, many = (flush_net(flushes[n], policy, cpus, pages) for n in (2, 4))
        assert few == many, cpus
    assert flush_net(flushes[4], policy, 1) < flush_net(flushes[4], policy, 2)
    assert flush_net(flushes[4], policy, 2) < flush_net(flushes[4], policy, 4)


def test_ipi_all_pays_for_every_cpu(flushes):
    few, many = (flush_net(flushes[n], "ipi-all", 1) for n in (2, 4))
    assert flush_net(flushes[2], "ipi", 1) < few < many


@pytest.mark.parametrize("page", ["4k", "2m"])
@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_each_page_costs_the_same_on_every_cpu_that_invalidates(flushes, cpus, page):
    """One at a time up to the ceiling, and above it all at once."""
    one, eight, ceiling, above = (
        flush_net(flushes[4], "ipi", cpus, pages, page) for pages in (1, 8, 33, 512)
    )
    per_page = (eight - one) // 7
    assert per_page % cpus == 0
    assert (eight - one, ceiling - one) == (7 * per_page, 32 * per_page)
    assert above <= one


def test_a_loop_takes_a_tenth_of_what_it_takes_in_linux(flushes):
    """will-it-scale's tlb_flush2_threads: 12.6k instructions a loop with one thread, 13.4k with two."""
    for cpus, most in ((1, 1260), (2, 1340)):
        bench = flushes[2].bench("shootdown/loop", policy="ipi", cpus=cpus)
        assert bench["p5"] == bench["p95"]
        assert flush_net(flushes[2], "ipi", cpus) < bench["net"] <= most


@pytest.fixture(scope="module")
def switches(tmp_path_factory, lab):
    run = run_sh(
        *("--lab", "--boot", "grub-bios", "--cpus", "2", *ICOUNT),
        *("--", "run=switch/* samples=32 pti"),
        log=tmp_path_factory.mktemp("switches") / "console.log",
    )
    assert run.status == 0, run.console + run.messages
    rows = run.report.all("bench")
    assert all(row["p5"] == row["p95"] for row in rows)
    return {(row["name"], *row["params"].values()): row["net"] for row in rows}


def test_a_switch_takes_a_tenth_of_what_it_takes_in_linux(switches):
    """A byte through a pipe, one way: 5.7k instructions, with two system calls and the scheduler."""
    same = {row: net for row, net in switches.items() if row[0] == "switch/same-cpu"}
    other = {row: net for row, net in switches.items() if row[0] == "switch/other-cpu"}
    assert (len(same), len(other)) == (8, 12)
    assert all(0 < net / 2 <= 570 for net in same.values())  # there and back
    assert all(0 < net <= 570 for net in other.values())


def test_a_switch_costs_what_is_switched(switches):
    """Each part adds the same, whatever else is switched."""

    def added(name, at, without, with_it):
        return {
            switches[row] - switches[(*row[:at], without, *row[at + 1 :])]
            for row in switches
            if row[0] == name and row[at] == with_it
        }

    xstate = added("switch/same-cpu", 2, "unused", "used")
    assert len(xstate) == 1 and 0 < xstate.pop()
    user = added("switch/same-cpu", 3, "kernel", "user")
    assert len(user) == 1 and 0 < user.pop()
    space = added("switch/same-cpu", 1, "thread", "process-nopcid")
    assert len(space) == 1 and 0 < space.pop()


def test_reading_pages_again_takes_no_more_instructions_after_a_switch(switches):
    assert len({net for row, net in switches.items() if row[0] == "switch/refill"}) == 1
