# SPDX-License-Identifier: BSD-2-Clause
"""csv, json, ktap and lava, as those read them for whom they are made."""

import csv
import importlib
import io
import json
import re
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, DATA, report
from make_log import Log, all_types, hostile

SAFE = re.compile(r"[ -~]*")


def rows(*logs):
    text = report("csv", *logs).stdout
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_csv_has_a_line_for_each_row(types_log):
    log = all_types()
    got = rows(types_log)
    benches = [row for row in got if row["type"] == "bench"]
    assert [row["name"] for row in benches] == [
        r["name"] for r in log.records if r["type"] == "bench"
    ]
    assert benches[0]["net"] == "101"
    assert benches[0]["params"] == "mode=latency live=1 page=4k"
    assert benches[2]["core_net"] == "690"
    assert benches[3]["modelled"] == "true" and benches[3]["net"] == ""
    cells = [(r["row"], r["column"], r["p50"]) for r in got if r["type"] == "matrix"]
    assert cells[:3] == [("0", "0", ""), ("0", "1", "1100"), ("0", "2", "1200")]
    assert len(cells) == 9


def test_csv_has_what_all_counters_said(tmp_path):
    log = Log()
    log.bench("local/a", 100)
    core = {"n": 64, "p50": 150, "ci": [149, 151], "baseline": 50, "net": 100}
    walk = {**core, "event": "DTLB_LOAD_MISSES.WALK_ACTIVE", "unit": "cycles", "net": 7}
    log.records[-1].update(core=core, walk=walk)
    (row,) = rows(log.write(tmp_path / "log"))
    assert [row[f"core_{key}"] for key in ("n", "p50", "ci_lo", "ci_hi", "baseline", "net")] == [
        "64", "150", "149", "151", "50", "100"]
    assert row["walk_event"] == "DTLB_LOAD_MISSES.WALK_ACTIVE"
    assert (row["walk_unit"], row["walk_net"], row["walk_ci_hi"]) == ("cycles", "7", "151")


def test_csv_keeps_to_rfc_4180(hostile_log):
    text = report("csv", hostile_log).stdout
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "") and "\r" not in text.replace("\r\n", "")
    got = rows(hostile_log)
    assert all(None not in row and None not in row.values() for row in got)
    assert len(got) == len([r for r in hostile().records if "name" in r or "tunable" in r]) + 1


def test_csv_starts_no_formula(hostile_log):
    for row in rows(hostile_log):
        for key, value in row.items():
            if not re.fullmatch(r"-?[0-9.e+-]+", value):
                assert not value.startswith(("=", "+", "-", "@")), (key, value)
    assert "'=a/b" in [row["name"] for row in rows(hostile_log)]


@pytest.mark.parametrize("log", ["qemu.log", "bochs.log"])
def test_json_is_the_records(log):
    lines = (DATA / log).read_text(errors="replace").split("\n")
    records = [json.loads(line[5:].strip()[:-9]) for line in lines if line.startswith("@SD1 ")]
    assert json.loads(report("json", log).stdout) == records


def test_json_of_hostile_strings_is_ascii(hostile_log):
    text = report("json", hostile_log).stdout
    assert all(SAFE.fullmatch(line) for line in text.split("\n"))
    log = hostile()
    log.end()
    assert json.loads(text) == log.records


def prove(tmp_path, log):
    tap = tmp_path / "out.tap"
    tap.write_text(report("ktap", log).stdout)
    return subprocess.run(
        ["prove", "--verbose", "--exec", "cat", str(tap)],
        capture_output=True, encoding="utf-8", check=False,
    )


def test_ktap_is_proved(tmp_path):
    done = prove(tmp_path, DATA / "qemu.log")
    assert done.returncode == 0, done.stdout
    assert "Result: PASS" in done.stdout


def test_ktap_failures_are_failures(tmp_path, types_log):
    done = prove(tmp_path, types_log)
    assert done.returncode != 0
    assert re.search(r"Failed test: +3$", done.stdout, re.M), done.stdout
    assert re.search(r"Tests: 5 Failed: 1\)", done.stdout)
    text = report("ktap", types_log).stdout
    assert text.startswith("KTAP version 1\n1..5\nok 1 - report/whole\n")
    assert "not ok 4 - stale/invpcid page=4k # TODO ADL063" in text
    assert "ok 5 - order/tlbsync # SKIP blind" in text


def test_ktap_of_hostile_strings_has_one_line_for_each_check(tmp_path, hostile_log):
    """A pass that says "# TODO", and a failure that does, are what they are."""
    done = prove(tmp_path, hostile_log)
    assert re.search(r"Failed test: +3$", done.stdout, re.M), done.stdout
    assert "Tests: 5 Failed: 1)" in done.stdout
    lines = report("ktap", hostile_log).stdout.split("\n")
    assert all(SAFE.fullmatch(line) for line in lines)
    assert sum(line.startswith(("ok", "not ok")) for line in lines) == 5


def test_ktap_remarks_come_before_their_result(types_log):
    lines = report("ktap", types_log).stdout.split("\n")
    at = [lines.index(line) for line in (
        "# control: control saw 1000 of 1000", "ok 2 - stale/invlpg-4k page=4k",
        "# why: 3 of 1000 stale", "not ok 3 - stale/invlpgb page=2m remote=true",
    )]
    assert at == list(range(at[0], at[0] + 4))


def test_ktap_names_have_no_hash(tmp_path):
    """It would begin a directive, and KTAP has no escapes; in a reason it begins nothing."""
    log = Log()
    log.check("c#1/x\\", "fail", "w", **{"a#b": "#TODO"})
    log.check("fault/x", "skip", "#GP(0) is due")
    text = report("ktap", log.write(tmp_path / "log")).stdout
    assert "\nnot ok 2 - c?1/x? a?b=?TODO\n" in text
    assert "\nok 3 - fault/x # SKIP #GP(0) is due\n" in text


