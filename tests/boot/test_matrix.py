# SPDX-License-Identifier: BSD-2-Clause
"""The boot matrix: a machine a row. A new odd machine is a new row."""

import re
from dataclasses import dataclass, field

import pytest
from conftest import run_sh


@dataclass(frozen=True)
class Machine:
    """What to boot and what the report must say of it."""

    name: str
    emulator: str = "qemu"  # qemu, bochs
    lab: bool = False  # the lab's emulators and firmware, not the system's
    boot: str = "efi"  # efi, grub-efi, grub-bios
    cpus: int = 2
    cpu: str = ""  # model; "": run.sh's own choice
    mem: str = "256M"
    extra: tuple = ()  # more arguments for QEMU
    cmdline: str = "run=smp/*,stale/*,ipi/*,self/*"
    status: int = 0
    says: dict = field(default_factory=dict)  # "record.field": value
    has: tuple = ()  # features in use
    lacks: tuple = ()  # features not in use
    benches: tuple = ()  # that must have been measured
    fails: tuple = ()  # checks that fail, and no others
    xfails: tuple = ()  # checks that fail as an erratum has it, and no others
    ipis: bool = False  # every mode of ipi/ is there, with every variant
    shootdowns: bool = False  # every rate of shootdown/ is there, by policy and number of CPUs
    runs_all: str = ""  # nothing is skipped for a reason that has this in it
    prints: tuple = ()  # pieces of the text


def qemu(*words):
    return tuple(word for argument in words for word in ("--qemu-arg", argument))


# What fails in Bochs with each fault put in, and nothing else.
BOCHS_NO_FAULT = (
    "fault/cr0-cpl3",
    "fault/cr0-pe",
    "fault/cr0-pg",
    "fault/cr0-pg-pcide",
    "fault/cr3-bit63",
    "fault/cr3-cpl3",
    "fault/cr3-reserved",
    "fault/cr4-cpl3",
    "fault/cr4-la57",
    "fault/cr4-pae",
    "fault/cr4-pcide-cr3",
    "fault/invlpg-cpl3",
    "fault/invlpg-lock",
    "fault/invlpgb-absent",
    "fault/invpcid-address",
    "fault/invpcid-cpl3",
    "fault/invpcid-lock",
    "fault/invpcid-operand",
    "fault/invpcid-pcid-addr",
    "fault/invpcid-pcid-context",
    "fault/invpcid-reserved",
    "fault/invpcid-type",
    "fault/load-noncanonical",
    "fault/tlbsync-absent",
)
BOCHS_EXTRA_FAULT = (
    "fault/cr3-bit63-pcide",
    "fault/invlpg-noncanonical",
    "fault/invpcid-no-pcide",
)
BOCHS_STALE = {
    "skip-local": (
        *("cr3-reload", "cr4-pcide", "cr4-pge", "flush-all", "invlpg", "invlpg-whole-page"),
        *("invpcid-addr", "invpcid-all", "invpcid-all-nonglobal", "invpcid-context"),
    ),
    "no-global": (
        *("cr4-pcide", "cr4-pge", "flush-all", "invlpg", "invlpg-whole-page", "invpcid-all"),
    ),
    "stale-psc": (
        *("cr3-reload", "cr3-switch", "cr4-pcide", "cr4-pge", "flush-all", "invlpg"),
        *("invlpg-other-address", "invpcid-addr", "invpcid-all", "invpcid-all-nonglobal"),
        "invpcid-context",
    ),
}

# Flushes by other CPUs, and what fails with each fault of theirs put in.
SHOOTDOWN = "run=stale/asid,stale/shootdown*,shootdown/*,stress/*"
STALE = ("shootdown/counts", "stale/shootdown", "stale/shootdown-edges", "stress/shootdown")
MISSED = ("shootdown/flush", "shootdown/loop", "shootdown/stolen", "shootdown/tlb-flush")
SHOOTDOWN_FAILS = {
    "skip-remote": (*STALE, *MISSED, "shootdown/private-spaces"),
    "early-ack": STALE,
    "short-range": STALE,
    "late-set": (*STALE, *MISSED),
}


