"""Reads the session vectors; see protocol/vectors/README.md for their format."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

PROTOCOL: Final = Path(__file__).parents[2] / "protocol"
CHANNELS: Final = PROTOCOL / "vectors" / "server" / "channels.txt"
GAME: Final = PROTOCOL / "vectors" / "server" / "game.txt"
PARTS: Final = ("sessions", "analysis", "server", "gogui", "programs")
"""The folders with sessions, as the specification is divided."""
FILES: Final = [
    file
    for part in PARTS
    for file in sorted((PROTOCOL / "vectors" / part).glob("*.txt"))
    if file not in {CHANNELS, GAME}
]

_ESCAPE: Final = re.compile(rb"\\(x[0-9a-f]{2}|[srt\\])")
_LETTERS: Final = {b"s": b" ", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}


class Exchange(NamedTuple):
    """One line of the client and all that is sent before the next."""

    line: bytes
    reply: bytes
    ends: str  # "", "closed" or "attached"


def connections(file: Path) -> Iterator[list[Exchange]]:
    """The connections of a file, each a list of exchanges."""
    for part in re.split(rb"^---$", file.read_bytes(), flags=re.MULTILINE):
        exchanges = list(_exchanges(part))
        if exchanges:
            yield exchanges


def every_exchange() -> Iterator[Exchange]:
    """All exchanges of all files."""
    for file in FILES:
        for connection in connections(file):
            yield from connection


def spelled(file: Path, connect: Callable[[], Callable[[bytes], Exchange]]) -> str:
    """A file with what a server sends today for each line of its clients."""
    found, ask = [], connect()
    for line in file.read_text("ascii").splitlines():
        if line == "---":
            ask = connect()
        if line[:2] not in {"S:", "X:", "A:"}:
            found.append(line)
        if line.startswith("C:"):
            exchange = ask(_unescape(line[3:].encode()))
            replies = exchange.reply.removesuffix(b"\n").split(b"\n") if exchange.reply else []
            found += [f"S: {escape(reply)}".rstrip(" ") for reply in replies]
            found += [{"closed": "X:", "attached": "A:"}[exchange.ends]] if exchange.ends else []
    return "\n".join([*found, ""])


def _exchanges(part: bytes) -> Iterator[Exchange]:
    lines = [line for line in part.split(b"\n") if line and not line.startswith(b"#")]
    said, replies, ends = None, b"", ""
    for line in [*lines, b"C:"]:
        kind, text = line[:2], _unescape(line[3:])
        if kind == b"C:":
            if said is not None:
                yield Exchange(said, replies, ends)
            said, replies, ends = text, b"", ""
        elif kind == b"S:":
            replies += text + b"\n"
        else:
            ends = {b"X:": "closed", b"A:": "attached"}[kind]


def _unescape(text: bytes) -> bytes:
    def replace(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return _LETTERS.get(code) or bytes.fromhex(code[1:].decode())

    return _ESCAPE.sub(replace, text)


def escape(line: bytes) -> str:
    """A line as a vector spells it."""
    text = line.replace(b"\\", rb"\\").replace(b"\r", rb"\r").replace(b"\t", rb"\t")
    text = re.sub(rb" $", rb"\\s", text)
    return re.sub(rb"[\x00-\x1f\x7f-\xff]", lambda m: b"\\x%02x" % m[0][0], text).decode("ascii")
