"""The grammar of GTP version 2: bytes to lines, lines to requests, replies to bytes.

Source: Gunnar Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", sections 2.5
to 2.8, with the two additions of protocol/sessions.md: a space always follows the reply's sign, and
the bare line ``# interrupt`` is a signal.
"""

from __future__ import annotations

import enum
from typing import Final

import attrs

from yoddd.notation.text import MARK
from yoddd.protocol.errors import LineTooLong

PROTOCOL: Final = "yoddd/1"
"""The name of the protocol, with its major version."""

LINE_LIMIT: Final = 16 * 1024
"""The longest line accepted, in bytes, its LF not counted."""

MAX_ID: Final = 2**31 - 1
"""The largest int of GTP; a larger number is no id."""

_CONTROL: Final = bytes(code for code in (*range(32), 127) if code not in b"\t\n")
_TAB_TO_SPACE: Final = bytes.maketrans(b"\t", b" ")
_INTERRUPT: Final = "# interrupt"
_ID_DIGITS: Final = 10
_LINES_CUT: Final = 256


class LineSplitter:
    """Cuts a stream of bytes into lines at LF.

    Lines are cut a few at a time, so a burst of many short lines costs little more memory than its
    bytes.
    """

    __slots__ = ("_is_first", "_lines", "_rest", "_skips", "limit")

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        """Start with an empty buffer; ``limit`` is in bytes."""
        self.limit = limit
        # Lines that are cut, without their LF, in reverse; empty only if no line is complete.
        self._lines: list[bytes] = []
        # The bytes after them.
        self._rest = b""
        # Whether bytes up to the next LF belong to a line that was refused; set by `pop`.
        self._skips = False
        # Whether the next line is the first, which may begin with a byte order mark.
        self._is_first = True

    @property
    def pending(self) -> int:
        """The number of bytes held, an unfinished line included."""
        return sum(len(line) + 1 for line in self._lines) + len(self._rest)

    @property
    def ready(self) -> bool:
        """Whether `pop` would return a line or refuse one."""
        return bool(self._lines) or len(self._rest) > self.limit

    @property
    def in_line(self) -> bool:
        """Whether a line has begun that is not complete."""
        return bool(self._rest) or self._skips

    def push(self, data: bytes) -> None:
        """Append ``data``; `pop` returns the lines that it completes."""
        if self._skips:
            _, found, data = data.partition(b"\n")
            self._skips = not found
        self._rest += data
        if not self._lines:
            self._cut()

    def _cut(self) -> None:
        *lines, self._rest = self._rest.split(b"\n", _LINES_CUT)
        self._lines = lines[::-1]

    def pop(self) -> bytes | None:
        """Return the next line without its LF; None if none is complete.

        Raises:
            LineTooLong: the next line exceeds the limit, whether it is complete or not. It is
                dropped, also what is still to come of it.
        """
        if self._lines:
            line = self._lines.pop()
            if self._rest and not self._lines:
                self._cut()
            if self._is_first:
                self._is_first, line = False, line.removeprefix(MARK)
            if len(line) <= self.limit:
                return line
        elif len(self._rest) <= self.limit:
            return None
        else:
            self._rest = b""
            self._skips = True
        raise LineTooLong(self.limit)

    def take_rest(self) -> bytes:
        """Return everything not yet popped; the splitter is empty afterwards."""
        rest = b"\n".join((*reversed(self._lines), self._rest))
        self._lines.clear()
        self._rest = b""
        return rest


class Signal(enum.Enum):
    """A line that acts at once and has no reply."""

    INTERRUPT = "interrupt"


@attrs.define
class Request:
    """One command line; never changed, and not frozen only because making it would take longer.

    Attributes:
        command: in lower case; empty where the line has an id and nothing else.
        args: the words after it, as sent.
        id: the digits before it, echoed in the reply as they are; None if there were none.
    """

    command: str
    args: tuple[str, ...] = ()
    id: str | None = None


def parse_line(line: bytes) -> Request | Signal | None:
    """Read one line; None for a blank line or a comment.

    Bytes that are not UTF-8 become U+FFFD, which no command or argument contains.
    """
    text = line.decode("utf-8", "replace")
    if not text.isprintable():
        text = line.translate(_TAB_TO_SPACE, _CONTROL).decode("utf-8", "replace")
    if "#" in text:
        if text.strip(" ") == _INTERRUPT:
            return Signal.INTERRUPT
        text = text.partition("#")[0]
    words = text.split(" ")
    if "" in words:
        words = [word for word in words if word]
        if not words:
            return None
    number = words.pop(0) if words[0].isdigit() and _is_id(words[0]) else None
    if not words:
        return Request("", (), number)
    return Request(words[0].lower(), tuple(words[1:]), number)


def _is_id(digits: str) -> bool:
    return digits.isascii() and len(digits) <= _ID_DIGITS and int(digits) <= MAX_ID


def format_reply(text: str, *, ok: bool = True, request_id: str | None = None) -> bytes:
    """Return the bytes of a whole reply, without empty lines inside ``text`` and trailing space.

    GTP ends a reply with its first empty line, so none may stand inside; GoGui wants the space
    after the sign even where the text is empty. A text that begins with LF leaves the rest of the
    first line empty, as for diagrams.
    """
    if "\n" in text:
        first, *others = (line.rstrip() for line in text.split("\n"))
        text = "\n".join([first, *filter(None, others)])
    return f"{'=' if ok else '?'}{request_id or ''} {text}\n\n".encode()
