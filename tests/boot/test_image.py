# SPDX-License-Identifier: BSD-2-Clause
"""The built files: size, sections, instructions, reproducibility, and one more benchmark."""

import re
import shutil
import struct
import subprocess

import pytest
from conftest import ROOT

BUILD = ROOT / "build"


def output(*command):
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


def test_kernel_is_small():
    assert (BUILD / "shootdown.stripped.elf").stat().st_size <= 256 * 1024


def test_no_segment_is_both_writable_and_executable():
    flags = re.findall(
        r"^\s+LOAD .* ([R ][W ][E ]) 0x", output("readelf", "-lW", str(BUILD / "shootdown.elf")), re.M
    )
    assert flags == ["R E", "R  ", "RW ", "RW "]


def test_every_loaded_section_has_its_place_in_the_linker_script():
    sections = re.findall(
        r"\] (\S+) .* (?:A|AX|WA) ", output("readelf", "-SW", str(BUILD / "shootdown.elf"))
    )
    assert sections == [".text", ".rodata", ".data", ".bss"]


def pe_sections(image):
    pe = struct.unpack_from("<I", image, 60)[0]
    count, optional = struct.unpack_from("<H", image, pe + 6)[0], pe + 24
    size = struct.unpack_from("<H", image, pe + 20)[0]
    for i in range(count):
        at = optional + size + 40 * i
        name = image[at : at + 8].rstrip(b"\0").decode()
        address = struct.unpack_from("<I", image, at + 12)[0]
        flags = struct.unpack_from("<I", image, at + 36)[0]
        yield name, address, flags


def test_efi_application_is_fit_for_strict_firmware():
    image = (BUILD / "BOOTX64.EFI").read_bytes()
    pe = struct.unpack_from("<I", image, 60)[0]
    assert struct.unpack_from("<H", image, pe + 24 + 70)[0] & 0x100, "NX_COMPAT"
    sections = list(pe_sections(image))
    assert sections
    for name, address, flags in sections:
        assert address % 4096 == 0, name
        assert not (flags & 0x20000000 and flags & 0x80000000), f"{name} is W+X"


def disassembly():
    return output("objdump", "-d", "--no-show-raw-insn", str(BUILD / "shootdown.elf"))


def test_kernel_uses_general_registers_only_and_no_idiv():
    text = disassembly()
    assert not re.search(r"%[xyz]?mm\d|%st\b", text)
    # Bochs 3.1 computes it wrongly: arch/x86/divide.h.
    assert not re.search(r"\sidiv[lq]?\s", text)


def test_there_is_one_invlpgb_and_one_tlbsync():
    text = output("objdump", "-d", "--show-raw-insn", str(BUILD / "shootdown.elf"))
    assert [len(re.findall(rf":\t0f 01 {byte} ", text)) for byte in ("fe", "ff")] == [1, 1]


@pytest.fixture(scope="module")
def other_tree(tmp_path_factory):
    """A copy of the sources at another path."""
    tree = tmp_path_factory.mktemp("tree") / "shootdown"
    shutil.copytree(
        ROOT, tree, ignore=shutil.ignore_patterns("build", "__pycache__", ".pytest_cache")
    )
    return tree


def make(tree, *args):
    subprocess.run(["make", "-s", "-j2", "-C", str(tree), *args], check=True)


def test_another_build_elsewhere_gives_the_same_bytes(other_tree):
    make(other_tree, "all")
    for name in ("BOOTX64.EFI", "shootdown.stripped.elf"):
        assert (other_tree / "build" / name).read_bytes() == (BUILD / name).read_bytes(), name


def test_the_documented_example_is_all_a_benchmark_takes(other_tree, boot):
    guide = (ROOT / "docs/adding-a-benchmark.md").read_text()
    name, code = re.search(r"^`(tests/bench/\w+\.c)`:\n\n```c\n(.*?)^```", guide, re.S | re.M).groups()
    bench = re.search(r'\.name = "(.*?)"', code).group(1)
    (other_tree / name).write_text(code)
    try:
        run = boot("--", f"run={bench}", root=other_tree)
    finally:
        (other_tree / name).unlink()
    assert run.status == 0, run.console + run.messages
    run.report.assert_whole()
    assert run.report.bench(bench)["n"] > 0
    assert run.report.bench(bench, "throughput")["n"] > 0
