# SPDX-License-Identifier: BSD-2-Clause
"""Colours, widths, and outputs that can't be written."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest
from conftest import BUILD, DATA, PROGRAM, SANITIZED, report
from make_log import Log, line


def on_terminal(*args, columns=100, **env):
    """What the program writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    child = subprocess.Popen(
        [PROGRAM, *args], cwd=DATA, stdout=its, env={**kept, **SANITIZED, "TERM": "xterm", **env}
    )
    os.close(its)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    child.wait()
    return text.decode()


def test_colours_on_a_terminal_only():
    assert "\x1b[31m" in on_terminal("show", "bochs.log")
    assert "\x1b" not in report("show", "bochs.log").stdout


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_they_are_not_wanted(env):
    assert "\x1b" not in on_terminal("show", "bochs.log", **env)


def test_an_empty_no_color_says_nothing():
    assert "\x1b" in on_terminal("show", "bochs.log", NO_COLOR="")


@pytest.mark.parametrize("columns", [60, 80, 132])
@pytest.mark.parametrize("args", [["show", "qemu.log"], ["compare", "qemu.log", "bochs.log"]])
def test_tables_fit(args, columns):
    text = on_terminal(*args, columns=columns, NO_COLOR="1").replace("\r\n", "\n")
    # What stands above the tables may be longer: the terminal wraps it.
    tables = text.split("\n\n", 2)[2]
    for text in tables.split("\n"):
        if "/  " not in text and " rows: " not in text and " checks: " not in text:
            assert len(text) <= columns, text


REASON = "did not fault, #GP(0) is due; TCG takes CR4.PCIDE anyway; one step inside: no fault"


@pytest.mark.parametrize("width", [40, 60, 80])
def test_nothing_is_cut(width, tmp_path):
    """Of failures the reasons, and of parameters what tells one check from another."""
    log = Log()
    for placement in ("other-line", "other-page"):
        for result in ("fail", "xfail", "pass", "skip"):
            params = {"fence": "locked-add", "placement": placement, "was": result}
            log.check("order/ipi", result, REASON, **params)
    log.add("advice", tunable="ceiling", value=222, why=REASON, curves={})
    path = log.write(tmp_path / "log")
    other = Log()
    other.records = [dict(record) for record in log.records]
    for record in other.records:
        record["result"] = {"pass": "fail", "skip": "pass"}.get(record.get("result"), "pass")
        if record["type"] != "check":
            del record["result"]
    other.records = [record for record in other.records if record["type"] != "end"]
    text = report("show", "--width", width, path).stdout
    body = text[text.index("\nadvice"):]
    assert ".." not in body
    assert all(len(line) <= width for line in body.split("\n\n")[1].split("\n"))
    words = " ".join(body.split())
    assert words.count(REASON) == 9
    assert words.count("placement=other-line") == words.count("placement=other-page") == 4
    text = report("compare", "--width", width, path, other.write(tmp_path / "other")).stdout
    words = " ".join(text.split())
    assert ".." not in text
    assert words.count(REASON) == 8


def test_a_reason_stays_in_its_line_where_it_fits(tmp_path):
    log = Log()
    log.check("a/b", "fail", "why", long="x" * 40)
    log.check("a/c", "fail", "x" * 50)
    log.check("a/d", "fail", "x" * 70)
    text = report("show", "--width", 80, log.write(tmp_path / "log")).stdout
    assert f"\nfail  a/b  long={'x' * 40}  why\n" in text
    assert f"\nfail  a/c  {'x' * 50}\n" in text
    assert f"\nfail  a/d\n       {'x' * 70}\n" in text


