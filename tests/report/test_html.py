# SPDX-License-Identifier: BSD-2-Clause
"""The html command: what a page holds, and that a browser shows it and asks for nothing else.

SHOOTDOWN_SCREENSHOTS=DIR keeps pictures of the pages, to be looked at.
"""

import json
import os
import random
import re
import shutil
import stat
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import DATA, PROGRAM, report
from make_log import Log as PlainLog
from make_log import all_types, line
from synthetic import Log, advice, bench, checks, full, machine, rate

HOSTILE = "\"><script>boom()</script><img src='http://nowhere.invalid/x.png' onerror=boom()>&amp;"
INJECTION = "'; system 'touch injected'; \\n`touch injected`\n$(touch injected)"


def write_page(tmp_path, *logs, args=(), **kwargs):
    """Returns what the command said, and the page."""
    out = tmp_path / "page.html"
    done = report("html", *logs, "-o", out, *args, **kwargs)
    return done, out.read_text(encoding="utf-8") if out.exists() else None


def log_file(tmp_path, log, name="a.log"):
    path = tmp_path / name
    path.write_text(log.text(), encoding="ascii")
    return path


def without_gnuplot(tmp_path):
    return {**os.environ, "PATH": str(tmp_path)}


def run_in(env, *args, cwd):
    return subprocess.run(
        [str(PROGRAM), *map(str, args)],
        env={**env, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"},
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def everywhere(value, text):
    """A record's member with all strings replaced."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [everywhere(item, text) for item in value]
    if isinstance(value, dict):
        return {
            key if key in ("mode", "policy", "cpus") else text[:40] + key: (
                item if key == "mode" else everywhere(item, text)
            )
            for key, item in value.items()
        }
    return value


def with_strings(log, text):
    """All strings of all records replaced but for those that readers go by."""
    kept = ("type", "result", "mode", "unit")
    for number, record in enumerate(log.records):
        for key, value in record.items():
            if key == "name" or key == "tunable":
                record[key] = f"{text}{number % 3}/{text}"
            elif key not in kept:
                record[key] = everywhere(value, text)
    return log


def some_of_many():
    """Matrices of four CPUs of 64, and rates, as ipi/ has them."""
    log = machine(Log(), 64)
    cpus = [0, 3, 7, 50]
    for row in cpus:
        p50 = [None if row == column else 1000 + column for column in cpus]
        log.add("matrix", name="ipi/rtt", params={}, unit="tsc", row=row, columns=cpus, p50=p50)
    fields = {"row": 0, "columns": cpus[1:], "p50": [-45, 200, 81]}
    log.add("matrix", name="ipi/tsc-offset", params={"of": "offset"}, unit="tsc", **fields)
    for number in (2, 4, 8, 16):
        rate(log, "ipi/mesh", 90000 * number, cpus=number, fence="none", apic="x2apic")
    return log


@pytest.fixture(scope="session")
def browser():
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            pytest.skip(f"no {program}: tools/setup.sh browser")
    selenium = pytest.importorskip("selenium", reason="no selenium: tools/setup.sh browser")
    from browser import Browser

    assert selenium
    started = Browser()
    yield started
    started.quit()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Pages by name, each with the logs that it was made of."""
    place = tmp_path_factory.mktemp("pages")
    logs = {
        "one": [log_file(place, full(), "one.log")],
        "two": [
            log_file(place, full(hypervisor="TCGTCGTCGTCG"), "a.log"),
            log_file(place, full(8, 1.4, failing=False, brand="Another CPU"), "b.log"),
        ],
        "many": [log_file(place, full(96), "many.log")],
        "hostile": [log_file(place, with_strings(full(), HOSTILE), "hostile.log")],
        "some": [log_file(place, some_of_many(), "some.log")],
        "types": [all_types().write(place / "types.log")],
        "qemu": [DATA / "qemu.log"],
        "bochs": [DATA / "bochs.log"],
    }
    made = {}
    for name, files in logs.items():
        out = place / f"{name}.html"
        report("html", *files, "-o", out)
        made[name] = (out, files)
    return made


PAGES = ("one", "two", "many", "some", "hostile", "types", "qemu", "bochs")


def nr_plots(files):
    return len(report("svg", *files, "--plot", "list").stdout.splitlines())


@pytest.mark.parametrize("name", PAGES)
def test_a_browser_shows_it_and_asks_for_nothing_else(browser, pages, name):
    path, files = pages[name]
    browser.open(path)
    assert browser.requests() == [path.as_uri()]
    assert browser.complaints() == []
    assert browser.run("return document.scripts.length") == 0
    assert browser.run("return document.images.length") == 0
    sizes = browser.run(
        "return [...document.querySelectorAll('svg.plot')].map(svg => {"
        "  const r = svg.getBoundingClientRect();"
        "  return [r.width, r.height, svg.querySelectorAll('path,rect,use').length]})"
    )
    assert len(sizes) == nr_plots(files) > 0
    assert all(width > 250 and height > 80 and shapes > 5 for width, height, shapes in sizes), sizes


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 1280])
def test_only_tables_scroll_sideways(browser, pages, name, width):
    path, _ = pages[name]
    browser.open(path, width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    beyond = browser.run(
        "return [...document.body.querySelectorAll('*')].filter(e =>"
        "  !e.closest('.scroll *') && !e.closest('svg *') &&"
        "  e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    keep = os.environ.get("SHOOTDOWN_SCREENSHOTS")
    if keep:
        for scheme in ("light", "dark"):
            browser.media(scheme)
            browser.screenshot(Path(keep) / f"{name}-{width}-{scheme}.png")
        browser.media()


@pytest.mark.parametrize("name", ["two", "many", "hostile"])
def test_ids_are_unique_and_links_lead_somewhere(browser, pages, name):
    browser.open(pages[name][0])
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    links = browser.run(
        "return [...document.querySelectorAll('a, use')].map(e =>"
        "  e.getAttribute('href') || e.getAttribute('xlink:href'))"
    )
    assert links
    assert {link for link in links if not (link[0] == "#" and link[1:] in ids)} == set()


# The contrast of each text with what is behind it (WCAG 2), where that is a plain colour.
CONTRAST = """
const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const behind = e => {
    for (; e; e = e.parentElement) {
        const back = rgb(getComputedStyle(e).backgroundColor);
        if (back.length === 3 || back[3] > 0) return back;
    }
    return [255, 255, 255];
};
const poor = {};
for (const e of document.body.querySelectorAll('*')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (e.matches('style, title') || e.matches('.on-light, .on-dark')) continue;
    const style = getComputedStyle(e);
    const a = light(rgb(e.closest('svg') ? style.fill : style.color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor[e.outerHTML.slice(0, 90)] = ratio;
}
return poor;
"""

# That of lines and points with the paper, for which 3 is enough.
LINES = """
const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const poor = [];
for (const svg of document.querySelectorAll('figure:not(.wide) svg.plot')) {
    const b = light(rgb(getComputedStyle(svg).backgroundColor));
    for (const e of svg.querySelectorAll('[id*=_plot_] path, [id*=_plot_] use')) {
        const style = getComputedStyle(e);
        const color = e.tagName === 'use' ? style.color : style.stroke;
        if (color === 'none') continue;
        const a = light(rgb(color));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 3) poor.push([color, ratio]);
    }
}
return poor;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["one", "two", "qemu"])
def test_contrast(browser, pages, name, scheme):
    browser.open(pages[name][0], scheme=scheme)
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert browser.run(CONTRAST) == {}
    assert browser.run(LINES) == []


def test_paper_is_white_even_where_the_screen_is_dark(browser, pages):
    browser.open(pages["two"][0], scheme="dark")
    browser.media("dark", "print")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert browser.run(CONTRAST) == {}
    assert browser.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.media()


def test_order_of_a_page(pages):
    text = pages["one"][0].read_text()
    marks = [
        "2 checks failed",
        "3 of 1000 reads were stale after the flush",
        "Summary</h2>",
        "Shootdowns over CPUs</h2>",
        "From CPU to CPU</h2>",
        "Flushing a range</h2>",
        "Distributions</h2>",
        "Tables</h2>",
        "Skipped, and why</h2>",
        "CPUID.7:ECX[5] WAITPKG = 0",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def rows_of(text, label):
    """A table's cells, row by row."""
    table = re.search(rf'aria-label="{re.escape(label)}">\s*<table>(.*?)</table>', text, re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", table.group(1), re.S)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S) for row in rows]
    return [[re.sub(r"<[^>]*>", "", cell) for cell in row] for row in cells]


class Structure(HTMLParser):
    """Finds what is wrong with a page's elements, its headings and its tables."""

    VOID = ("meta", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.headings = [], [], []
        self.row, self.section, self.columns, self.rows = None, None, None, 0
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        if tag in self.VOID:
            return
        self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > (self.headings[-1] if self.headings else 0) + 1:
                self.wrong.append(f"{self.getpos()}: {tag} below h{self.headings[-1]}")
            self.headings.append(level)
        elif tag == "table":
            self.columns = None
        elif tag in ("thead", "tbody"):
            self.section, self.rows = tag, 0
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.row.append("")
            wanted = {"thead": "col", "tbody": "row"}[self.section]
            if tag == "th" and dict(attrs).get("scope") != wanted:
                self.wrong.append(f"{self.getpos()}: scope is not {wanted}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"{self.getpos()}: </{tag}>")
        if tag == "tr":
            self.columns = self.columns or len(self.row)
            self.rows += 1
            if not self.row or len(self.row) != self.columns:
                self.wrong.append(f"{self.getpos()}: {len(self.row)} cells of {self.columns}")
            self.row = None
        elif tag == "thead" and not self.rows:
            self.wrong.append(f"{self.getpos()}: nothing in <thead>")
        elif tag == "th" and not self.row[-1].strip():
            self.wrong.append(f"{self.getpos()}: a heading of nothing")

    def handle_data(self, data):
        if self.row:
            self.row[-1] += data


@pytest.mark.parametrize("name", PAGES)
def test_structure(pages, name):
    found = Structure(pages[name][0].read_text())
    assert found.wrong == []
    assert found.headings[:2] == [1, 2]


def test_curves_are_in_their_own_unit(tmp_path):
    log = machine(Log())
    advice(log)
    advice(log)
    log.records[-1].update(unit="cycles", params={"live": 8})
    _, text = write_page(tmp_path, log_file(tmp_path, log))
    assert "live=512; what it is by, in ns<" in text
    assert "live=8; what it is by, in cycles<" in text
    assert text.count("what it is by") == 2


def test_headings_without_a_group(pages):
    text = pages["one"][0].read_text()
    assert "<h3>Advice</h3>" in text and "<h3>All checks</h3>" in text
    assert "<h3>tlb_single_page_flush_ceiling <span" in text


def test_rates_in_ticks(tmp_path):
    log = machine(Log(), hz=2 * 10**9)
    rate(log, "a/x", 3000, cpus=2)
    log.records[-1]["unit"] = "tsc"
    path = log_file(tmp_path, log)
    _, text = write_page(tmp_path, path)
    assert rows_of(text, "rates, more is better")[1][2:4] == ["3000", "ticks"]
    _, text = write_page(tmp_path, path, path)
    assert rows_of(text, "side by side")[1][1:] == ["1500", "1500", "1"]


def test_ratios_are_no_verdicts(pages):
    text = pages["two"][0].read_text()
    above = text[: text.index('aria-label="side by side"')][-600:]
    assert "no verdicts" in above and "shootdown-report compare" in above


def test_published_tables_stand_beside_and_are_named_as_such(pages):
    text = pages["one"][0].read_text()
    milan = rows_of(text, "IPI and INVLPGB, AMD Milan with 72 CPUs")
    assert milan[0] == ["threads", "IPI", "INVLPGB", "ratio"]
    assert milan[1] == ["1", "315000", "304000", "0.97"]
    assert milan[-1] == ["72", "609000", "993000", "1.63"]
    assert len(milan) == 9
    arm = rows_of(text, "broadcast and local, arm64")
    assert arm[1][:3] == ["1", "9109", "8903"] and arm[-1][:3] == ["128", "1315", "8257"]
    flush = rows_of(text, "flushing everything")
    assert [row[1:] for row in flush[1:]] == [["376", "391.8"], ["539", "604.1"]]
    assert text.count("published, not measured here") == 3
    assert "will-it-scale tlb_flush2_threads" in text and "stress-ng --tlb-shootdown" in text


def test_nothing_published_where_nothing_of_the_kind_was_measured(pages):
    rates = pages["types"][0].read_text()
    assert "AMD Milan" in rates and "arm64" not in rates
    assert "AMD Milan" not in pages["qemu"][0].read_text()


def test_staleness_by_primitive_and_case(pages):
    table = rows_of(pages["one"][0].read_text(), "verdicts by primitive and case")
    assert len(table[0]) == 13
    cells = {row[0]: row[1:] for row in table[1:]}
    assert set(cells) == {"invlpg", "invpcid-addr", "invpcid-all", "cr3-reload", "cr4-pge-toggle"}
    assert [i for i, cell in enumerate(cells["invlpg"]) if cell == "✗ FAIL"] == [4, 7]
    assert cells["invpcid-all"][2] == "! xfail"
    assert cells["invpcid-addr"][0] == "✓ pass"
    assert cells["cr4-pge-toggle"][7] == "– skip"
    assert cells["cr3-reload"][3] == ""


def test_pairs_of_cpus_by_how_near_they_are(pages):
    table = rows_of(pages["one"][0].read_text(), "by how near they are")
    assert [row[:2] for row in table[1:]] == [
        ["same core", "16"],
        ["same last-level cache", "32"],
        ["same package, another cache", "64"],
        ["another package", "128"],
    ]


def test_emulators_and_models_are_named_on_top(pages):
    text = pages["two"][0].read_text()
    top = text[: text.index("Summary</h2>")]
    assert "Times of A are those of an emulator, QEMU TCG" in top
    assert "Times of B" not in top
    assert "1 record of B modelled" in top
    assert "modelled, no times" in text


def test_a_hypervisor_is_no_emulator(tmp_path):
    _, text = write_page(tmp_path, log_file(tmp_path, full(hypervisor="KVMKVMKVM")))
    assert "Times were taken under a hypervisor</strong>, KVMKVMKVM" in text
    assert "emulator" not in text[: text.index("Summary</h2>")]


def test_several_files_are_side_by_side(pages):
    text = pages["two"][0].read_text()
    table = rows_of(text, "side by side")
    assert table[0] == ["", "A", "B", "B/A"]
    rows = {row[0]: row[1:] for row in table}
    assert rows["local/cr4-pge-togglemode=latency others=hlt"] == ["604.1", "845.7", "1.40"]
    assert rows["shootdown/unmapcpus=4 policy=ipi"] == ["540000", "756000", "1.40"]
    assert "A: Test CPU, no such machine" in text and "B: Another CPU" in text
    assert "broadcast-always, B" in text


def test_hostile_strings_stay_text(pages):
    text = pages["hostile"][0].read_text()
    assert "&lt;script&gt;boom()&lt;/script&gt;" in text
    assert "<script" not in text and "<img" not in text
    assert "&amp;amp;" in text


def test_strings_mean_nothing_to_gnuplot(tmp_path):
    log = log_file(tmp_path, with_strings(full(), INJECTION))
    done, text = write_page(tmp_path, log, cwd=tmp_path)
    assert done.returncode == 0
    assert "No picture" not in text and not done.stderr
    assert not (tmp_path / "injected").exists()


def test_no_gnuplot_no_curves_but_a_page(tmp_path):
    log = log_file(tmp_path, full())
    done = run_in(
        without_gnuplot(tmp_path), "html", log, "-o", tmp_path / "page.html", cwd=tmp_path
    )
    assert done.returncode == 0
    assert re.search(
        r"^shootdown-report: \d+ pictures are left out: gnuplot is missing "
        r"\(Debian's package gnuplot-nox\)$",
        done.stderr,
        re.M,
    )
    text = (tmp_path / "page.html").read_text()
    assert "No picture: gnuplot is missing" in text
    assert text.count("<svg") == 1, "the heat map needs no gnuplot"
    assert "cr4-pge-toggle" in text


@pytest.mark.parametrize(
    "script, says",
    [
        ("exit 0", "gnuplot's output is no picture"),
        ("echo 'line 3: all is lost' >&2; exit 1", "gnuplot failed: all is lost"),
        ("kill -9 $$", "gnuplot failed"),
    ],
)
def test_a_gnuplot_that_fails_is_quoted(tmp_path, script, says):
    (tmp_path / "gnuplot").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "gnuplot").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    log = log_file(tmp_path, full())
    done = run_in(env, "html", log, "-o", tmp_path / "page.html", cwd=tmp_path)
    assert done.returncode == 0
    assert says in done.stderr


def test_damage_is_on_top(tmp_path):
    log = tmp_path / "a.log"
    lines = full().text().splitlines(keepends=True)
    log.write_text("".join(lines[:40] + lines[41:]))
    done, text = write_page(tmp_path, log)
    assert done.returncode == 2
    assert "damaged or incomplete" in text[: text.index("Summary</h2>")]


def test_nothing_at_all(tmp_path):
    (tmp_path / "a.log").write_text("no report\n")
    done, text = write_page(tmp_path, tmp_path / "a.log")
    assert done.returncode == 2
    assert "damaged or incomplete" in text


@pytest.mark.parametrize(
    "args",
    [
        ("html",),
        ("html", "qemu.log"),
        ("html", "-o", "OUT"),
        ("html", "qemu.log", "-o", "/nowhere/x.html"),
        ("html", "qemu.log", "-o", "/"),
        ("html", "qemu.log", "-o", "OUT", "--unit", "core"),
        ("html", "qemu.log", "-o", "OUT", "--unit", "furlongs"),
        ("html", "nowhere.log", "-o", "OUT"),
    ],
)
def test_what_can_not_be_done_is_told(tmp_path, args):
    out = tmp_path / "x.html"
    done = report(*(str(out) if arg == "OUT" else arg for arg in args))
    assert done.returncode == 3
    assert done.stderr
    assert not out.exists()


def test_the_file_is_replaced_whole(tmp_path):
    out = tmp_path / "page.html"
    out.write_text("earlier")
    link = tmp_path / "link.html"
    link.symlink_to(out)
    assert report("html", "qemu.log", "-o", link).returncode == 0
    assert link.is_symlink()
    assert out.read_text().endswith("</html>\n")
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~current_umask()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html"]


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    out = tmp_path / "page.html"
    out.write_text("earlier")
    out.chmod(mode)
    assert report("html", "qemu.log", "-o", out).returncode == 0
    assert out.read_text().endswith("</html>\n")
    assert stat.S_IMODE(out.stat().st_mode) == mode


def test_a_link_to_nothing_yet_stays_a_link(tmp_path):
    (tmp_path / "sub").mkdir()
    first, second = tmp_path / "first.html", tmp_path / "sub/second.html"
    first.symlink_to("sub/second.html")
    second.symlink_to("third.html")
    assert report("html", "qemu.log", "-o", first).returncode == 0
    assert first.is_symlink() and second.is_symlink()
    assert (tmp_path / "sub/third.html").read_text().endswith("</html>\n")
    loop = tmp_path / "loop.html"
    loop.symlink_to("loop.html")
    done = report("html", "qemu.log", "-o", loop)
    assert done.returncode == 3 and "symbolic links" in done.stderr


def test_a_full_disk_leaves_what_was_there(tmp_path):
    out = tmp_path / "page.html"
    out.write_text("earlier")
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 4; trap '' XFSZ; '{PROGRAM}' html qemu.log -o '{out}'"],
        cwd=DATA,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 3
    assert "File too large" in done.stderr
    assert out.read_text() == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_is_no_file_is_written_to(tmp_path):
    done = report("html", "qemu.log", "-o", "-")
    assert done.stdout.startswith("<!DOCTYPE html>") and done.stdout.endswith("</html>\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        report("html", "qemu.log", "-o", pipe)
        if not stat.S_ISFIFO(pipe.stat().st_mode):
            reader.kill()
        assert reader.communicate()[0].endswith(b"</html>\n")


def test_ticks_where_the_clock_is_not_known(tmp_path):
    log = full()
    log.records = [r for r in log.records if r["type"] != "clock"]
    for seq, record in enumerate(log.records):
        record["seq"] = seq
    _, text = write_page(tmp_path, log_file(tmp_path, log))
    assert "medians, ticks" in text and "medians, ns" not in text
    _, text = write_page(tmp_path, log_file(tmp_path, full()), args=("--unit", "ticks"))
    assert "medians, ticks" in text


def test_private_against_ipi_where_nothing_broadcasts(tmp_path):
    log = machine(Log())
    for cpus in (1, 2, 4):
        for policy in ("ipi", "ipi-all", "private"):
            rate(log, "shootdown/unmap", 1000 * cpus, cpus=cpus, policy=policy)
    checks(log, failing=False)
    names = report("svg", log_file(tmp_path, log), "--plot", "list").stdout
    assert "private:shootdown/unmap " in names and "published:private " in names


VALUES = [None, True, -1, 0, 1e308, -1e308, 2**62, "", "x", [], {}, [None], [1, 2], {"a": 1}]


def mutate(chance, value):
    """Something else in a value's place, or deep in it."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        return {**value, key: mutate(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        return [*value[:at], mutate(chance, value[at]), *value[at + 1 :]]
    return chance.choice(VALUES)


@pytest.mark.parametrize("seed", range(60))
def test_members_may_be_anything(tmp_path, seed):
    """Under the sanitizers; without gnuplot, which would only take time."""
    chance = random.Random(seed)
    records = full(4).records
    for _ in range(60):
        at = chance.randrange(len(records))
        key = chance.choice([k for k in records[at] if k not in ("seq", "type")])
        records[at] = {**records[at], key: mutate(chance, records[at][key])}
    log = tmp_path / "a.log"
    log.write_text("".join(line(record) for record in records))
    done = run_in(without_gnuplot(tmp_path), "html", log, "-o", "-", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout.endswith("</html>\n")


def test_members_may_be_anything_for_gnuplot_too(tmp_path):
    chance = random.Random(1)
    records = full(4).records
    for record in records:
        for key in record:
            if key in ("net", "p50", "value", "baseline", "max", "curves", "ci"):
                record[key] = json.loads(json.dumps(record[key]))
                if chance.random() < 0.2:
                    record[key] = chance.choice([1e308, -1e308, 0, 2**62, -5])
    log = tmp_path / "a.log"
    log.write_text("".join(line(record) for record in records))
    done, text = write_page(tmp_path, log)
    assert done.returncode == 2
    assert "left out" not in done.stderr
    assert text.endswith("</html>\n")


def test_bench_in_a_page(tmp_path):
    log = machine(Log())
    bench(log, "local/invlpg-4k", 205, baseline=40)
    bench(log, "local/cr3-reload", 250, baseline=40, live=64)
    _, text = write_page(tmp_path, log_file(tmp_path, log))
    title = "percentiles are of the whole section, in ticks; net is without the empty one"
    table = rows_of(text, title)
    assert table[1][:7] == ["invlpg-4k", "", "205", "[204, 207]", "83.7", "220", "233"]
    assert table[2][:3] == ["cr3-reload", "live=64", "250"]


# Far more than any of these takes under the sanitizers, far less than work that grows as a square.
SECONDS = 20


def test_a_row_far_out_makes_no_large_matrix(tmp_path):
    """300 records that each named one CPU of 2048 once took 35 s, without the sanitizers."""
    log = PlainLog()
    for number in range(300):
        log.add("matrix", name=f"m{number}/x", params={}, unit="tsc", row=2047, p50=[1])
    done, text = write_page(tmp_path, log.write(tmp_path / "a.log"), timeout=SECONDS)
    assert done.returncode == 0
    assert text.count('aria-label="by how near they are"') == text.count("<svg") == 200
    assert "100 pictures are left out: too many" in done.stderr


def many_groups():
    log = PlainLog()
    for number in range(20000):
        params = {"mode": "latency"}
        log.add("bench", name=f"g{number}/x", params=params, unit="tsc", net=1)
    return log


def many_params():
    log = PlainLog()
    for number in range(3000):
        params = {f"k{key}": number for key in range(250)}
        log.add("bench", name="a/x", params=params, unit="tsc", net=number, ci=[1, 2], baseline=0)
    return log


def many_cells():
    log = PlainLog()
    for number in range(20000):
        log.check(f"g{number % 100}/c{number % 6000 // 100}", "pass", k=number // 300)
    return log


def many_matrices():
    log = PlainLog()
    for number in range(20000):
        log.add("matrix", name=f"m{number}/x", params={}, unit="tsc", row=0, p50=[1])
    return log


def many_lines():
    log = PlainLog()
    for number in range(5000):
        for live in (1, 2, 3):
            params = {"live": live, "of": f"line {number}"}
            log.add("bench", name="a/x", params=params, unit="tsc", net=live, ci=[1, 2], baseline=0)
    return log


@pytest.mark.parametrize("log", [many_groups, many_params, many_cells, many_matrices, many_lines])
def test_much_of_anything_takes_no_time(tmp_path, log):
    path = log().write(tmp_path / "a.log")
    done = report("svg", path, "--plot", "list", timeout=SECONDS)
    assert done.returncode == 0
    done, text = write_page(tmp_path, path, timeout=SECONDS)
    assert done.returncode == 0
    assert text.endswith("</html>\n")


def test_a_matrix_of_some_cpus(tmp_path):
    _, text = write_page(tmp_path, log_file(tmp_path, some_of_many()), args=("--unit", "ticks"))
    table = rows_of(text, "by how near they are")
    assert table[1:] == [
        ["same last-level cache", "6", "1000", "1003", "1007"],
        ["another package", "6", "1000", "1028", "1050"],
    ]


def test_of_what_was_published_the_least_live_is_beside_it(tmp_path):
    log = machine(Log(), hz=10**9)
    for live in (512, 64, 1, 8):
        bench(log, "local/invpcid-all", 300 + live, live=live)
    _, text = write_page(tmp_path, log_file(tmp_path, log))
    assert rows_of(text, "flushing everything")[1][1:] == ["376", "301"]
