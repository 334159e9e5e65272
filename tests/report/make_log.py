# SPDX-License-Identifier: BSD-2-Clause
"""Writes logs: records with their seq and CRC, of types and contents that no boot at hand gives."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "boot"))

from report import crc32c  # noqa: E402

TERMINAL = "\x1b[2J\x07\x9b31m\x7f\u202e"
HOSTILE = f'{TERMINAL}=1+1,"a"\r\n# TODO <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=x RESULT=pass> \\'


def line(record):
    text = json.dumps(record, separators=(",", ":"))
    return f"@SD1 {text} {crc32c(text.encode()):08x}\n"


class Log:
    def __init__(self, hypervisor="none", tsc_hz=2_000_000_000, **run):
        self.records = []
        self.add("run", format=1, version="0", hypervisor=hypervisor, **run)
        self.add("clock", tsc_hz=tsc_hz, source="HPET", invariant=True, checks=[])

    def add(self, kind, **fields):
        self.records.append({"seq": len(self.records), "type": kind, **fields})

    def bench(self, name, net, spread=0, baseline=21, params=None, **more):
        """Its samples spread evenly around the net by so many ticks on either side."""
        p50 = net + baseline
        at = {
            key: p50 + spread * share
            for key, share in (
                *(("min", -1), ("p5", -0.9), ("p25", -0.5), ("p50", 0)),
                *(("p75", 0.5), ("p95", 0.9), ("p99", 1), ("max", 1)),
            )
        }
        self.add(
            "bench",
            name=name,
            params={"mode": "latency", **(params or {})},
            unit="tsc",
            n=1000,
            discarded=0,
            **at,
            ci=[p50 - spread * 0.01, p50 + spread * 0.01],
            baseline=baseline,
            net=net,
            net_ns=net / 2,
            core=None,
            **more,
        )

    def check(self, name, result, why="", control=None, **params):
        self.add("check", name=name, params=params, result=result, why=why, control=control)

    def end(self):
        results = [r["result"] for r in self.records if r["type"] == "check"]
        counts = {key: results.count(key) for key in ("pass", "fail", "skip", "xfail")}
        counts["skip"] += sum(r["type"] == "skip" for r in self.records)
        self.add("end", records=len(self.records) + 1, **counts, benches=1, elapsed_ms=1)
        return "".join(line(record) for record in self.records)

    def write(self, path):
        path.write_text(self.end())
        return path


def all_types():
    """Every type of record there is, on a machine that does not exist."""
    log = Log(
        cmdline="suite=full",
        firmware="UEFI 2.9",
        boot="efi",
        commit="0123456789ab",
        compiler="gcc 12.2.0",
        secure_boot="off",
        date="2026-12-01T00:00:00",
    )
    log.add("machine", vendor="Example", product="Server", bios="1.0", memory_mib=4096)
    log.add(
        "cpu",
        vendor="AuthenticAMD",
        brand="An Example of a CPU",
        family=25,
        model=1,
        stepping=1,
        microcode=0xA0011D5,
        features=["pcid", "invpcid", "invlpgb"],
        disabled=["tce"],
        errata=["1235"],
    )
    log.add("cpus", expected=4, online=3, apic_mode="x2apic", failed=[{"apic": 9, "why": "silent"}])
    for live in (1, 64, 512):
        log.bench("local/invlpg-4k", 100 + live, 4, params={"live": live, "page": "4k"})
    log.records[-1]["core"] = {"p50": 700, "net": 690}
    log.bench("broadcast/invlpgb-4k", 0, modelled=True)
    for key in ("min", "p5", "p25", "p50", "p75", "p95", "p99", "max", "baseline", "net", "net_ns"):
        log.records[-1][key] = None
    log.records[-1]["ci"] = None
    for cpus, rate in ((1, 315000), (2, 424000), (4, 1032000.5)):
        log.add(
            "rate",
            name="shootdown/loops",
            params={"policy": "broadcast", "cpus": cpus},
            unit="loops/s",
            value=rate,
            rounds=9,
            ci=[rate * 0.99, rate * 1.01],
            ipis=cpus - 1,
            invlpgbs=1,
        )
    for row in range(3):
        cells = [None if row == column else 1000 + 100 * abs(row - column) for column in range(3)]
        params = {"fence": "none"}
        log.add("matrix", name="ipi/pairs", params=params, unit="tsc", row=row, p50=cells)
    log.add("retention", name="local/cr3-reload", params={"page": "2m"}, kept=12, of=1000)
    log.check("stale/invlpg-4k", "pass", control="control saw 1000 of 1000", page="4k")
    log.check("stale/invlpgb", "fail", "3 of 1000 stale", page="2m", remote=True)
    log.check("stale/invpcid", "xfail", "ADL063", page="4k")
    log.check("order/tlbsync", "skip", "blind: the control never saw a stale read")
    log.add("skip", name="local/cr3-noflush", why="CPUID.1:ECX[17] PCID = 0")
    log.add(
        "advice",
        tunable="tlb_single_page_flush_ceiling",
        params={"live": 512},
        value=33,
        why="from 34 pages on one MOV CR3 is cheaper",
        unit="tsc",
        curves={"pages": [1, 32, 64], "one_by_one": [120, 3000, 6000], "full": [4000] * 3},
    )
    log.add("advice", tunable="weak_wrmsr_fence", value=None, why="not to be told apart")
    return log


def hostile():
    """Strings that would control a terminal or break out of a format, wherever one may stand."""
    log = Log(hypervisor=HOSTILE, cmdline=HOSTILE, firmware=HOSTILE)
    log.add("machine", vendor=HOSTILE, product=HOSTILE, bios=HOSTILE, memory_mib=HOSTILE)
    log.add("cpu", brand=HOSTILE, vendor=HOSTILE, features=[HOSTILE, 1], microcode="x")
    log.bench(f"{HOSTILE}/{HOSTILE}", 100, 3, params={HOSTILE: HOSTILE})
    log.add("rate", name="=a/b", params={"-k": "@v"}, unit=HOSTILE, value=1e300, ci=[1, 2])
    log.add("matrix", name="m/m", params={}, unit=HOSTILE, row=HOSTILE, p50=[1, HOSTILE])
    log.add("retention", name="r/r", params=[], kept=HOSTILE, of=0)
    for result in ("pass", "fail", "xfail", "skip"):
        log.check(HOSTILE, result, HOSTILE, HOSTILE, **{HOSTILE: HOSTILE})
    log.add("skip", name=HOSTILE, why=HOSTILE)
    log.add("advice", tunable=HOSTILE, value=HOSTILE, why=HOSTILE, curves={HOSTILE: [HOSTILE]})
    return log
