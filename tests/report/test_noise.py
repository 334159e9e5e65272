# SPDX-License-Identifier: BSD-2-Clause
"""A hundred megabytes of noise around a log take neither long nor much memory."""

import random
import resource
import subprocess

import pytest
from conftest import BUILD, DATA

MIB = 1 << 20


@pytest.fixture(scope="module")
def noisy_log(tmp_path_factory):
    path = tmp_path_factory.mktemp("noise") / "noisy.log"
    binary = random.Random(1).randbytes(MIB)
    chatter = b"[    1.234567] usb 1-1: new high-speed USB device number 7\r\n" * (MIB // 60)
    log = (DATA / "qemu.log").read_bytes()
    with path.open("wb") as file:
        for part in [binary, chatter] * 25 + [log] + [chatter, binary] * 25:
            file.write(part)
    assert path.stat().st_size > 100 * 10**6
    yield path
    path.unlink()


@pytest.mark.parametrize("command", ["check", "show"])
def test_time_and_memory(noisy_log, command):
    """The program as it is used, without sanitizers. Its own time: others may be busy too."""

    def limit_memory():
        resource.setrlimit(resource.RLIMIT_AS, (64 * MIB, 64 * MIB))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [BUILD / "shootdown-report", command, noisy_log],
        capture_output=True,
        preexec_fn=limit_memory,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.returncode == 0, done.stderr
    print(f"{command}: {took:.2f} s within 64 MiB")
    assert took < 2
