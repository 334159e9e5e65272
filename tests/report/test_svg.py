# SPDX-License-Identifier: BSD-2-Clause
"""The svg command: single pictures."""

import os
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import DATA, PROGRAM, report
from synthetic import Log, advice, bench, full, machine, matrix, rate

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "a.log"
    path.write_text(full().text())
    return path


def names_of(*files):
    done = report("svg", *files, "--plot", "list")
    return [text.split("  ")[0] for text in done.stdout.splitlines()]


def picture(tmp_path, name, *files, args=()):
    out = tmp_path / "x.svg"
    done = report("svg", *files, "--plot", name, "-o", out, *args)
    assert done.returncode == 0, done.stderr
    return ElementTree.parse(out).getroot()


def texts(svg):
    return ["".join(text.itertext()).strip() for text in svg.iter(f"{SVG}text")]


def test_names(log):
    assert names_of(log) == [
        "scaling:shootdown/unmap",
        "published:scaling",
        "private:shootdown/unmap",
        "private:shootdown/private-unmap",
        "published:private",
        "matrix:ipi/rtt",
        "range:tlb_single_page_flush_ceiling",
        "sweep:refill/touch:live",
        "spread:self",
        "spread:local",
        "spread:ipi",
        "spread:refill",
    ]


def test_each_is_a_picture(log, tmp_path):
    for name in names_of(log):
        svg = picture(tmp_path, name, log)
        assert svg.tag == f"{SVG}svg"
        assert float(svg.get("width")) >= 400 and float(svg.get("height")) > 100
        assert svg.find(f"{SVG}title").text
        assert "prefers-color-scheme:dark" in svg.find(f"{SVG}style").text
        assert len(list(svg.iter(f"{SVG}path"))) > 3


def test_a_line_for_each_policy(log, tmp_path):
    said = texts(picture(tmp_path, "scaling:shootdown/unmap", log))
    for policy in ("ipi", "ipi-all", "private", "broadcast", "broadcast-always"):
        assert policy in said
    assert "CPUs" in said and "thousand loops/s" in said


def test_only_two_policies_where_locality_is_the_question(log, tmp_path):
    said = texts(picture(tmp_path, "private:shootdown/unmap", log))
    assert "private" in said and "broadcast-always" in said
    assert "ipi" not in said and "broadcast" not in said


def test_published_is_called_so(log, tmp_path):
    said = texts(picture(tmp_path, "published:scaling", log))
    assert "Published: IPI and INVLPGB, AMD Milan with 72 CPUs" in said
    assert "IPI" in said and "INVLPGB" in said


def test_the_crossover_is_marked(log, tmp_path):
    svg = picture(tmp_path, "range:tlb_single_page_flush_ceiling", log)
    said = texts(svg)
    assert "41" in said and "one_by_one" in said and "full" in said
    assert [text for text in ("1", "2", "64", "512") if text not in said] == []


def test_no_crossover_no_mark(tmp_path):
    log = machine(Log())
    advice(log)
    log.records[-1]["value"] = None
    (tmp_path / "b.log").write_text(log.text())
    said = texts(picture(tmp_path, "range:tlb_single_page_flush_ceiling", tmp_path / "b.log"))
    assert "41" not in said and "full" in said


def cells(svg):
    return [group for group in svg.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]


def test_a_cell_for_each_pair_by_topology(log, tmp_path):
    svg = picture(tmp_path, "matrix:ipi/rtt", log)
    titles = [cell.find(f"{SVG}title").text for cell in cells(svg)]
    assert len(titles) == 16 * 15
    pair = "CPU 0 (package 0, cache 0, core 0, thread 0) to CPU 8 (package 0, cache 0, core 0, thread 1)"
    assert any(title.startswith(pair) for title in titles)
    said = texts(svg)
    assert [said.count(f"P{p} L{c}") for p, c in ((0, 0), (0, 1), (1, 2), (1, 3))] == [2] * 4
    order = [text for text in said if text.isdigit()][:32:2]
    assert order == "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15".split()


def test_a_matrix_names_the_cpus_it_is_of(tmp_path):
    log = machine(Log(), 64)
    cpus = [0, 3, 7, 50]
    for row in cpus:
        p50 = [None if row == column else 1000 + column for column in cpus]
        params = {"fence": "none"}
        log.add("matrix", name="m/m", params=params, unit="tsc", row=row, columns=cpus, p50=p50)
    (tmp_path / "b.log").write_text(log.text())
    svg = picture(tmp_path, "matrix:m/m", tmp_path / "b.log", args=("--unit", "ticks"))
    titles = {cell.find(f"{SVG}title").text for cell in cells(svg)}
    assert len(titles) == 12
    assert all(int(re.search(r"to CPU (\d+)", t)[1]) + 1000 == int(t.split()[-1]) for t in titles)
    far = "CPU 50 (package 1, cache 2, core 18, thread 1)"
    assert sum(title.startswith(far) for title in titles) == 3


