# SPDX-License-Identifier: BSD-2-Clause
"""What the default run reports, and how the report behaves when it is damaged."""

import subprocess

from conftest import ROOT
from report import Report


def test_passes_and_is_whole(plain_run):
    assert plain_run.status == 0, plain_run.console + plain_run.messages
    end = plain_run.report.assert_whole()
    assert end["fail"] == 0
    assert end["pass"] >= 2
    assert end["benches"] >= 9


def test_log_file_holds_the_same_report(plain_run):
    kept = Report(plain_run.log.read_text(encoding="utf-8", errors="replace"))
    assert kept.records == plain_run.report.records


def test_says_what_was_run_and_where(plain_run):
    report = plain_run.report
    run = report.one("run")
    assert run["format"] == 1
    assert run["boot"] == "efi"
    assert run["cmdline"] == ""
    assert run["hypervisor"] == "TCGTCGTCGTCG"
    assert run["firmware"].startswith("UEFI 2.")
    assert run["compiler"].split()[0] in ("gcc", "clang")
    machine = report.one("machine")
    assert machine["vendor"] == "QEMU"
    assert 200 < machine["memory_mib"] <= 256
    cpu = report.one("cpu")
    assert {"pge", "nx", "hypervisor"} <= set(cpu["features"])
    assert cpu["disabled"] == []


def test_every_cpu_is_online_and_placed(plain_run):
    report = plain_run.report
    cpus = report.one("cpus")
    assert (cpus["expected"], cpus["online"], cpus["failed"]) == (4, 4, [])
    placed = report.all("cpu_at")
    assert [p["cpu"] for p in placed] == [0, 1, 2, 3]
    assert len({(p["package"], p["core"], p["thread"]) for p in placed}) == 4
    assert report.one("check", name="smp/all-cpus-answer")["result"] == "pass"


def test_clock_is_cross_checked(plain_run):
    clock = plain_run.report.one("clock")
    assert clock["tsc_hz"] > 10**6
    assert {c["source"] for c in clock["checks"]} >= {"HPET", "PM timer", "PIT"}
    assert clock["source"] in {c["source"] for c in clock["checks"]}


def test_core_cycles_are_null_where_nothing_counts_them(plain_run):
    """QEMU's TCG has no performance counters, and says so in CPUID."""
    report = plain_run.report
    clock = report.one("clock")
    for counter in ("core_counter", "walk_counter"):
        assert clock[counter] is None
        assert clock[f"{counter}_why"].startswith("CPUID"), clock
    for bench in report.all("bench"):
        assert bench["core"] is None
        assert bench["walk"] is None
    assert " core" not in "".join(line for line in report.lines if "[95% of median]" in line)


def test_missing_feature_is_a_skip_that_names_its_bit(plain_run):
    report = plain_run.report
    features = report.one("cpu")["features"]
    for name, feature, bit in (
        ("local/cr3-noflush", "pcid", "CPUID.1:ECX[17] PCID = 0"),
        ("local/invpcid-all", "invpcid", "CPUID.7:EBX[10] INVPCID = 0"),
        ("broadcast/flush", "invlpgb", "CPUID 8000_0008:EBX[3] INVLPGB = 0"),
    ):
        if feature in features:
            assert report.bench(name)
        else:
            assert report.one("skip", name=name)["why"] == bit


def test_bench_records_agree_with_themselves(plain_run):
    for bench in plain_run.report.all("bench"):
        order = [bench[k] for k in ("min", "p5", "p25", "p50", "p75", "p95", "p99", "max")]
        assert order == sorted(order), bench
        assert bench["ci"][0] <= bench["p50"] <= bench["ci"][1]
        assert abs(bench["net"] - (bench["p50"] - bench["baseline"])) < 0.001
        assert bench["n"] >= 1
        assert bench["unit"] == "tsc"
    for name in ("local/cr3-reload", "local/cr4-pge-toggle", "local/invlpg-4k"):
        assert plain_run.report.bench(name)
        assert plain_run.report.bench(name, "throughput")["params"]["unroll"] == 16
    assert plain_run.report.bench("ipi/unicast-rtt")["net"] > 0