MACHINES = [
    # Boot paths
    Machine("q35-efi", says={"run.boot": "efi"}),
    Machine(
        "q35-grub-efi",
        boot="grub-efi",
        says={"run.boot": "multiboot2-efi", "machine.vendor": "QEMU"},
        prints=("GRUB 2.", "from UEFI"),
    ),
    Machine(
        "q35-grub-bios",
        boot="grub-bios",
        says={"run.boot": "multiboot2-bios", "machine.vendor": "QEMU", "run.secure_boot": "off"},
        prints=("GRUB 2.", "from BIOS"),
    ),
    Machine("i440fx-efi", extra=qemu("-machine", "pc"), says={"run.boot": "efi"}),
    Machine(
        "i440fx-grub-bios",
        boot="grub-bios",
        extra=qemu("-machine", "pc"),
        says={"run.boot": "multiboot2-bios"},
    ),
    # Numbers of CPUs
    Machine("1-cpu", cpus=1, boot="grub-bios", benches=("self/empty",)),
    Machine("3-cpus", cpus=3, boot="grub-bios", benches=("ipi/unicast-rtt",)),
    Machine("8-cpus", cpus=8, boot="grub-bios", benches=("ipi/unicast-rtt",)),
    Machine(
        "2-threads-a-core",
        cpus=8,
        boot="grub-bios",
        cpu="EPYC",
        extra=qemu("-smp", "8,sockets=2,cores=2,threads=2"),
        says={"cpus.online": 8},
    ),
    # CPU models
    Machine(
        "oldest-amd",
        boot="grub-bios",
        cpu="Opteron_G1",
        says={"cpu.vendor": "AuthenticAMD"},
        lacks=("invpcid", "pdpe1gb", "x2apic"),
    ),
    Machine("zen", boot="grub-bios", cpu="EPYC-Rome", says={"cpu.vendor": "AuthenticAMD"}),
    Machine("oldest-intel", boot="grub-bios", cpu="Conroe", says={"cpu.vendor": "GenuineIntel"}),
    Machine(
        "skylake",
        boot="grub-bios",
        cpu="Skylake-Server",
        says={"cpu.vendor": "GenuineIntel", "cpu.family": 6},
    ),
    Machine("no-nx", boot="grub-bios", cpu="max,-nx", lacks=("nx",)),
    Machine("no-pge", boot="grub-bios", cpu="max,-pge", lacks=("pge",)),
    Machine(
        "no-hypervisor-bit",
        boot="grub-bios",
        cpu="max,-hypervisor",
        cmdline="run=smp/* exit=poweroff",
        says={"run.hypervisor": "none"},
    ),
    # Memory
    Machine("64-mib", boot="grub-bios", mem="64M", cpus=4),
    Machine("above-4-gib", boot="grub-bios", mem="5G", says={"machine.memory_mib": 5119}),
    # Pages of 1 GiB: two of them are RAM throughout.
    Machine(
        "4-gib-all-stale",
        boot="grub-bios",
        mem="5G",
        cmdline="suite=full run=stale/*,fault/*",
        runs_all="GiB above the first",
        xfails=("fault/cr4-pcide-absent", "fault/invlpg-lock"),
    ),
    Machine("above-4-gib-efi", mem="5G"),
    # Things that are not there
    Machine("no-hpet", boot="grub-bios", extra=qemu("-machine", "q35,hpet=off")),
    Machine("no-ps2", boot="grub-bios", extra=qemu("-machine", "q35,i8042=off")),
    Machine(
        "no-acpi",
        boot="grub-bios",
        extra=qemu("-machine", "pc,acpi=off"),
        says={"cpus.online": 1},
        prints=("warning   ACPI table MADT",),
    ),
    Machine("no-display", extra=qemu("-vga", "none")),
    # The lab: x2APIC, many CPUs, newer firmware
    Machine(
        "lab-x2apic",
        lab=True,
        cpus=4,
        says={"cpus.apic_mode": "x2apic"},
        has=("x2apic",),
        ipis=True,
    ),
    Machine("lab-grub-efi", lab=True, boot="grub-efi", says={"run.boot": "multiboot2-efi"}),
    Machine(
        "lab-grub-bios",
        lab=True,
        boot="grub-bios",
        says={"run.boot": "multiboot2-bios"},
        ipis=True,
    ),
    Machine("lab-8-cpus", lab=True, boot="grub-bios", cpus=8, cmdline="run=ipi/*", ipis=True),
    Machine(
        "lab-xapic",
        lab=True,
        cpus=4,
        cmdline="run=smp/*,ipi/* nox2apic",
        says={"cpus.apic_mode": "xapic", "cpu.disabled": ["x2apic"]},
        ipis=True,
    ),
    Machine(
        "lab-5-level",
        lab=True,
        extra=qemu("-fw_cfg", "name=opt/org.tianocore/PagingLevel,string=5"),
        cmdline="run=smp/*,stale/*",
        has=("la57",),
    ),
    Machine("lab-64-cpus", lab=True, cpus=64, mem="1G", cmdline="run=smp/*,ipi/*", ipis=True),
    Machine("lab-255-cpus", lab=True, cpus=255, mem="2G", cmdline="run=smp/*"),
    Machine("lab-288-cpus", lab=True, cpus=288, mem="2G", cmdline="run=smp/*"),
    Machine(
        "lab-more-cpus-than-asked",
        lab=True,
        cpus=8,
        cmdline="run=smp/* cpus=3",
        says={"cpus.described": 8, "cpus.expected": 3, "cpus.online": 3},
    ),
    Machine(
        "lab-strict-nx",
        lab=True,
        extra=(
            "--firmware",
            "build/lab/root/usr/share/OVMF/OVMF_CODE_4M.secboot.strictnx.fd",
            *qemu("-machine", "q35,smm=on"),
            *qemu("-global", "driver=cfi.pflash01,property=secure,value=on"),
        ),
    ),
    # Bochs
    Machine(
        "bochs-skylake",
        emulator="bochs",
        lab=True,
        cpu="corei7_skylake_x",
        mem="512M",
        cmdline="suite=quick",
        xfails=("fault/invpcid-type-high",),  # docs/checks.md
        runs_all="PCID = 0",
        says={
            "run.hypervisor": "Bochs",
            "cpu.errata": ["Bochs-INVPCID-type"],
            "cpus.apic_mode": "x2apic",
        },
        prints=(
            "note      hypervisor Bochs: times are the emulator's",
            "INVPCID type 2 against the CR4.PGE sequence: ",
            "published for a Skylake laptop, 2016: 376 and 539 ns",
        ),
        has=("pcid", "invpcid", "x2apic"),
        benches=(
            "local/invpcid-addr",
            "local/invpcid-context",
            "local/invpcid-all",
            "local/invpcid-all-nonglobal",
            "local/cr3-noflush",
            "ipi/unicast-rtt",
        ),
    ),
    Machine(
        "bochs-no-fault",
        emulator="bochs",
        lab=True,
        boot="grub-bios",
        mem="512M",
        cpus=1,
        cmdline="inject=no-fault run=stale/*,fault/*",
        status=1,
        fails=BOCHS_NO_FAULT,
        xfails=("fault/invpcid-type-high",),
    ),
    Machine(
        "bochs-extra-fault",
        emulator="bochs",
        lab=True,
        boot="grub-bios",
        mem="512M",
        cpus=1,
        cmdline="inject=extra-fault run=stale/*,fault/*",
        status=1,
        fails=BOCHS_EXTRA_FAULT,
        xfails=("fault/invpcid-type-high",),
    ),
    # A CPU with neither PCID nor INVPCID, which has the rule for it.
    Machine(
        "bochs-no-fault-no-pcid",
        emulator="bochs",
        lab=True,
        boot="grub-bios",
        cpu="ryzen",
        mem="512M",
        cpus=1,
        cmdline="inject=no-fault run=fault/cr4-pcide-absent,fault/invpcid-absent",
        status=1,
        fails=("fault/cr4-pcide-absent", "fault/invpcid-absent"),
        lacks=("pcid", "invpcid"),
    ),
    *(
        Machine(
            f"bochs-{inject}",
            emulator="bochs",
            lab=True,
            boot="grub-bios",
            mem="512M",
            cpus=1,
            cmdline=f"inject={inject} run=stale/*,fault/*",
            status=1,
            fails=tuple(f"stale/{name}" for name in names),
            xfails=("fault/invpcid-type-high",),
        )
        for inject, names in BOCHS_STALE.items()
    ),
    Machine(
        "bochs-wrong-type",
        emulator="bochs",
        lab=True,
        mem="512M",
        cmdline="inject=wrong-type run=stale/*,fault/*",
        status=1,
        # INVPCID types 0, 1 and 3 are all the same there.
        fails=("stale/invpcid-all",),
        xfails=("fault/invpcid-type-high",),
    ),
    Machine(
        "bochs-wrong-pcid",
        emulator="bochs",
        lab=True,
        mem="512M",
        cmdline="inject=wrong-pcid run=stale/*,fault/*",
        status=1,
        # It has no PCIDs in its TLB, so that no stale/* can notice.
        fails=(
            "fault/invpcid-no-pcide",
            "fault/invpcid-pcid-addr",
            "fault/invpcid-pcid-context",
        ),
        xfails=("fault/invpcid-type-high",),
    ),
    Machine(
        "bochs-ryzen",
        emulator="bochs",
        lab=True,
        cpu="ryzen",
        mem="512M",
        cpus=4,
        ipis=True,
        says={"cpu.vendor": "AuthenticAMD", "cpus.apic_mode": "xapic"},
        lacks=("x2apic",),
    ),
    Machine(
        "bochs-grub-bios",
        emulator="bochs",
        lab=True,
        boot="grub-bios",
        cpu="corei7_skylake_x",
        mem="512M",
        cpus=4,
        ipis=True,
        says={"run.boot": "multiboot2-bios"},
        has=("pcid", "invpcid"),
    ),
    # Address spaces and shootdown
    *(
        Machine(
            f"lab-shootdown-{name}",
            lab=True,
            boot="grub-bios",
            cpus=cpus,
            cmdline=f"{SHOOTDOWN} {words}",
            shootdowns=True,
            runs_all="CPUs" if cpus > 1 else "",
        )
        for name, cpus, words in (
            ("1-cpu", 1, ""),
            ("2-cpus-pti", 2, "pti"),
            ("4-cpus", 4, ""),
            ("16-cpus", 16, ""),
            ("xapic", 4, "nox2apic"),
            ("policy", 4, "policy=private ceiling=7"),
        )
    ),
    *(
        Machine(
            f"bochs-shootdown-{name}",
            emulator="bochs",
            lab=True,
            boot="grub-bios",
            cpu=cpu,
            mem="512M",
            cpus=4,
            cmdline=f"{SHOOTDOWN} {words}",
            shootdowns=True,
            runs_all="CPUs" if words == "pti" else "blind",
        )
        for name, cpu, words in (
            ("skylake", "corei7_skylake_x", ""),
            ("ryzen", "ryzen", ""),
            ("pti", "corei7_skylake_x", "pti"),
            ("nopcid", "corei7_skylake_x", "nopcid"),
        )
    ),
    # Threads and processes
    Machine(
        "lab-switch",
        lab=True,
        boot="grub-bios",
        cpus=4,
        cmdline="run=switch/* pti",
        benches=("switch/same-cpu", "switch/other-cpu", "switch/refill"),
        runs_all="thread",
    ),
    Machine(
        "oldest-amd-switch",
        boot="grub-bios",
        cpu="Opteron_G1",
        cmdline="run=switch/*",
        lacks=("xsave", "pcid"),
        benches=("switch/same-cpu", "switch/other-cpu", "switch/refill"),
    ),
    *(
        Machine(
            f"bochs-switch{name}",
            emulator="bochs",
            lab=True,
            boot="grub-bios",
            cpu=cpu,
            mem="512M",
            cmdline=f"run=switch/* {words}",
            benches=("switch/same-cpu", "switch/other-cpu", "switch/refill"),
        )
        for name, cpu, words in (
            ("", "corei7_skylake_x", ""),
            ("-pti", "corei7_skylake_x", "pti"),
            ("-nopcid", "corei7_skylake_x", "nopcid"),
            ("-ryzen", "ryzen", ""),
        )
    ),
    *(
        Machine(
            f"lab-{inject}",
            lab=True,
            boot="grub-bios",
            cpus=4,
            cmdline=f"inject={inject} {SHOOTDOWN} budget=3000",
            status=1,
            fails=fails,
        )
        for inject, fails in SHOOTDOWN_FAILS.items()
    ),
    *(
        Machine(
            f"bochs-{inject}",
            emulator="bochs",
            lab=True,
            boot="grub-bios",
            cpu="corei7_skylake_x",
            mem="512M",
            cmdline=f"inject={inject} {SHOOTDOWN}",
            status=1,
            fails=("stale/asid",),
        )
        for inject in ("stale-asid", "skip-generation")
    ),
]


