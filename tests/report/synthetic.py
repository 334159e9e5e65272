# SPDX-License-Identifier: BSD-2-Clause
"""Logs that are true in format and invented in content: test data, no measurement of anything."""

import math

from make_log import line


class Log:
    """Collects records; text() is the log with its end record."""

    def __init__(self):
        self.records = []

    def add(self, kind, /, **fields):
        self.records.append({"seq": len(self.records), "type": kind, **fields})
        return self

    def text(self):
        def count(result):
            return sum(r.get("result") == result for r in self.records)

        skips = sum(r["type"] == "skip" for r in self.records)
        end = {
            "seq": len(self.records),
            "type": "end",
            "records": len(self.records) + 1,
            "pass": count("pass"),
            "fail": count("fail"),
            "skip": count("skip") + skips,
            "xfail": count("xfail"),
            "benches": len({r["name"] for r in self.records if r["type"] == "bench"}),
            "elapsed_ms": 61234,
        }
        return "".join(line(record) for record in [*self.records, end])


def machine(log, cpus=16, brand="Test CPU, no such machine", hypervisor="none", hz=2450000000):
    """Two packages of two caches each, two threads a core."""
    log.add(
        "run",
        format=1,
        version="0.1.0",
        commit="0123456789ab",
        compiler="gcc 12.2.0",
        boot="efi",
        firmware="UEFI 2.7: test data",
        secure_boot="off",
        hypervisor=hypervisor,
        cmdline="suite=full",
        date="2026-11-30T12:00:00",
    )
    log.add("machine", vendor="Test data", product="Synthetic 2", bios="none", memory_mib=65536)
    log.add(
        "cpu",
        vendor="AuthenticAMD",
        brand=brand,
        family=25,
        model=1,
        stepping=1,
        microcode=0xA0011D5,
        features=["pge", "pcid", "invpcid", "invlpgb", "tce", "x2apic"],
        disabled=[],
        errata=[],
    )
    log.add(
        "cpus",
        described=cpus,
        expected=cpus,
        online=cpus,
        start_us=12000,
        apic_mode="x2apic",
        failed=[],
    )
    for cpu in range(cpus):
        log.add("cpu_at", cpu=cpu, apic=cpu, **place(cpu, cpus), kind=None)
    log.add(
        "clock",
        tsc_hz=hz,
        source="HPET",
        invariant=True,
        checks=[{"source": "HPET", "hz": hz, "ppm": 0}, {"source": "PIT", "hz": hz, "ppm": -3}],
        core_counter=None,
    )
    return log


