"""The referee's law: every way in which a game can end, and who is to blame.

Seats are *people*, never colours: a swap in Yoin exchanges the colours, and the seat, the clock,
the record and the result stay with the person.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

import attrs


class Seat(enum.IntEnum):
    """A person: the one who began as Black, or the one who began as White."""

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> Seat:
        """The opponent."""
        return Seat(1 - self)

    @property
    def key(self) -> str:
        """``b`` or ``w``, as records spell it."""
        return "bw"[self]


class Reason(enum.StrEnum):
    """Why a game ended."""

    GROUPS = "groups"
    RESIGN = "resign"
    TIME = "time"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    STALL = "stall"
    VOID = "void"
    ADJUDICATED = "adjudicated"


class Blame(enum.Enum):
    """Whose fault an ending is."""

    NOBODY = "nobody"
    LOSER = "the loser"
    REFEREE = "the referee"


@attrs.frozen
class Clause:
    """One row of the law.

    Attributes:
        blame: whose fault such an ending is.
        when: what has happened.
        decided_by: what the referee decides it by.
        detail: what the record's detail says.
    """

    blame: Blame
    when: str
    decided_by: str
    detail: str


LAW: Final[Mapping[Reason, Clause]] = {
    Reason.GROUPS: Clause(
        Blame.NOBODY,
        "the game is over by its rules",
        "the referee's own rules, after every turn",
        "empty",
    ),
    Reason.RESIGN: Clause(
        Blame.NOBODY,
        "`genmove` is answered with `resign`",
        "the reply, if it is in time",
        "empty",
    ),
    Reason.TIME: Clause(
        Blame.LOSER,
        "no turn has come when the clock of the person on turn runs out",
        "the referee's clock, from the sending of `genmove` to the last byte of its reply, "
        "less the lag gift",
        "the turn and the time control: `turn 7 under 60+1`",
    ),
    Reason.ILLEGAL: Clause(
        Blame.LOSER,
        "`genmove` is answered with something that is not a legal turn",
        "the referee's own rules",
        "the offending token and why: `1a1,2b2: 12 groups, even`",
    ),
    Reason.PROTOCOL: Clause(
        Blame.LOSER,
        "a malformed, oversized or unrequested reply, a wrong id, a mandatory command that is "
        "missing, or the refusal of a request that an engine may not refuse, a legal turn among "
        "them",
        "the controller, as soon as the bytes are there",
        "what was wrong with which bytes",
    ),
    Reason.CRASH: Clause(
        Blame.LOSER,
        "the engine's process ends, with whatever status, whoever is on turn",
        "the operating system's report",
        "exit status or signal, and the last lines of its standard error",
    ),
    Reason.DISCONNECT: Clause(
        Blame.LOSER,
        "the connection of an attached engine closes and is not resumed within its window",
        "the connection",
        "how it closed",
    ),
    Reason.STALL: Clause(
        Blame.LOSER,
        "no reply to a request other than `genmove` within its time limit, or none to `genmove` "
        "within the limit for games without a clock",
        "the referee's timer",
        "the request and the limit",
    ),
    Reason.VOID: Clause(
        Blame.REFEREE,
        "the referee itself fails, is stopped, or cannot put the game to the engines",
        "the referee",
        "what failed; the game counts for nobody and is played again",
    ),
    Reason.ADJUDICATED: Clause(
        Blame.NOBODY,
        "the game is cut short: a solver has proved the outcome, both sides agree on it, or the "
        "organiser's limit of turns is reached",
        "the solver, the statements of both sides, or the count of the board as it stands",
        "by what",
    ),
}
"""Every reason has exactly one row; the manual's table is this one."""


@attrs.frozen
class Ending:
    """How one game ended; build it with `won`, `forfeit` or `void`.

    Attributes:
        winner: the person who won; None for a void game only.
        reason: the row of the law.
        detail: what a person wants to know beyond the reason; may be empty.
    """

    winner: Seat | None
    reason: Reason
    detail: str = ""

    def __attrs_post_init__(self) -> None:
        """Refuse what no row of the law allows: a void game with a winner, or none elsewhere."""
        if (self.winner is None) is not (self.reason is Reason.VOID):
            raise ValueError(f"{self.reason} with winner {self.winner}")

    @property
    def blame(self) -> Seat | Blame:
        """The person at fault; where it is no person, ``NOBODY`` or ``REFEREE``."""
        blame = LAW[self.reason].blame
        if blame is Blame.LOSER and self.winner is not None:
            return self.winner.other
        return blame

    @property
    def blame_key(self) -> str | None:
        """``b``, ``w``, ``referee`` or None, as records spell the blame."""
        blame = self.blame
        if isinstance(blame, Seat):
            return blame.key
        return "referee" if blame is Blame.REFEREE else None


def won(winner: Seat, reason: Reason, detail: str = "") -> Ending:
    """The ending that ``winner`` won without anybody's fault: groups, resign or adjudicated."""
    return _checked(Ending(winner, reason, detail), Blame.NOBODY)


def forfeit(loser: Seat, reason: Reason, detail: str = "") -> Ending:
    """The ending by a fault of ``loser``."""
    return _checked(Ending(loser.other, reason, detail), Blame.LOSER)


def void(detail: str) -> Ending:
    """The ending by the referee's own fault."""
    return Ending(None, Reason.VOID, detail)


def _checked(ending: Ending, blame: Blame) -> Ending:
    if LAW[ending.reason].blame is not blame:
        raise ValueError(f"{ending.reason}: the blame is {LAW[ending.reason].blame.value}'s")
    return ending
