"""Reasons for the end of a refereed game: whose fault it is, and the words for it."""

from __future__ import annotations

import enum
from typing import Any, Final, Self


class Blame(enum.Enum):
    """Whose fault the end of a game is."""

    NONE = "none"
    LOSER = "the loser"
    REFEREE = "the referee"


class Reason(enum.StrEnum):
    """Why a game ended; the reference manual says when each is found.

    Attributes:
        blame: whose fault such an end is.
        words: what the loser did by a fault, as the end of the sentence "WINNER wins: LOSER ...";
            else the end of the sentence "WINNER wins by ...".
    """

    blame: Blame
    words: str

    GROUPS = "groups", Blame.NONE, "groups"
    RESIGN = "resign", Blame.NONE, "resignation"
    TIME = "time", Blame.LOSER, "ran out of time"
    ILLEGAL = "illegal", Blame.LOSER, "played an illegal turn"
    PROTOCOL = "protocol", Blame.LOSER, "broke the protocol"
    CRASH = "crash", Blame.LOSER, "crashed"
    DISCONNECT = "disconnect", Blame.LOSER, "disconnected"
    STALL = "stall", Blame.LOSER, "did not answer"
    VOID = "void", Blame.REFEREE, ""
    ADJUDICATED = "adjudicated", Blame.NONE, "adjudication"
    TABLES = "tables", Blame.NONE, "tables"

    def __new__(cls, name: str, *about: Any) -> Self:
        """Make a member, whose value is its name."""
        one = str.__new__(cls, name)
        one._value_ = name
        one.blame, one.words = about
        return one

    @property
    def is_crash(self) -> bool:
        """Whether ``on_crash`` applies to it."""
        return self in (Reason.CRASH, Reason.DISCONNECT, Reason.STALL)

    @property
    def is_never_ours(self) -> bool:
        """Whether a builtin engine that is to blame voids the game."""
        return self in (Reason.CRASH, Reason.ILLEGAL, Reason.PROTOCOL)


REASONS: Final = frozenset(Reason)
"""All reasons for which a refereed game ends."""

FORFEITS: Final = frozenset(reason for reason in Reason if reason.blame is Blame.LOSER)
"""Reasons for which a participant lost by their own fault."""