def test_a_matrix_of_one_row_is_no_square(tmp_path):
    log = machine(Log(), 4)
    log.add("matrix", name="m/m", params={}, unit="tsc", row=0, columns=[1, 2, 3], p50=[9, 8, 7])
    log.add("matrix", name="n/n", params={}, unit="tsc", row=0, p50=[None, 8, 7, 6])
    log.add("matrix", name="n/n", params={}, unit="tsc", row=3, p50=[1, 2, 3, None])
    (tmp_path / "b.log").write_text(log.text())
    svg = picture(tmp_path, "matrix:m/m", tmp_path / "b.log", args=("--unit", "ticks"))
    assert len(cells(svg)) == 3 and float(svg.get("height")) < 250
    svg = picture(tmp_path, "matrix:n/n", tmp_path / "b.log", args=("--unit", "ticks"))
    assert len(cells(svg)) == 6 and float(svg.get("height")) > 400


def test_rates_without_a_policy_are_no_shootdowns(tmp_path):
    log = machine(Log(), 4)
    for cpus in (2, 3, 4):
        rate(log, "ipi/mesh", 1000 * cpus, cpus=cpus, fence="none")
    (tmp_path / "b.log").write_text(log.text())
    assert names_of(tmp_path / "b.log") == ["rate:ipi/mesh"]
    said = texts(picture(tmp_path, "rate:ipi/mesh", tmp_path / "b.log"))
    assert {"2", "3", "4"} <= set(said) and "2.5" not in said


def test_columns_may_be_anything(tmp_path):
    log = machine(Log(), 4)
    for columns in ([0], [], None, 5, "x", [1, "2", -1, 2**62, 1e9, 1], [4095, 4096, 2]):
        log.add("matrix", name="m/m", params={}, unit="tsc", row=1, columns=columns, p50=[9] * 8)
    log.add("matrix", name="m/m", params={}, unit="tsc", row=2**40, p50=[5])
    (tmp_path / "b.log").write_text(log.text())
    svg = picture(tmp_path, "matrix:m/m", tmp_path / "b.log", args=("--unit", "ticks"))
    ends = [re.search(r"to CPU (\d+)", cell.find(f"{SVG}title").text)[1] for cell in cells(svg)]
    assert sorted(ends, key=int) == ["0", "1", "2", "4095"]


def test_near_is_lighter_than_far(log, tmp_path):
    svg = picture(tmp_path, "matrix:ipi/rtt", log)
    colors = {}
    for cell in cells(svg):
        title = cell.find(f"{SVG}title").text
        same = len(set(re.findall(r"package (\d)", title))) == 1
        colors.setdefault(same, set()).add(cell.find(f"{SVG}rect").get("fill"))
    assert colors[False] == {"#440154"}
    assert "#fde725" in colors[True] and "#440154" not in colors[True]


def test_a_matrix_without_topology(tmp_path):
    log = Log().add("run", format=1, hypervisor="none")
    matrix(log, 4)
    (tmp_path / "b.log").write_text(log.text())
    svg = picture(tmp_path, "matrix:ipi/rtt", tmp_path / "b.log")
    assert len(cells(svg)) == 12
    assert "unknown" in texts(svg)


def test_several_files_are_laid_over_each_other(log, tmp_path):
    other = tmp_path / "b.log"
    other.write_text(full(8, 2).text())
    said = texts(picture(tmp_path, "scaling:shootdown/unmap", log, other))
    assert "ipi, A" in said and "ipi, B" in said
    names = names_of(log, other)
    assert "matrix:ipi/rtt:A" in names and "matrix:ipi/rtt:B" in names
    said = texts(picture(tmp_path, "spread:local", log, other))
    assert said.index("invlpg-4k, B") == said.index("invlpg-4k, A") + 1


def test_modelled_records_are_not_drawn(log, tmp_path):
    assert "spread:broadcast" not in names_of(log)


def test_ns_by_the_clock_or_ticks(log, tmp_path):
    ns = texts(picture(tmp_path, "spread:local", log))
    ticks = texts(picture(tmp_path, "spread:local", log, args=("--unit", "ticks")))
    assert "ns, the whole section" in ns and "ticks, the whole section" in ticks


def test_to_standard_output(log):
    done = report("svg", log, "--plot", "spread:local", "-o", "-")
    assert done.stdout.startswith("<?xml") and done.stdout.endswith("</svg>\n")