def ipi_rows(mode, has_mwait):
    """Every variant of every benchmark of ipi/."""
    fences = ("patched", "none", "both") if mode == "x2apic" else ("none",)
    waits = ("hlt", "poll", "busy") + (("mwait",) if has_mwait else ())
    names = ("self-icr", "self-shorthand", "broadcast-shorthand", "broadcast-loop")
    if mode == "x2apic":
        names += ("self-msr", "unicast-logical", "broadcast-cluster")
    yield from ((f"ipi/{name}", fence, None) for name in names for fence in fences)
    for name in ("unicast-rtt", "unicast-oneway", "nmi"):
        yield from ((f"ipi/{name}", fence, wait) for fence in fences for wait in waits)


def assert_every_ipi_mode(report):
    cpus = report.one("cpus")
    mode, online = cpus["apic_mode"], cpus["online"]
    got = [
        (b["name"], b["params"]["fence"], b["params"].get("receiver"))
        for b in report.all("bench")
        if b["name"].startswith("ipi/")
    ]
    assert sorted(got, key=str) == sorted(
        ipi_rows(mode, "monitor" in report.one("cpu")["features"]), key=str
    )
    for bench in report.all("bench"):
        assert not bench["name"].startswith("ipi/") or bench["params"]["apic"] == mode
    counts = {2**n for n in range(1, 11) if 2**n <= online} | {online}
    fences = ("none", "both") if mode == "x2apic" else ("none",)
    for name in ("ipi/mesh", "ipi/all-at-once"):
        rates = report.all("rate", name=name)
        wanted = sorted((fence, n) for fence in fences for n in counts)
        assert sorted((r["params"]["fence"], r["params"]["cpus"]) for r in rates) == wanted
        for rate in rates:
            assert rate["rounds"] >= 5 and rate["ipis"] > 0 and rate["unit"] == "IPI/s"
            assert rate["ci"][0] <= rate["value"] <= rate["ci"][1]
    everyone = list(range(online))
    for receiver in ("hlt", "poll"):
        rows = [r for r in report.all("matrix", name="ipi/rtt") if r["params"]["receiver"] == receiver]
        assert [r["row"] for r in rows] == everyone
        for row in rows:
            assert row["columns"] == everyone
            assert row["p50"][row["row"]] is None
            assert sum(p is not None for p in row["p50"]) == online - 1 or online > 8
        classes = re.findall(rf"^  ipi/rtt receiver={receiver}: .* \((\d+) pairs", report.text, re.M)
        taken = sum(p is not None for row in rows for p in row["p50"])
        assert sum(map(int, classes)) == taken
    offset, error = report.all("matrix", name="ipi/tsc-offset")
    assert offset["columns"] == error["columns"] == everyone[1:]
    assert all(e > 0 for e in error["p50"])