def test_stale_check_has_a_control_that_saw_stale_reads(plain_run):
    params = {"page": "4k", "global": 0, "pcid": "current", "cache": "leaf"}
    check = plain_run.report.one("check", name="stale/invlpg", params=params)
    if check["result"] == "skip":
        assert check["why"].startswith("blind")
    else:
        assert check["result"] == "pass"
        assert "control saw" in check["control"]


def test_progress_is_numbered_without_gaps(plain_run):
    places = [
        line[1 : line.index("]")].split("/")
        for line in plain_run.report.lines
        if line.startswith("[") and "/" in line[:8]
    ]
    total = int(places[0][1])
    assert [int(p[0]) for p in places] == list(range(1, total + 1))


def test_text_fits_a_terminal(plain_run):
    for line in plain_run.report.lines:
        if "@SD1" not in line:
            assert len(line) <= 132, line


def report_check(path):
    return subprocess.run(
        [str(ROOT / "build/shootdown-report"), "check", str(path)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_shootdown_report_accepts_the_log(plain_run):
    done = report_check(plain_run.log)
    assert done.returncode == 0, done.stdout


def test_log_cut_in_the_middle_is_noticed(plain_run, tmp_path):
    whole = plain_run.log.read_bytes()
    cut = tmp_path / "cut.log"
    cut.write_bytes(whole[: len(whole) // 2])
    done = report_check(cut)
    assert done.returncode == 2
    assert "incomplete" in done.stdout


def test_log_with_a_lost_line_is_noticed(plain_run, tmp_path):
    lines = plain_run.log.read_bytes().split(b"\n")
    lines = [line for line in lines if b'"seq":12,' not in line]
    lost = tmp_path / "lost.log"
    lost.write_bytes(b"\n".join(lines))
    done = report_check(lost)
    assert done.returncode == 2
    assert "12" in done.stdout


def test_local_invalidation_has_its_whole_price_list(plain_run):
    report = plain_run.report
    for name in (
        *("invlpg-4k", "invlpg-4k-global", "invlpg-2m", "invlpg-not-present"),
        *("invlpg-non-canonical", "cr3-reload", "cr4-pge-toggle", "cr4-pge-bare", "cr4-rewrite"),
    ):
        for live in (0, 64):
            assert report.bench(f"local/{name}", live=live, page="4k")["n"] > 0
        assert report.bench(f"local/{name}", "throughput", live=0)["n"] > 0
    # Live pages are read before a section, so there is no throughput with them.
    assert not [
        r
        for r in report.all("bench")
        if r["params"]["mode"] == "throughput" and r["params"].get("live")
    ]


def test_refilling_costs_more_after_a_flush_than_after_none(plain_run):
    """By far, on any machine: so much can be said of times."""
    report = plain_run.report
    none = report.bench("refill/none", live=512, page="4k")["net"]
    for flush in ("cr3-reload", "cr4-pge-toggle"):
        assert report.bench(f"refill/{flush}", live=512, page="4k")["net"] > 2 * none


def test_advice_comes_with_the_curves_it_was_read_from(plain_run):
    report = plain_run.report
    (advice,) = report.all("advice")
    assert advice["tunable"] == "tlb_single_page_flush_ceiling"
    assert advice["params"] == {"live": 512}
    pages, one_by_one, full = (advice["curves"][k] for k in ("pages", "one_by_one", "full"))
    assert pages == [2**i for i in range(11)]
    assert one_by_one == [
        report.bench("local/range-one-by-one", live=512, pages=n)["net"] for n in pages
    ]
    assert set(full) == {report.bench("local/range-full", live=512)["net"]}
    value = advice["value"]
    below = [n for n, cost in zip(pages, one_by_one, strict=True) if cost <= full[0]]
    assert max(below, default=0) <= value <= 2 * max(below, default=0.5)
    least, most = advice["ci"]
    assert least <= value <= most
    assert f"advice: {advice['tunable']}={value} [{least}, {most}] with live=512" in report.text
    assert advice["why"].endswith("(an emulator's times)")


def test_what_may_survive_is_told_and_not_judged(plain_run):
    rows = plain_run.report.all("retention")
    assert rows
    for row in rows:
        assert 0 <= row["kept"] <= row["of"]
        assert row["name"].startswith("stale/")
    judged = {(c["name"], str(c["params"])) for c in plain_run.report.all("check")}
    assert not judged & {(r["name"], str(r["params"])) for r in rows}