def test_a_name_that_is_none_is_answered_with_those_there_are(log, tmp_path):
    done = report("svg", log, "--plot", "spread:loca", "-o", tmp_path / "x.svg")
    assert done.returncode == 3
    assert "no plot 'spread:loca'" in done.stderr and "spread:local" in done.stderr
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize(
    "args",
    [
        ("svg", "qemu.log"),
        ("svg", "qemu.log", "--plot", "spread:local"),
        ("svg", "--plot", "list"),
        ("svg", "nowhere.log", "--plot", "list"),
        ("svg", "qemu.log", "--plot", "spread:local", "-o", "/nowhere/x.svg"),
    ],
)
def test_what_can_not_be_done_is_told(args):
    done = report(*args)
    assert done.returncode == 3
    assert done.stderr


def run_with_path(path, *args):
    return subprocess.run(
        [str(PROGRAM), *map(str, args)],
        cwd=DATA,
        env={**os.environ, "PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_no_gnuplot(tmp_path):
    out = tmp_path / "x.svg"
    done = run_with_path(str(tmp_path), "svg", "qemu.log", "--plot", "spread:local", "-o", out)
    assert done.returncode == 3
    assert done.stderr == (
        "shootdown-report: no picture: gnuplot is missing (Debian's package gnuplot-nox)\n"
    )
    assert not out.exists()


def test_a_gnuplot_that_hangs_is_stopped(tmp_path):
    program = tmp_path / "gnuplot"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    started = time.monotonic()
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = run_with_path(path, "svg", "qemu.log", "--plot", "spread:local", "-o", tmp_path / "x")
    assert done.returncode == 3
    assert "gnuplot was stopped" in done.stderr
    assert time.monotonic() - started < 300  # of 600


def run_fake(tmp_path, script, closing="", **kwargs):
    """svg with such a gnuplot, and with some of its first three files closed."""
    program = tmp_path / "gnuplot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    command = f"'{PROGRAM}' svg qemu.log --plot spread:local -o '{tmp_path}/x.svg' {closing}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=DATA,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        **kwargs,
    )


def test_a_gnuplot_that_closes_its_output_and_hangs_is_stopped(tmp_path):
    done = run_fake(tmp_path, "exec >/dev/null 2>/dev/null sleep 60", timeout=40)
    assert done.returncode == 3
    assert "gnuplot was stopped" in done.stderr


def test_messages_without_end_are_cut(tmp_path):
    done = run_fake(tmp_path, "yes | head -c 5000000 >&2\necho 'line 1: the end' >&2\nexit 1")
    assert done.returncode == 3
    assert "gnuplot failed" in done.stderr and "the end" not in done.stderr


@pytest.mark.parametrize("closing", ["<&-", ">&-", "<&- >&-"])
def test_it_may_be_started_with_files_closed(tmp_path, closing):
    done = run_fake(tmp_path, "echo 'line 3: all is lost' >&2\nexit 1", closing)
    assert done.returncode == 3
    assert "gnuplot failed: all is lost" in done.stderr
    (tmp_path / "gnuplot").unlink()
    done = run_fake(tmp_path, f"exec {shutil.which('gnuplot')} --default-settings", closing)
    assert done.returncode == 0
    assert ElementTree.parse(tmp_path / "x.svg").getroot().tag == f"{SVG}svg"


def test_a_damaged_log_has_pictures_too(log, tmp_path):
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:-1]))
    done = report("svg", log, "--plot", "spread:local", "-o", tmp_path / "x.svg")
    assert done.returncode == 2
    assert (tmp_path / "x.svg").exists()


def test_names_are_told_apart(tmp_path):
    log = machine(Log(), 4)
    for name, params in (("m/m", {}), ("m/m", {"a": 1}), ("m/m#2", {}), ("m/m", {"a": 2})):
        log.add("matrix", name=name, params=params, unit="tsc", row=0, p50=[None, 5, 6, 7])
    (tmp_path / "b.log").write_text(log.text())
    names = names_of(tmp_path / "b.log")
    assert names[0] == "matrix:m/m" and len(names) == len(set(names)) == 4


def test_no_more_lines_than_can_be_told_apart(tmp_path):
    log = machine(Log())
    for number in range(100):
        for live in (1, 2, 3):
            bench(log, "a/x", live * 10, live=live, of=f"line {number}")
    (tmp_path / "b.log").write_text(log.text())
    said = texts(picture(tmp_path, "sweep:a/x:live", tmp_path / "b.log"))
    assert "of=line 63" in said and "of=line 64" not in said