def assert_every_shootdown(report):
    """Every policy at every number of CPUs, and the IPIs that it can't have sent."""
    online = report.one("cpus")["online"]
    counts = {2**n for n in range(0, 11) if 2**n <= online} | {online}
    policies = re.search(r"policy=(\S+)", report.one("run")["cmdline"])
    policies = [policies.group(1)] if policies else ["ipi", "ipi-all", "private"]
    wanted = sorted((policy, n) for policy in policies for n in counts)
    for name in ("shootdown/tlb-flush", "shootdown/private-spaces"):
        rates = report.all("rate", name=name)
        assert sorted((r["params"]["policy"], r["params"]["cpus"]) for r in rates) == wanted
        for rate in rates:
            assert rate["rounds"] >= 5 and rate["value"] > 0 and rate["unit"] == "loops/s"
            alone = rate["params"]["cpus"] == 1 or name == "shootdown/private-spaces"
            if rate["params"]["policy"] == "ipi-all":
                alone = online == 1
            assert (rate["ipis"] == 0) == alone, rate
    for name in ("shootdown/flush", "shootdown/loop"):
        got = {(b["params"]["policy"], b["params"]["cpus"]) for b in report.all("bench", name=name)}
        assert got == {(policy, n) for policy in policies for n in {1, min(2, online), online}}
    assert bool(report.all("bench", name="shootdown/stolen")) == (online > 1)