def test_shared_parameters_stand_above_as_long_as_rows_differ(tmp_path):
    log = Log()
    for name, params in (("a", {"page": "4k", "live": 1}), ("a", {"live": 1}), ("b", {"live": 1})):
        log.bench(f"local/{name}", 100, params=params)
    for unroll in (16, 32):
        log.bench("switch/a", 1, params={"mode": "throughput", "unroll": unroll})
    log.bench("switch/a", 1)
    text = report("show", log.write(tmp_path / "log")).stdout
    assert "section; mode=latency live=1\n" in text
    assert re.search(r"^a +50 ", text, re.M) and re.search(r"^a  page=4k +50 ", text, re.M)
    assert "section; mode=latency unless given\n" in text
    assert re.search(r"^a  mode=throughput unroll=32 ", text, re.M)


def test_the_header_has_counters_and_cpus_that_did_not_start(tmp_path, types_log):
    text = report("show", types_log).stdout
    assert "\n           the CPU with APIC ID 9 did not start: silent\n" in text
    log = Log()
    log.records[-1].update(core_counter="INST_RETIRED", walk_counter=None,
                           walk_counter_why="the model is not known")
    text = report("show", log.write(tmp_path / "log")).stdout
    assert "core cycles: INST_RETIRED; page walks: none (the model is not known)\n" in text
    text = report("check", types_log).stdout
    assert f"{types_log}: the CPU with APIC ID 9 did not start: silent\n" in text


def test_core_cycles_have_an_interval_and_a_number(tmp_path):
    log = Log()
    log.bench("local/a", 100)
    core = {"n": 64, "p50": 150, "ci": [149, 152], "baseline": 50, "net": 100}
    log.records[-1].update(core=core, walk={**core, "unit": "cycles", "net": 7})
    text = report("show", "--unit", "core", log.write(tmp_path / "log")).stdout
    assert re.search(r"^ +net +95% of median +n +page walks$", text, re.M)
    assert re.search(r"^a +mode=latency +100 +\[99, 102\] +64 +7 cycles$", text, re.M) or (
        re.search(r"^a +100 +\[99, 102\] +64 +7 cycles$", text, re.M))


@pytest.mark.parametrize("command", ["show", "compare"])
def test_many_groups_take_no_time(command, tmp_path):
    """Two thousand times two thousand would be nothing yet: twenty are 400 million."""
    log = Log()
    for i in range(20000):
        log.add("bench", name=f"g{i}/x", params={}, unit="tsc", net=1)
    path = log.write(tmp_path / "log")
    program = BUILD / "shootdown-report"
    args = [path] if command == "show" else [path, path]
    before = os.times()
    report(command, *args, program=program)
    after = os.times()
    assert after.children_user - before.children_user < 2.0


def test_one_record_is_one(tmp_path):
    path = tmp_path / "log"
    path.write_text(line({"seq": 0, "type": "run"}))
    assert "\n1 record, DAMAGED" in report("show", path).stdout


def test_minus_zero_is_zero(tmp_path):
    log = Log()
    log.bench("local/a", -0.0)
    log.records[-1]["baseline"] = 0
    path = log.write(tmp_path / "log")
    assert "-0" not in report("show", path).stdout
    assert "MEASUREMENT=0 " in report("lava", path).stdout


def test_figures_beyond_all_numbers_are_none(tmp_path):
    log = Log(tsc_hz=1e-300)
    log.bench("local/a", 1e300)
    path = log.write(tmp_path / "log")
    for command in ("show", "lava", "compare"):
        done = report(command, *[path] * (2 if command == "compare" else 1))
        assert not re.search(r"\b(inf|nan)\b|\[-, -\]", done.stdout)


def test_width_can_be_given():
    for text in report("show", "--width", "70", "qemu.log").stdout.split("\n\n", 1)[1].split("\n"):
        assert len(text) <= 70 or "/  " in text, text


def test_match():
    done = report("show", "--match", "self/*", "qemu.log")
    table = done.stdout[done.stdout.index("self/  "):].split("\n\n")[0].split("\n")
    names = [line.split()[0] for line in table[2:] if "mode=" not in line]
    assert names == ["empty", "nop-1", "nop-10", "nop-100", "nop-1000"]
    assert "\nlocal/" not in done.stdout


