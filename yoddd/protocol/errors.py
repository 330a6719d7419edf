"""The errors of the protocol, split by blame.

::

    ProtocolError          becomes ``? code: detail``
    ├── PeerError          the peer made a request that is refused
    │   └── LineTooLong    its line is over the limit: a session closes its connection
    └── EngineError        an engine of ours failed; the peer did nothing wrong
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
    NO_TABLE = "no table"
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
        fatal: whether the connection closes after the reply.
    """

    fatal = False

    def __init__(self, code: Code, detail: str = "") -> None:
        """Make ``detail`` one printable line of bounded length."""
        super().__init__(code, detail)
        self.code = code
        self.detail = one_line(detail)

    @property
    def text(self) -> str:
        """The text of the reply."""
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)


class PeerError(ProtocolError):
    """The peer made a request that is refused."""

    def __init__(self, code: Code, detail: str = "", *, fatal: bool = False) -> None:
        """Refuse; ``fatal`` closes the connection after the reply."""
        super().__init__(code, detail)
        self.fatal = fatal


class LineTooLong(PeerError):
    """A line exceeds the limit; the beginning of the next one is unknown."""

    def __init__(self, limit: int) -> None:
        """Refuse a line over ``limit`` bytes."""
        super().__init__(Code.SYNTAX, f"line over {limit} bytes", fatal=True)


class EngineError(ProtocolError):
    """An engine of ours broke the rules of the game; the peer is not to blame."""

    def __init__(self, detail: str) -> None:
        """Blame the engine; ``detail`` says what it did."""
        super().__init__(Code.ENGINE, detail)


def one_line(text: str) -> str:
    """Return ``text`` clipped and with unprintable characters as spaces, for an error reply."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text[: _MAX_DETAIL + 1])
    return clean[: _MAX_DETAIL - 3] + "..." if len(clean) > _MAX_DETAIL else clean
