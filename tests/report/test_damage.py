# SPDX-License-Identifier: BSD-2-Clause
"""A real log, damaged in every way: all of it is noticed, and told by number."""

import os
import re

import pytest
from conftest import BUILD, DATA, report
from make_log import line

LOG = DATA / "small.log"
LINES = re.findall(rb"[^\n]*\n|[^\n]+$", LOG.read_bytes())
RECORDS = [i for i, line in enumerate(LINES) if line.startswith(b"@SD1 ")]


def write(tmp_path, lines):
    path = tmp_path / "damaged.log"
    path.write_bytes(b"".join(lines))
    return path


def problems(path):
    done = report("check", "--quiet", path)
    assert done.returncode == 2
    return done.stdout


def test_the_log_itself_is_whole():
    assert len(RECORDS) > 10
    assert report("check", LOG).returncode == 0


def test_each_byte_of_each_record_flipped(tmp_path):
    """One bit of each; many logs to a run of the program, which judges each by itself."""
    paths, at = [], 0
    for number, line in enumerate(LINES):
        # Without its end: a blank more or less there is no damage.
        for i in range(len(line.rstrip()) if number in RECORDS else 0):
            log = bytearray(b"".join(LINES))
            log[at + i] ^= 1 << (i * 5 % 8)
            path = tmp_path / f"{at + i}.log"
            path.write_bytes(log)
            paths.append(path)
        at += len(line)
    assert len(paths) > 1500
    for first in range(0, len(paths), 1000):
        some = paths[first : first + 1000]
        done = report("check", "--quiet", *some)
        assert done.returncode == 2
        assert done.stdout.count(": damaged or incomplete: ") == len(some)


@pytest.mark.parametrize("seq", range(len(RECORDS)))
def test_a_lost_line(tmp_path, seq):
    lines = LINES[: RECORDS[seq]] + LINES[RECORDS[seq] + 1 :]
    said = problems(write(tmp_path, lines))
    if seq == len(RECORDS) - 1:
        assert f"there is no end: the last record is {seq - 1}" in said
    else:
        assert re.search(rf"line {RECORDS[seq] + 1}.*: record {seq} is missing", said) or (
            f"record {seq} is missing before this" in said
        )


@pytest.mark.parametrize("seq", range(len(RECORDS)))
def test_a_doubled_line(tmp_path, seq):
    at = RECORDS[seq]
    said = problems(write(tmp_path, LINES[: at + 1] + [LINES[at]] + LINES[at + 1 :]))
    assert f"line {at + 2}: record {seq} comes again" in said


@pytest.mark.parametrize("seq", range(len(RECORDS) - 1))
def test_two_swapped_lines(tmp_path, seq):
    lines = list(LINES)
    a, b = RECORDS[seq], RECORDS[seq + 1]
    lines[a], lines[b] = lines[b], lines[a]
    said = problems(write(tmp_path, lines))
    # Record 0 begins a boot wherever it stands.
    assert (f"record {seq} is out of order" if seq else "record 1 is missing") in said


@pytest.mark.parametrize("seq", range(len(RECORDS)))
def test_a_cut_line(tmp_path, seq):
    lines = list(LINES)
    lines[RECORDS[seq]] = lines[RECORDS[seq]][:30] + b"\r\n"
    said = problems(write(tmp_path, lines))
    assert f"line {RECORDS[seq] + 1}: damaged, as it seems record {seq}: it is cut" in said


@pytest.mark.parametrize("command", ["show", "csv", "json", "ktap", "lava"])
def test_what_is_there_is_still_shown(tmp_path, command):
    lines = LINES[: RECORDS[-2]]
    done = report(command, write(tmp_path, lines))
    assert done.returncode == 2
    assert "there is no end" in done.stderr
    assert "smp/all-cpus-answer".replace("/", "_" if command == "lava" else "/") in done.stdout


@pytest.mark.parametrize("command", ["ktap", "lava"])
def test_a_damaged_report_has_a_case_that_fails(tmp_path, command):
    path = write(tmp_path, LINES[: RECORDS[3]])
    said = report(command, path).stdout
    assert "not ok 1 - report/whole" in said or "report_whole RESULT=fail" in said
    assert "not ok" not in report("ktap", LOG).stdout
    assert "RESULT=fail" not in report("lava", LOG).stdout


CAPTURES = {
    "typescript": (b"Script started on 2026-12-01\n", b"", b"\nScript done\n"),
    "timestamps": (b"", b"[2026-12-01 00:59:07.123] ", b""),
    "syslog": (b"", b"Dec  1 00:59:07 host console[1]: ", b""),
    "escapes": (b"\x1b[2J\x1b[01;01H", b"\x1b[0m\x1b[K", b"\x1b[?25h"),
    "carriage returns": (b"", b"\r", b"\r\r\n"),
    "another boot's end": (b"".join(LINES[RECORDS[4] :]), b"", b""),
    "another boot, cut": (b"".join(LINES)[:2000] + b"\n", b"", b""),
    "escapes within": (b"", b"", b""),
    "binary": (bytes(range(256)) * 64 + b"\n", b"", bytes(range(256))),
}


@pytest.mark.parametrize("capture", CAPTURES)
def test_captures_of_all_kinds_are_whole(tmp_path, capture):
    before, prefix, after = CAPTURES[capture]
    lines = [prefix + line for line in LINES]
    if capture == "escapes within":
        # A multiplexer redraws where it likes.
        lines = [line.replace(b"seq", b"se\x1b[0mq").replace(b"\r", b"\x1b[K\r") for line in LINES]
    done = report("check", write(tmp_path, [before, *lines, after]))
    assert done.returncode == 0, done.stdout
    assert f"{len(RECORDS)} records, whole" in done.stdout


def seconds(path):
    """Of the program as users have it, in its own time: the best of some."""
    times = []
    for _ in range(3):
        before = os.times()
        done = report("check", "--quiet", path, program=BUILD / "shootdown-report")
        after = os.times()
        assert "more than" in done.stdout
        times.append(after.children_user - before.children_user)
    return min(times)


def test_a_boot_that_claims_to_be_long_takes_no_longer(tmp_path):
    """Very many boots of one record, which says that it is the last of the greatest number."""
    path = tmp_path / "boots.log"
    taken = []
    for seq in (1, 65535):
        path.write_text("".join(line({"seq": seq, "type": "x", "i": i}) for i in range(60000)))
        taken.append(seconds(path))
    assert taken[1] < 2 * taken[0] + 0.02


def test_what_an_earlier_boot_said_counts_for_nothing(tmp_path):
    """Records 1 to 3 of the boot before, where the last has lost them."""
    lines = LINES + LINES[: RECORDS[1]] + LINES[RECORDS[4] :]
    assert "records 1 to 3 are missing before this" in problems(write(tmp_path, lines))