@pytest.mark.parametrize(
    "order, expected",
    [
        ("name", ["a live=9", "a live=10", "b"]),
        ("value", ["b", "a live=10", "a live=9"]),
        ("log", ["a live=10", "b", "a live=9"]),
    ],
)
def test_sort(order, expected, tmp_path):
    log = Log()
    log.bench("local/a", 200, params={"live": 10})
    log.bench("local/b", 100)
    log.bench("local/a", 300, params={"live": 9})
    done = report("show", "--sort", order, log.write(tmp_path / "log"))
    names = re.findall(r"^([ab]) +(live=\d+)?", done.stdout, re.M)
    assert [" ".join(name).strip() for name in names] == expected


@pytest.mark.parametrize("command", ["check", "show", "csv", "json", "ktap", "lava"])
def test_a_full_disk_is_an_error(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [PROGRAM, command, "qemu.log"],
            cwd=DATA,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == b"shootdown-report: standard output: No space left on device\n"


def test_a_closed_pipe_is_an_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [PROGRAM, "json", "qemu.log"], cwd=DATA, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert done.returncode == 3
    assert b"Broken pipe" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["frobnicate"],
        ["check"],
        ["show"],
        ["show", "a", "b"],
        ["show", "--unit", "parsecs", "qemu.log"],
        ["show", "--sort", "luck", "qemu.log"],
        ["show", "--width", "wide", "qemu.log"],
        ["show", "--frobnicate", "qemu.log"],
        ["show", "/nowhere"],
        ["show", "/"],
        ["compare", "qemu.log"],
        ["compare", "qemu.log", "bochs.log", "small.log"],
        ["compare", "qemu.log", "--"],
        ["compare", "--", "qemu.log"],
        ["compare", "--threshold", "x", "qemu.log", "qemu.log"],
        ["compare", "qemu.log", "/nowhere"],
        ["csv"],
        ["csv", "/nowhere"],
        ["json", "qemu.log", "qemu.log"],
        ["ktap", "/nowhere"],
        ["lava", "--unit", "x", "qemu.log"],
        ["check", "-", "-"],
        ["compare", "-", "--", "qemu.log", "-"],
        ["csv", "-", "qemu.log", "-"],
        ["qemu.log"],
    ],
)
def test_usage(args):
    done = report(*args)
    assert done.returncode == 3
    assert done.stderr


def test_help_names_every_command():
    done = report("--help")
    assert done.returncode == 0
    for command in ("check", "show", "compare", "csv", "json", "ktap", "lava"):
        assert f"  {command} " in done.stdout


def test_standard_input():
    with (DATA / "qemu.log").open("rb") as log:
        assert "nop-1000" in report("show", "-", stdin=log).stdout


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize(
    "command", ["", "check", "show", "compare", "csv", "json", "ktap", "lava", "html", "svg"]
)
def test_help_is_no_error(command, option):
    done = report(*command.split(), option)
    assert done.returncode == 0
    assert f"usage: shootdown-report {command}" in done.stdout
    assert not done.stderr


def test_version():
    done = report("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"shootdown-report \d+\.\d+\.\d+\n", done.stdout)


def test_a_file_in_place_of_a_command_is_hinted_at():
    assert "shootdown-report show qemu.log" in report("qemu.log").stderr
    assert "usage:" in report("frobnicate").stderr


def test_help_tells_what_the_status_means_by_command():
    text = report("--help").stdout
    status = text[text.index("exit status:"):]
    assert "of compare: something is slower" in " ".join(status.split())


def test_a_page_may_come_from_standard_input_and_go_to_standard_output():
    with (DATA / "qemu.log").open("rb") as log:
        assert "</html>" in report("html", "-", "-o", "-", stdin=log).stdout


def test_check_names_each_file_before_what_it_says():
    text = report("check", "qemu.log", "bochs.log").stdout
    assert text.startswith("qemu.log\nmachine ")
    assert "\n\nbochs.log\nmachine " in text
    assert report("check", "qemu.log").stdout.startswith("machine ")
    assert "\n\n" not in report("check", "--quiet", "qemu.log", "bochs.log").stdout
