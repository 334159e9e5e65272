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
from conftest import DATA, PROGRAM, SANITIZED, report
from make_log import Log


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
    for line in tables.split("\n"):
        if "/  " not in line and " rows: " not in line:
            assert len(line) <= columns, line


def test_width_can_be_given():
    for line in report("show", "--width", "70", "qemu.log").stdout.split("\n\n", 1)[1].split("\n"):
        assert len(line) <= 70 or "/  " in line, line


def test_match():
    done = report("show", "--match", "self/*", "qemu.log")
    names = [line.split()[0] for line in done.stdout.split("\n") if "mode=latency" in line]
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
