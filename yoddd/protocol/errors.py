"""The errors of the protocol, split by blame.

::

    ProtocolError          becomes ``? code: detail``
    ├── PeerError          the peer made a request that is refused
    │   └── LineTooLong    its line is over the limit: a session closes its connection
    └── EngineError        an engine of ours failed; the peer did nothing wrong
"""

from __future__ import annotations

import enum
from typing import Final, Self

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


class Subcode(enum.StrEnum):
    """A case of a code that clients tell apart; the words never change, and more may come.

    Attributes:
        code: the code whose case it is.
        meaning: a sentence without its point, as the specification has it.
    """

    code: Code
    meaning: str

    def __new__(cls, word: str, code: Code, meaning: str) -> Self:
        """Make the member that is spelled ``word``."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.code = code
        member.meaning = meaning
        return member

    OVER = "over", Code.ILLEGAL, "the game is over"
    EVEN = "even", Code.ILLEGAL, "the number of groups would be even at the end of the turn"
    PLAYER = "player", Code.ILLEGAL, "the other player is to move"
    NUMBER = "number", Code.ILLEGAL, "the turn with this number is not the next one"
    NOT_BEGUN = "not-begun", Code.ILLEGAL, "the game has not begun, or waits for a participant"
    BEGUN = "begun", Code.ILLEGAL, "the game, or the rematch, has begun"
    TAKEN = "taken", Code.ILLEGAL, "the offer is no longer open"
    PRESENT = "present", Code.ILLEGAL, "the other participant has not been away for long enough"
    BY_DAY = "by-day", Code.ILLEGAL, "a game by the day is not won by the other's absence"
    NO_REQUEST = "no-request", Code.ILLEGAL, "the other participant has asked for nothing"
    NO_TURN = "no-turn", Code.ILLEGAL, "there is no turn of this participant to take back"
    NO_GAME = "no-game", Code.SYNTAX, "there is no such game"
    NO_KEY = "no-key", Code.SYNTAX, "no game has this key"
    NO_RIVAL = "no-rival", Code.SYNTAX, "neither an engine nor a user of this name is here"
    NO_ACCOUNTS = "no-accounts", Code.SYNTAX, "the server has no accounts"
    TOKEN = "token", Code.DENIED, "the name or the token is wrong"
    ACCOUNT = "account", Code.DENIED, "the name is another account's"
    LOG_IN = "log-in", Code.DENIED, "only a user who has logged in may do that"
    RESERVED = "reserved", Code.DENIED, "the offer is to another participant"
    RANGE = (
        "range",
        Code.DENIED,
        "the engine does not play this game, board or clock, or begins no game now",
    )
    SELF = "self", Code.DENIED, "both sides would be the same user"
    STORE = "store", Code.BUSY, "the store is not available"
    FULL = "full", Code.BUSY, "as many games as may be are offered or played"


class Errors(enum.StrEnum):
    """The forms of an error reply, the values of the parameter ``errors``."""

    PLAIN = "plain"
    SUBCODES = "subcodes"


class ProtocolError(Exception):
    """A request that is answered with ``?``.

    Attributes:
        code: the contractual words.
        subcode: the case of the code; None where clients need not tell it from others.
        detail: what exactly is wrong; may be empty.
        fatal: whether the connection closes after the reply.
    """

    fatal = False

    def __init__(self, code: Code | Subcode, detail: str = "") -> None:
        """Make ``detail`` one printable line of bounded length; a subcode names its code too."""
        super().__init__(code, detail)
        self.code = code.code if isinstance(code, Subcode) else code
        self.subcode = code if isinstance(code, Subcode) else None
        self.detail = one_line(detail)

    @property
    def text(self) -> str:
        """The text of the reply."""
        return self._text(self.code)

    @property
    def coded_text(self) -> str:
        """The text of the reply to a client that has asked for subcodes."""
        return self._text(f"{self.code} [{self.subcode}]" if self.subcode else self.code)

    def _text(self, code: str) -> str:
        return f"{code}: {self.detail}" if self.detail else str(code)


class PeerError(ProtocolError):
    """The peer made a request that is refused."""

    def __init__(self, code: Code | Subcode, detail: str = "", *, fatal: bool = False) -> None:
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
