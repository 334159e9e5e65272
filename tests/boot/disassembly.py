# SPDX-License-Identifier: BSD-2-Clause
"""Counts the instructions of benchmarks in the built kernel."""

import re
import subprocess

from elftools.elf.elffile import ELFFile

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(\S.*)$")
READ_TICKS = ["lfence", "rdtsc", "lfence"]
READ_COUNTER = ["lfence", "rdpmc", "lfence"]
JUMP = re.compile(r"^j(\w+)\s+([0-9a-f]+)")


class Kernel:
    """The benchmarks that are linked into a kernel, and their code."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        self.elf = ELFFile(self.file)
        self.offsets = self._offsets_of("bench")
        self.benches = dict(self._benches())

    def _offsets_of(self, name):
        """Where the members of a struct are, by the debugging information."""
        for unit in self.elf.get_dwarf_info().iter_CUs():
            for die in unit.iter_DIEs():
                if (
                    die.tag == "DW_TAG_structure_type"
                    and "DW_AT_name" in die.attributes
                    and die.attributes["DW_AT_name"].value.decode() == name
                    and die.has_children
                ):
                    return {
                        child.attributes["DW_AT_name"].value.decode(): child.attributes[
                            "DW_AT_data_member_location"
                        ].value
                        for child in die.iter_children()
                    }
        raise LookupError(f"no struct {name}")

    def _read(self, address, size):
        for segment in self.elf.iter_segments("PT_LOAD"):
            start = segment["p_vaddr"]
            if start <= address and address + size <= start + segment["p_filesz"]:
                return segment.data()[address - start : address - start + size]
        raise LookupError(f"{address:x} is not in the kernel")

    def _pointer(self, address):
        return int.from_bytes(self._read(address, 8), "little")

    def _text(self, address):
        text = b""
        while not text.endswith(b"\0"):
            text += self._read(address + len(text), 1)
        return text[:-1].decode()

    def _benches(self):
        symbols = {s.name: s["st_value"] for s in self.elf.get_section_by_name(".symtab").iter_symbols()}
        for entry in range(symbols["__benches_start"], symbols["__benches_end"], 8):
            yield self._bench(self._pointer(entry))
        # The empty section that is measured along is not registered.
        for symbol in self.elf.get_section_by_name(".symtab").get_symbol_by_name("empty"):
            bench = self._bench(symbol["st_value"])
            if bench[0] == "baseline":
                yield bench

    def _bench(self, address):
        """Its name, and where its sampler is."""
        name = self._text(self._pointer(address + self.offsets["name"]))
        return name, self._pointer(address + self.offsets["sample"])

    def _function(self, address):
        """Addresses and text of the instructions of the function at an address."""
        for symbol in self.elf.get_section_by_name(".symtab").iter_symbols():
            if symbol["st_value"] == address and symbol["st_info"]["type"] == "STT_FUNC":
                end = address + symbol["st_size"]
                break
        else:
            raise LookupError(f"no function at {address:x}")
        text = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", f"--start-address={address}", f"--stop-address={end}", self.path],
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        matches = (INSTRUCTION.match(line) for line in text.splitlines())
        return [(int(m.group(1), 16), m.group(2).split("#")[0].strip()) for m in matches if m]

    def sections(self, name):
        """The timed sections of a benchmark: one operation, and maybe 16 and 32."""
        sections = self._between(name, READ_TICKS)
        assert len(sections) in (1, 3), f"{name}: {len(sections)} sections timed by the TSC"
        return sections

    def counted_section(self, name):
        """One operation between reads of a performance counter."""
        sections = self._between(name, READ_COUNTER)
        assert len(sections) == 1, f"{name}: {len(sections)} sections with a performance counter"
        return sections[0]

    def _between(self, name, read):
        """What stands between pairs of such reads, from the shortest."""
        code = self._function(self.benches[name])
        words = [text.split()[0] for _, text in code]
        reads = [i for i in range(len(code)) if words[i : i + 3] == read]
        pairs = zip(reads[::2], reads[1::2], strict=True)
        return sorted((code[begin + 3 : end] for begin, end in pairs), key=len)

    def count(self, name, operations=1, loops=()):
        """
        How many instructions run between two reads of the TSC with so many operations. `loops`: how
        often the body of each loop in the section runs, in the order of their addresses.
        """
        section = self.sections(name)[{1: 0, 16: 1, 32: 2}[operations]]
        places = {at: i for i, (at, _) in enumerate(section)}
        total, expected = len(section), list(loops)
        for i, (address, text) in enumerate(section):
            jump = JUMP.match(text)
            if not jump:
                continue
            target = int(jump.group(2), 16)
            if target > address:
                continue  # over a loop that would not run, or an end that is not wanted: not taken
            assert jump.group(1) != "mp" and target in places, f"{name}: {text}"
            total += (i + 1 - places[target]) * (expected.pop(0) - 1)
        assert not expected, f"{name}: has fewer loops"
        return total