def options(machine):
    yield from ("--emulator", machine.emulator, "--boot", machine.boot)
    yield from ("--cpus", str(machine.cpus), "--mem", machine.mem)
    if machine.emulator == "qemu":
        yield from ("--accel", "tcg")
    if machine.lab:
        yield "--lab"
    if machine.cpu:
        yield from ("--cpu", machine.cpu)
    yield from machine.extra
    yield from ("--", machine.cmdline)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_machine(machine, tmp_path, request):
    if machine.lab:
        request.getfixturevalue("lab")
    run = run_sh(*options(machine), log=tmp_path / "console.log")
    assert run.status == machine.status, run.console + run.messages
    report = run.report
    report.assert_whole()
    cpus = report.one("cpus")
    assert cpus["online"] + len(cpus["failed"]) == cpus["expected"]
    assert len(report.all("cpu_at")) == cpus["online"]
    if "cpus.online" not in machine.says:
        assert cpus["online"] == machine.cpus
    for place, value in machine.says.items():
        kind, name = place.split(".")
        assert report.one(kind)[name] == value, place
    features = set(report.one("cpu")["features"])
    assert set(machine.has) <= features
    assert not set(machine.lacks) & features
    for result, names in (("fail", machine.fails), ("xfail", machine.xfails)):
        assert {check["name"] for check in report.all("check", result=result)} == set(names)
    skipped = report.all("skip") + report.all("check", result="skip")
    if machine.runs_all:
        assert not [s["name"] for s in skipped if machine.runs_all in s["why"]]
    if machine.ipis:
        assert_every_ipi_mode(report)
    if machine.shootdowns:
        assert_every_shootdown(report)
    for bench in machine.benches:
        assert report.bench(bench)["n"] > 0
    for text in machine.prints:
        assert text in run.console
