# SPDX-License-Identifier: BSD-2-Clause
"""What run.sh does where Bochs does not come to an end. test_matrix.py boots the lab's machines."""


def test_bochs_is_stopped_in_time_and_quoted(boot, lab):
    run = boot("--lab", "--emulator", "bochs", "--timeout", "3")
    assert run.status == 3
    assert "stopped after 3 s (--timeout)" in run.messages
    assert "Bochs says: " in run.messages
