# SPDX-License-Identifier: BSD-2-Clause
"""
What each command prints of real logs of QEMU and Bochs, and of one with every type of record.

`make report-golden` writes the files anew: look at what changed.
"""

import os
import shutil

import pytest
from conftest import DATA, HERE, report
from make_log import all_types

GOLDEN = HERE / "golden"

COMMANDS = {
    "check": ["check"],
    "show": ["show"],
    "show-80": ["show", "--unit", "ticks", "--width", "80", "--sort", "value"],
    "show-core": ["show", "--unit", "core", "--match", "local/*"],
    "csv": ["csv"],
    "json": ["json"],
    "ktap": ["ktap"],
    "lava": ["lava"],
}

CASES = [
    *((name, [f"{log}.log"], command) for log in ("qemu", "bochs", "types") for name, command in
      [(f"{log}.{key}", value) for key, value in COMMANDS.items()]),
    ("qemu-bochs.compare", ["qemu.log", "bochs.log"], ["compare", "--width", "120"]),
    ("types-types.compare", ["types.log", "types.log"], ["compare"]),
]


@pytest.mark.parametrize("name, logs, command", CASES, ids=[case[0] for case in CASES])
def test_prints_what_it_did(name, logs, command, tmp_path):
    for log in ("qemu.log", "bochs.log"):
        shutil.copy(DATA / log, tmp_path)
    all_types().write(tmp_path / "types.log")
    done = report(*command, *logs, cwd=tmp_path)
    text = f"{done.stdout}--- status {done.returncode}\n{done.stderr}"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SHOOTDOWN_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()
