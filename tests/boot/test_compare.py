# SPDX-License-Identifier: BSD-2-Clause
"""shootdown-report compare finds a benchmark that was given 10% more to do, and no other."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT, run_sh


@pytest.fixture(scope="module")
def slower_tree(tmp_path_factory):
    """A copy of the sources in which self/nop-100 has 110 NOPs."""
    tree = tmp_path_factory.mktemp("tree") / "shootdown"
    shutil.copytree(
        ROOT, tree, ignore=shutil.ignore_patterns("build", "__pycache__", ".pytest_cache")
    )
    bench = tree / "tests/bench/self.c"
    before = bench.read_text()
    # To the assembler a comparison that holds is -1.
    after = before.replace('#count "\\n\\tnop', '#count " - 10 * (" #count " == 100)\\n\\tnop')
    assert after != before
    bench.write_text(after)
    return tree


def test_ten_percent_more_nops_is_reported_exactly(slower_tree, tmp_path):
    """With -icount every instruction takes a tick, so that nothing varies."""
    logs = []
    for name, root in (("as it is", ROOT), ("slower", slower_tree)):
        run = run_sh(
            *("--accel", "tcg", "--boot", "grub-bios"),
            *("--qemu-arg", "-icount", "--qemu-arg", "shift=0,sleep=off"),
            *("--", "run=smp/*,self/*,local/cr3*,local/invlpg*", "samples=100"),
            log=tmp_path / f"{name}.log",
            root=root,
        )
        assert run.status == 0, run.console + run.messages
        logs.append(run.log)
    done = subprocess.run(
        [ROOT / "build/shootdown-report", "compare", *logs],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    rows, slower, faster, same = re.search(
        r"(\d+) rows?: (\d+) slower, (\d+) faster, (\d+) without a difference", done.stdout
    ).groups()
    print(f"{rows} rows, {slower} slower, {faster} faster, {same} without a difference")
    changed = re.findall(r"^(\S+) +.* (x\S+)  .* slower", done.stdout, re.M)
    assert changed == [("nop-100", "x1.100")], done.stdout
    assert (int(slower), int(faster)) == (1, 0)
    assert int(same) == int(rows) - 1 > 15
    assert done.returncode == 1
