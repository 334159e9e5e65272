# SPDX-License-Identifier: BSD-2-Clause
"""Reads the records of a report, as a user's program would."""

import json
import re

RECORD = re.compile(r"^@SD1 (\{.*\}) ([0-9a-f]{8})$")


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def row(record):
    """What tells the rows of benchmarks apart: the name and the parameters, but for the mode."""
    left_out = ("mode", "unroll")
    params = {k: v for k, v in record["params"].items() if k not in left_out}
    return record["name"], json.dumps(params, sort_keys=True)


class Report:
    """The records of one boot; fails on a line that is damaged or missing."""

    def __init__(self, console):
        self.text = console
        self.lines = console.replace("\r", "").split("\n")
        self.records = [self._parse(line) for line in self.lines if "@SD1" in line]
        for seq, record in enumerate(self.records):
            assert record["seq"] == seq

    @staticmethod
    def _parse(line):
        match = RECORD.match(line)
        assert match, f"no whole record: {line!r}"
        text = match.group(1)
        assert len(text) <= 4000
        assert text.isascii()
        assert int(match.group(2), 16) == crc32c(text.encode()), line
        return json.loads(text)

    def all(self, kind, **wanted):
        return [
            record
            for record in self.records
            if record["type"] == kind
            and all(record.get(key) == value for key, value in wanted.items())
        ]

    def all_with(self, key, value):
        return [record for record in self.records if record.get(key) is value]

    def one(self, kind, **wanted):
        found = self.all(kind, **wanted)
        assert len(found) == 1, f"{len(found)} records {kind} {wanted}"
        return found[0]

    def bench(self, name, mode="latency", **params):
        """The first row of a benchmark that has these parameters."""
        wanted = {"mode": mode, **params}.items()
        found = [r for r in self.all("bench", name=name) if wanted <= r["params"].items()]
        assert found, f"no record of {name} {dict(wanted)}"
        return found[0]

    def assert_whole(self):
        """The end record is there, last, and its counts are those of the records."""
        end = self.one("end")
        assert self.records[-1] is end
        assert end["records"] == len(self.records)
        checks = self.all("check")
        for verdict in ("pass", "fail", "xfail"):
            assert end[verdict] == sum(c["result"] == verdict for c in checks)
        skipped = sum(c["result"] == "skip" for c in checks) + len(self.all("skip"))
        assert end["skip"] == skipped
        rows = [row(r) for r in self.all("bench")]
        assert end["benches"] == len(set(rows))
        modes = [(*row(r), r["params"]["mode"]) for r in self.all("bench")]
        assert len(modes) == len(set(modes)), "two rows can't be told apart"
        # On what it takes for a machine of its own the kernel says that it has halted.
        ends = [line for line in self.lines if line.strip() and not line.startswith("Halted:")]
        last = ends[-1]
        assert last == (
            f"Shootdown: {end['pass']} passed, {end['fail']} failed, {end['skip']} skipped"
        )
        return end
