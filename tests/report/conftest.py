# SPDX-License-Identifier: BSD-2-Clause
"""Runs shootdown-report as built with sanitizers; make test-report says where that is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("SHOOTDOWN_BUILD", ROOT / "build"))
DATA = HERE / "data"

sys.path.insert(0, str(HERE))

PROGRAM = BUILD / "host/shootdown-report"
# A finding must not look like an exit status of the program's own.
SANITIZED = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}


def report(*args, cwd=DATA, program=PROGRAM, **kwargs):
    done = subprocess.run(
        [str(program), *map(str, args)],
        cwd=cwd,
        capture_output=True,
        env={**os.environ, **SANITIZED},
        check=False,
        **kwargs,
    )
    # As it is: line ends too.
    done.stdout = done.stdout.decode(errors="surrogateescape")
    done.stderr = done.stderr.decode(errors="surrogateescape")
    assert done.returncode in (0, 1, 2, 3), done.stderr
    return done


@pytest.fixture
def types_log(tmp_path):
    from make_log import all_types

    return all_types().write(tmp_path / "types.log")


@pytest.fixture
def hostile_log(tmp_path):
    from make_log import hostile

    return hostile().write(tmp_path / "hostile.log")