# The grammar that LAVA documents ("Writing a test definition", lava-test-case): what its dispatcher
# searches for, and what it makes of the words.
SIGNAL = re.compile(r"<LAVA_SIGNAL_(\S+) ([^>]+)>")
KEYS = {"TEST_CASE_ID", "RESULT", "MEASUREMENT", "UNITS"}


def signals(log, *options):
    out = []
    for line in report("lava", *options, log).stdout.splitlines():
        match = SIGNAL.fullmatch(line)
        assert match, line
        assert match.group(1) == "TESTCASE"
        words = dict(word.split("=") for word in match.group(2).split())
        assert set(words) <= KEYS
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", words["TEST_CASE_ID"])
        assert words["RESULT"] in ("pass", "fail", "skip", "unknown")
        if "MEASUREMENT" in words:
            float(words["MEASUREMENT"])
        out.append(words)
    return out


def test_lava_has_a_case_for_each_row(types_log):
    got = {s["TEST_CASE_ID"]: s for s in signals(types_log)}
    assert got["report_whole"]["RESULT"] == "pass"
    bench = got["local_invlpg-4k_mode_latency_live_64_page_4k"]
    assert (bench["MEASUREMENT"], bench["UNITS"]) == ("82", "ns")
    assert "MEASUREMENT" not in got["broadcast_invlpgb-4k_mode_latency"]
    rate = got["shootdown_loops_policy_broadcast_cpus_4"]
    assert (rate["MEASUREMENT"], rate["UNITS"]) == ("1032000.5", "loops/s")
    assert got["stale_invlpgb_page_2m_remote_true"]["RESULT"] == "fail"
    assert got["stale_invpcid_page_4k"]["RESULT"] == "unknown"
    assert got["local_cr3-noflush"]["RESULT"] == "skip"
    assert got["tlb_single_page_flush_ceiling_live_512"]["MEASUREMENT"] == "33"


@pytest.mark.parametrize("log", ["qemu.log", "bochs.log", "hostile", "same"])
def test_lava_cases_have_names_of_their_own(log, tmp_path):
    path = DATA / log
    if log == "hostile":
        path = hostile().write(tmp_path / log)
    if log == "same":
        twice = Log()
        twice.check("a/b", "pass")
        twice.check("a_b", "pass")
        twice.check("a_b__2", "pass")
        twice.check("a_b", "pass")
        twice.check("a_b__2", "pass")
        path = twice.write(tmp_path / log)
    names = [s["TEST_CASE_ID"] for s in signals(path)]
    assert len(names) == len(set(names)) > 2


@pytest.fixture(scope="module")
def dispatcher():
    """LAVA's own parser, out of Debian's package: unpacked, not installed."""
    place = BUILD / "lava-dispatcher"
    if not place.is_dir():
        if not shutil.which("apt-get"):
            pytest.skip("no apt-get to have lava-dispatcher from")
        place.mkdir(parents=True)
        for package in ("lava-dispatcher", "lava-common"):
            got = subprocess.run(["apt-get", "download", package], cwd=place, check=False,
                                 capture_output=True, encoding="utf-8")
            files = list(place.glob(f"{package}_*.deb"))
            if got.returncode or not files:
                shutil.rmtree(place)
                pytest.skip(f"{package} can't be had: {got.stderr}")
            subprocess.run(["dpkg-deb", "-x", files[0], place], check=True)
    sys.path.insert(0, str(place / "usr/lib/python3/dist-packages"))
    try:
        return importlib.import_module("lava_dispatcher.actions.test.shell")
    except ImportError as missing:
        pytest.skip(f"lava-dispatcher wants more than tools/setup.sh knows: {missing}")


class Logger:
    """Takes what the dispatcher would send to its server."""

    def __init__(self):
        self.got, self.errors = [], []

    def results(self, result):
        self.got.append(result)

    def error(self, *message):
        self.errors.append(message)

    def debug(self, *message):
        pass

    marker = info = debug


class Connection:
    def __init__(self, match):
        self.match = match


@pytest.mark.parametrize("log", ["qemu.log", "bochs.log", "types", "hostile"])
def test_lava_dispatcher_takes_every_signal(dispatcher, log, tmp_path):
    path = DATA / log
    if log in ("types", "hostile"):
        path = {"types": all_types, "hostile": hostile}[log]().write(tmp_path / log)
    action = dispatcher.TestShellAction()
    action.logger = Logger()
    action._reset_patterns()
    action.signal_director.test_uuid = "1_2"
    text = report("lava", path).stdout
    matches = list(re.finditer(action.patterns["signal"], text))
    assert len(matches) == text.count("\n")
    for match in matches:
        assert action.check_patterns("signal", Connection(match), "")
    assert not action.logger.errors
    wanted = signals(path)
    assert [got["case"] for got in action.logger.got] == [w["TEST_CASE_ID"] for w in wanted]
    for got, want in zip(action.logger.got, wanted):
        assert got["result"] == want["RESULT"]
        assert str(got.get("units", "")) == want.get("UNITS", "")
        assert got.get("measurement", 0) == float(want.get("MEASUREMENT", 0))


@pytest.mark.parametrize("command", ["check", "show", "csv", "json", "ktap", "lava", "compare"])
def test_no_output_controls_the_terminal(command, hostile_log):
    logs = [hostile_log, DATA / "qemu.log"] if command == "compare" else [hostile_log]
    done = report(command, *logs)
    for line in (done.stdout + done.stderr).replace("\r\n", "\n").split("\n"):
        assert SAFE.fullmatch(line), repr(line)
    # It was printed, and this is what is left of it.
    assert "31m" in done.stdout
