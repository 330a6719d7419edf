"""What can go wrong on the wire, split by who is to blame.

::

    ProtocolError          becomes ``? code: detail``
    ├── PeerError          the peer asked for what cannot be
    │   └── LineTooLong    ... and cannot be understood any more: the connection ends
    └── EngineError        our own engine failed; the peer did nothing wrong
"""

from __future__ import annotations

import enum
from typing import Final

_MAX_DETAIL: Final = 300


class Code(enum.StrEnum):
    """The first words of an error reply; controllers compare them, so they never change."""

    UNKNOWN_COMMAND = "unknown command"
    SYNTAX = "syntax error"
    ILLEGAL = "illegal move"
    CANNOT_UNDO = "cannot undo"
    SIZE = "unacceptable size"
    CANNOT_SCORE = "cannot score"
    CANNOT_LOAD = "cannot load file"
    INTERRUPTED = "interrupted"
    ENGINE = "engine failed"
    LOGIN = "login required"
    BUSY = "busy"
    DENIED = "not permitted"
    INTERNAL = "internal error"


class ProtocolError(Exception):
    """A request that is answered with ``?``.

    Attributes:
        code: the contractual words.
        detail: what exactly is wrong; may be empty.
        fatal: the connection cannot go on after the reply.
    """

    fatal = False

    def __init__(self, code: Code, detail: str = "") -> None:
        """Keep the words; ``detail`` is made one printable line and clipped."""
        super().__init__(code, detail)
        self.code = code
        self.detail = one_line(detail)

    @property
    def text(self) -> str:
        """The text of the reply."""
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)


class PeerError(ProtocolError):
    """The peer asked for something that cannot be."""

    def __init__(self, code: Code, detail: str = "", *, fatal: bool = False) -> None:
        """Keep the words; ``fatal`` ends the connection after the reply."""
        super().__init__(code, detail)
        self.fatal = fatal


class LineTooLong(PeerError):
    """A line passed the limit; where the next one begins is not known."""

    def __init__(self, limit: int) -> None:
        """``limit`` is in bytes."""
        super().__init__(Code.SYNTAX, f"line over {limit} bytes", fatal=True)


class EngineError(ProtocolError):
    """An engine of ours did what it must not; the peer is not to blame."""

    def __init__(self, detail: str) -> None:
        """Say what the engine did."""
        super().__init__(Code.ENGINE, detail)


def one_line(text: str) -> str:
    """``text`` with everything unprintable as a space and clipped, fit for an error reply."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text[: _MAX_DETAIL + 1])
    return clean[: _MAX_DETAIL - 3] + "..." if len(clean) > _MAX_DETAIL else clean
