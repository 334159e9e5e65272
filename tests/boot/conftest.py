# SPDX-License-Identifier: BSD-2-Clause
"""Boots the image through run.sh, the way a user does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from report import Report  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class Run:
    def __init__(self, done, log):
        self.status = done.returncode
        self.console = done.stdout
        self.messages = done.stderr
        self.log = log

    @property
    def report(self):
        return Report(self.console)


def run_sh(*args, log, env=None, root=ROOT):
    done = subprocess.run(
        [str(root / "run.sh"), "--log", str(log), "--timeout", "300", *args],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        timeout=900,
        check=False,
    )
    return Run(done, log)


@pytest.fixture(scope="session")
def lab():
    """The emulators of the lab; makes it where it may: as root on a machine with apt."""
    setup = str(ROOT / "tools/lab/setup.sh")
    if subprocess.run([setup, "--check"], check=False).returncode == 0:
        return
    if os.geteuid() != 0:
        pytest.skip("no lab, and making it takes root: sudo make lab")
    if not shutil.which("apt-get"):
        pytest.skip("no lab, and it is made from Debian's packages, which this system has not got")
    made = subprocess.run([setup], capture_output=True, encoding="utf-8", check=False)
    if made.returncode != 0:
        pytest.skip(f"no lab, and it could not be made: {made.stderr}")


@pytest.fixture
def boot(tmp_path):
    """Boots with the given options of run.sh; root= takes another tree."""

    def start(*args, **kwargs):
        return run_sh(*args, log=tmp_path / "console.log", **kwargs)

    return start


@pytest.fixture(scope="session")
def plain_run(tmp_path_factory):
    """One boot of the whole default suite with four CPUs, for every test that only reads."""
    log = tmp_path_factory.mktemp("plain") / "console.log"
    return run_sh("--accel", "tcg", "--cpus", "4", log=log)
