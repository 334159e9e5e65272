# SPDX-License-Identifier: BSD-2-Clause
"""The image of a stick: the same bytes every time, and geometry; test_console.py boots it."""

import struct
import subprocess

import pytest
from conftest import ROOT

SECTOR = 512
CYLINDER = 16 * 63 * SECTOR


def make_usb(image, config):
    subprocess.run([ROOT / "tools/setup.sh", "usb"], check=True)
    subprocess.run(
        [ROOT / "tools/make-usb.sh", image, ROOT / "build/BOOTX64.EFI", config], check=True
    )
    return image.read_bytes()


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "shootdown.cfg"
    file.write_text("run=smp/*\n")
    return file


def test_same_files_give_the_same_bytes(tmp_path, config):
    assert make_usb(tmp_path / "a.img", config) == make_usb(tmp_path / "b.img", config)


@pytest.mark.parametrize("config_bytes", [0, 1, 4096, 300_000])
def test_size_is_whole_cylinders_and_both_partition_tables_are_in_it(tmp_path, config_bytes):
    config = tmp_path / "shootdown.cfg"
    config.write_bytes(b" " * config_bytes)
    image = make_usb(tmp_path / "usb.img", config)
    assert len(image) % CYLINDER == 0
    # No more than the start, what is on it, and a cylinder or two.
    used = (ROOT / "build/BOOTX64.EFI").stat().st_size + config_bytes
    assert len(image) < 1024 * 1024 + used + 2 * CYLINDER
    last = len(image) // SECTOR - 1
    for here, other in ((1, last), (last, 1)):
        header = image[here * SECTOR : (here + 1) * SECTOR]
        assert header[:8] == b"EFI PART"
        assert struct.unpack_from("<QQ", header, 24) == (here, other)
