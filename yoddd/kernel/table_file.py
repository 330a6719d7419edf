"""The file format of complete tables, read and written without the native kernel.

``docs/reference/tables.md`` specifies it for other languages.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

MAGIC: Final = b"YODDTAB2"
BLOCK: Final = 1024
"""Bytes of a block before it is compressed."""

SETS: Final = "sets"
"""The section of the sets of occupied cells that stand for their images."""

_PREFIX: Final = struct.Struct("<8sII")
_OFFSET: Final = struct.Struct("<I")
_CACHED: Final = 16384
_BATCH: Final = 256
_LEVEL: Final = 6


class TableError(ValueError):
    """A file that is no table, or a damaged one."""


@attrs.frozen
class Section:
    """A run of values in a file, compressed block by block.

    Attributes:
        name: ``sets``, ``won``, ``won_black`` or ``turns``.
        bits: of a value: 1, 8 or 32.
        values: how many.
        block: bytes of a block before compression; the last may be shorter.
        offset: of the section, from the end of the header.
        size: bytes in the file.
        sha256: the digest of these bytes, in hexadecimal digits.
    """

    name: str
    bits: int
    values: int
    block: int
    offset: int
    size: int
    sha256: str


@attrs.frozen
class Header:
    """The description of a table at the beginning of its file.

    Attributes:
        program: the program and version that made it.
        game: the game's name.
        board: the board's name.
        options: those that the values depend on, as the protocol spells them.
        stones: the most stones of a position that is held.
        symmetries: permutations of the cells; cell c goes to ``permutation[c]``.
        layers: for each number of stones the positions and how many are won.
        sections: the sections, in the order of the file.
    """

    program: str
    game: str
    board: str
    options: Mapping[str, str]
    stones: int
    symmetries: tuple[tuple[int, ...], ...]
    layers: tuple[tuple[int, int], ...]
    sections: tuple[Section, ...] = ()


@attrs.frozen
class Content:
    """The values of a section that is to be written.

    Attributes:
        name: of the section.
        bits: of a value.
        values: how many.
        read: their bytes; called once, as a section may have 100 MB.
    """

    name: str
    bits: int
    values: int
    read: Callable[[], bytes]


Mapper = Callable[
    [Callable[[memoryview], list[bytes]], Iterable[memoryview]], Iterable[list[bytes]]
]
"""``map``, or one that uses threads."""


def encode(header: Header, contents: Iterable[Content], each: Mapper = map) -> Iterator[bytes]:
    """The parts of a file, in order.

    Args:
        header: its sections are replaced.
        contents: of its sections.
        each: compresses the blocks.
    """
    sections: list[Section] = []
    packed: list[bytes] = []
    for content in contents:
        data = _pack(_compress(content.read(), each))
        digest = hashlib.sha256(data).hexdigest()
        offset = sections[-1].offset + sections[-1].size if sections else 0
        size = len(data)
        sections.append(
            Section(content.name, content.bits, content.values, BLOCK, offset, size, digest)
        )
        packed.append(data)
    text = json.dumps(attrs.asdict(attrs.evolve(header, sections=tuple(sections)))).encode()
    yield _PREFIX.pack(MAGIC, len(text), zlib.crc32(text))
    yield text
    yield from packed


def _compress(raw: bytes, each: Mapper) -> list[bytes]:
    whole = memoryview(raw)
    step = BLOCK * _BATCH
    batches = (whole[at : at + step] for at in range(0, len(raw), step))
    return [block for batch in each(_compress_batch, batches) for block in batch]


def _compress_batch(batch: memoryview) -> list[bytes]:
    return [zlib.compress(batch[at : at + BLOCK], _LEVEL) for at in range(0, len(batch), BLOCK)]


def _pack(blocks: Sequence[bytes]) -> bytes:
    """The blocks behind the offsets at which they begin, and at which the last one ends."""
    first = _OFFSET.size * (len(blocks) + 1)
    offsets = itertools.accumulate(map(len, blocks), initial=first)
    return b"".join([*map(_OFFSET.pack, offsets), *blocks])


class TableFile:
    """Random access to the values of a table.

    Attributes:
        header: its description.
    """

    def __init__(self, data: bytes | memoryview) -> None:
        """Read the header.

        Args:
            data: the whole file, also mapped into memory; only what is asked for is read.

        Raises:
            TableError: it is no table, or its end is missing.
        """
        self._data = memoryview(data)
        self.header, self._begin = _read_header(self._data)
        end = max((one.offset + one.size for one in self.header.sections), default=0)
        if self._begin + end > len(self._data):
            raise TableError("the file is too short: its end is missing")
        self._sections = {section.name: section for section in self.header.sections}
        # The blocks read last. Several threads may use it: each step is a single operation.
        self._blocks: dict[tuple[str, int], bytes] = {}

    def has(self, name: str) -> bool:
        """Whether there is a section ``name``."""
        return name in self._sections

    def bit(self, name: str, at: int) -> bool:
        """Value ``at`` of a section of single bits."""
        number, offset = divmod(at >> 3, BLOCK)
        block = self._blocks.get((name, number))
        if block is None:
            block = self._block(name, number)
        return bool(block[offset] >> (at & 7) & 1)

    def byte(self, name: str, at: int) -> int:
        """Value ``at`` of a section of bytes."""
        number, offset = divmod(at, BLOCK)
        return self._block(name, number)[offset]

    def words(self, name: str) -> tuple[int, ...]:
        """All values of a section of 32 bits."""
        section = self._sections[name]
        return struct.unpack(f"<{section.values}I", self.section(name))

    def section(self, name: str) -> bytes:
        """All bytes of a section, uncompressed."""
        return b"".join(self.blocks(name))

    def blocks(self, name: str) -> Iterator[bytes]:
        """The blocks of a section, uncompressed."""
        return (self._unpack(name, at) for at in range(self._count(name)))

    def check(self) -> None:
        """Compare every section with its digest.

        Raises:
            TableError: one differs.
        """
        for section in self.header.sections:
            if hashlib.sha256(self._stored(section)).hexdigest() != section.sha256:
                raise TableError(f"section {section.name} is damaged: its digest differs")

    def _count(self, name: str) -> int:
        section = self._sections[name]
        return -(-(section.values * section.bits) // (8 * section.block))

    def _stored(self, section: Section) -> memoryview:
        begin = self._begin + section.offset
        return self._data[begin : begin + section.size]

    def _block(self, name: str, number: int) -> bytes:
        found = self._blocks.get((name, number))
        if found is None:
            if len(self._blocks) >= _CACHED:
                self._blocks.clear()
            found = self._blocks[name, number] = self._unpack(name, number)
        return found

    def _unpack(self, name: str, number: int) -> bytes:
        section = self._sections[name]
        stored = self._stored(section)
        try:
            begin, end = struct.unpack_from("<2I", stored, _OFFSET.size * number)
            block = zlib.decompress(stored[begin:end])
        except (struct.error, zlib.error) as error:
            raise TableError(f"section {name} is damaged: {error}") from None
        size = -(-(section.values * section.bits) // 8) - section.block * number
        if len(block) != min(section.block, size):
            raise TableError(f"section {name} is damaged: a block of {len(block)} bytes")
        return block


def _read_header(data: memoryview) -> tuple[Header, int]:
    if len(data) < _PREFIX.size:
        raise TableError("no table: the file is too short")
    magic, length, checksum = _PREFIX.unpack_from(data)
    if magic != MAGIC:
        raise TableError("no table: the file begins otherwise")
    end = _PREFIX.size + length
    text = bytes(data[_PREFIX.size : end])
    if zlib.crc32(text) != checksum:
        raise TableError("the header is damaged: its checksum differs")
    import cattrs

    try:
        header = cattrs.structure(json.loads(text), Header)
    except (ValueError, cattrs.BaseValidationError) as error:
        raise TableError(f"the header has other fields: {error}") from None
    if any(section.block != BLOCK for section in header.sections):
        raise TableError(f"blocks of another size than {BLOCK}")
    return header, end