def place(cpu, cpus):
    """As many systems number them: first threads first, packages in turn of halves."""
    cores = max(cpus // 2, 1)
    core, thread = cpu % cores, cpu // cores
    package = core * 2 // cores
    llc = core * 4 // cores
    return {"package": package, "llc": llc, "core": core, "thread": thread}


def bench(log, name, net, baseline=40, spread=1.0, modelled=False, **params):
    params = {"mode": "latency", "others": "hlt", **params}
    middle = net + baseline
    keys = {"min": 0.9, "p5": 0.95, "p25": 0.98, "p50": 1, "p75": 1.04, "p95": 1.2, "p99": 2}
    fields = {key: round(middle * factor) for key, factor in keys.items()}
    fields["max"] = round(middle * 10 * spread)
    rest = {
        "ci": [middle - 1, middle + 2],
        "baseline": baseline,
        "net": net,
        "net_ns": round(net / 2.45, 3),
    }
    if modelled:
        fields = dict.fromkeys(fields)
        rest = {**dict.fromkeys(rest), "modelled": True}
    log.add(
        "bench",
        name=name,
        params=params,
        unit="tsc",
        n=4096,
        discarded=2,
        **fields,
        **rest,
        core=None,
    )


def rate(log, name, value, **params):
    log.add(
        "rate",
        name=name,
        params=params,
        unit="loops/s",
        value=value,
        rounds=5,
        ci=[round(value * 0.97), round(value * 1.02)],
        ipis=params["cpus"] - 1 if params.get("policy") in ("ipi", "ipi-all") else 0,
        invlpgbs=2 if str(params.get("policy")).startswith("broadcast") else 0,
    )


def rates(log, factor=1.0):
    for cpus in (1, 2, 4, 8, 16):
        log2 = math.log2(cpus)
        values = {
            "ipi": 320 + 150 * log2 - 20 * log2**2,
            "ipi-all": 250 + 40 * log2 - 15 * log2**2,
            "private": 330 + 150 * log2 - 19 * log2**2,
            "broadcast": 318 + 300 * log2 - 12 * log2**2,
            "broadcast-always": 300 + 280 * log2 - 12 * log2**2,
        }
        for policy, value in values.items():
            rate(log, "shootdown/unmap", round(value * 1000 * factor), cpus=cpus, policy=policy)
        for policy, value in {"private": 300 * cpus, "broadcast-always": 250 / cpus}.items():
            value = round(value * 1000 * factor)
            rate(log, "shootdown/private-unmap", value, cpus=cpus, policy=policy)


def matrix(log, cpus=16, name="ipi/rtt"):
    def value(a, b):
        if a == b:
            return None
        p, q = place(a, cpus), place(b, cpus)
        near = 1200 if p["core"] == q["core"] else 1900
        if p["llc"] != q["llc"]:
            near = 3100
        if p["package"] != q["package"]:
            near = 5200
        return near + (a * 7 + b * 13) % 97

    for row in range(cpus):
        log.add(
            "matrix",
            name=name,
            params={"mode": "unicast"},
            unit="tsc",
            row=row,
            p50=[value(row, column) for column in range(cpus)],
        )


def advice(log, scale=1):
    pages = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    log.add(
        "advice",
        tunable="tlb_single_page_flush_ceiling",
        params={"live": 512},
        value=41 * scale,
        why="up to here page by page costs less than a full flush and refill",
        unit="tsc",
        curves={
            "pages": pages,
            "one_by_one": [150 + 210 * n for n in pages],
            "full": [8600 * scale + 2 * n for n in pages],
        },
    )


CELLS = [
    {"page": page, "global": glob, "pcid": pcid, "cache": cache}
    for page in ("4k", "2m")
    for glob in (False, True)
    for pcid, cache in (("current", "leaf"), ("current", "paging"), ("other", "leaf"))
]


def checks(log, failing=True):
    for primitive in ("invlpg", "invpcid-addr", "invpcid-all", "cr3-reload", "cr4-pge-toggle"):
        for number, cell in enumerate(CELLS):
            if primitive == "cr3-reload" and cell["global"]:
                continue  # it need not
            result, why = "pass", ""
            if failing and primitive == "invlpg" and number in (4, 7):
                result, why = "fail", "3 of 1000 reads were stale after the flush"
            elif failing and primitive == "invpcid-all" and number == 2:
                result, why = "xfail", "3 of 1000 stale; erratum ADL063 at this microcode"
            elif cell["page"] == "2m" and cell["cache"] == "paging":
                result, why = "skip", "no control saw a stale read: the oracle is blind here"
            log.add(
                "check",
                name=f"stale/{primitive}",
                params=cell,
                result=result,
                why=why,
                control="1000 of 1000 stale with no flush",
            )
    log.add("check", name="smp/all-cpus-answer", params={}, result="pass", why="", control=None)


def benches(log, factor=1.0):
    for name, net in {
        "self/empty": 0,
        "self/nop-1000": 251,
        "local/invlpg-4k": 205,
        "local/cr3-reload": 250,
        "local/cr4-pge-toggle": 1480,
        "local/invpcid-addr": 410,
        "local/invpcid-all": 960,
        "ipi/unicast-rtt": 2900,
    }.items():
        bench(log, name, round(net * factor), baseline=40)
    for live in (1, 4, 16, 64, 256, 1024):
        for page in ("4k", "2m"):
            cost = 180 + live * (34 if page == "4k" else 21)
            bench(log, "refill/touch", round(cost * factor), live=live, page=page)
    bench(log, "broadcast/invlpgb", 0, modelled=True)


def full(cpus=16, factor=1.0, failing=True, **kwargs):
    """Every kind of record."""
    log = machine(Log(), cpus, **kwargs)
    benches(log, factor)
    rates(log, factor)
    matrix(log, cpus)
    advice(log, factor)
    checks(log, failing)
    log.add("retention", name="stale/invlpg", params={"cache": "paging"}, kept=981, of=1000)
    log.add("retention", name="stale/cr3-reload", params={"global": True}, kept=1000, of=1000)
    log.add("skip", name="local/rar", why="no Remote Action Request")
    log.add("skip", name="local/umwait", why="CPUID.7:ECX[5] WAITPKG = 0")
    return log
