"""Terminations: every way in which a game can end, the winner, and who is to blame."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee.seat import Seat


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
    TABLES = "tables"


class Blame(enum.Enum):
    """Whose fault a termination is."""

    NONE = "none"
    LOSER = "the loser"
    REFEREE = "the referee"


@attrs.frozen
class TerminationRule:
    """The way in which the referee finds and records one reason.

    Attributes:
        blame: whose fault such a termination is.
        when: what has happened.
        decided_by: what the referee decides it by.
        detail: what the record's detail says.
        deed: what the loser did, as the end of the sentence "WINNER wins: LOSER ..."; empty if the
            win has another cause.
        cause: that one, as the end of the sentence "WINNER wins by ..."; empty if the loser did
            something, or without a winner.
    """

    blame: Blame
    when: str
    decided_by: str
    detail: str
    deed: str = ""
    cause: str = ""


TERMINATIONS: Final[Mapping[Reason, TerminationRule]] = {
    Reason.GROUPS: TerminationRule(
        Blame.NONE,
        "the game is over by its rules",
        "the referee's own rules, after every turn",
        "empty",
        cause="groups",
    ),
    Reason.RESIGN: TerminationRule(
        Blame.NONE,
        "`genmove` is answered with `resign`",
        "the reply, if it is in time",
        "empty",
        cause="resignation",
    ),
    Reason.TIME: TerminationRule(
        Blame.LOSER,
        "the clock of the participant to move runs out before a turn has arrived",
        "the referee's clock, from the sending of `genmove` to the last byte of its reply, "
        "less the lag gift and what the machine took",
        "the turn, the time control and the time: "
        "`turn 7 under 60+1: used 3.20 s, 3.00 s were left`; also what the machine took, and "
        "what an unfinished reply lacks",
        "ran out of time",
    ),
    Reason.ILLEGAL: TerminationRule(
        Blame.LOSER,
        "`genmove` is answered with something that is not a legal turn",
        "the referee's own rules",
        "the offending token and why: `1a1,2b2: 12 groups, even`",
        "played an illegal turn",
    ),
    Reason.PROTOCOL: TerminationRule(
        Blame.LOSER,
        "a malformed, oversized or unrequested reply, a wrong id, a mandatory command that is "
        "missing, or the refusal of a request that an engine may not refuse, a legal turn among "
        "them",
        "the controller, as soon as the bytes have arrived",
        "the error and the bytes",
        "broke the protocol",
    ),
    Reason.CRASH: TerminationRule(
        Blame.LOSER,
        "the engine's process ends, with any status, on either side's turn",
        "the operating system",
        "exit status or signal, and the last lines of its standard error",
        "crashed",
    ),
    Reason.DISCONNECT: TerminationRule(
        Blame.LOSER,
        "the connection of an attached engine closes and is not resumed within its window",
        "the connection",
        "the reason of the close",
        "disconnected",
    ),
    Reason.STALL: TerminationRule(
        Blame.LOSER,
        "no reply to a request other than `genmove` within its time limit, or none to `genmove` "
        "within the limit for games without a clock",
        "the referee's timer",
        "the request and the limit",
        "did not answer",
    ),
    Reason.VOID: TerminationRule(
        Blame.REFEREE,
        "the referee itself fails, is stopped, cannot start an engine, or cannot put the game to "
        "the engines, a built-in engine would forfeit by `illegal`, `protocol` or `crash`, or the "
        "machine takes over a minute of one turn",
        "the referee",
        "what failed; the game has no result and is played again",
    ),
    Reason.ADJUDICATED: TerminationRule(
        Blame.NONE,
        "the game is cut short: a solver has proved the outcome, both sides agree on it, the "
        "organiser's limit of turns is reached, or a rule of the organiser about what engines "
        "state about their turns",
        "the solver, the statements of both sides, or the count of the board as it stands",
        "which of these",
        cause="adjudication",
    ),
    Reason.TABLES: TerminationRule(
        Blame.NONE,
        "the organiser adjudicates by tables, and the position after a turn is in one",
        "the table of the game, the board and the options",
        "the value of the position: `black to move wins in 7 turns`",
        cause="tables",
    ),
}
"""The rule of every reason; the table in the reference manual has the same texts."""


@attrs.frozen
class Termination:
    """The end of one game and its reason; built by `won`, `forfeit` or `void`.

    Attributes:
        winner: the seat that won; None for a void game only.
        reason: why the game ended.
        detail: text for the record beyond the reason; may be empty.
    """

    winner: Seat | None
    reason: Reason
    detail: str = ""

    def __attrs_post_init__(self) -> None:
        """Refuse a void game with a winner, and any other game without one."""
        if (self.winner is None) is not (self.reason is Reason.VOID):
            raise ValueError(f"{self.reason} with winner {self.winner}")

    @property
    def blame(self) -> Seat | Blame:
        """The seat at fault; ``NONE`` or ``REFEREE`` if no seat is."""
        blame = TERMINATIONS[self.reason].blame
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


def won(winner: Seat, reason: Reason, detail: str = "") -> Termination:
    """A win without a fault of the loser: by groups, resignation or adjudication.

    Raises:
        ValueError: ``reason`` is a fault.
    """
    return _checked(Termination(winner, reason, detail), Blame.NONE)


def forfeit(loser: Seat, reason: Reason, detail: str = "") -> Termination:
    """A loss by a fault of ``loser``.

    Raises:
        ValueError: ``reason`` is no fault of a participant.
    """
    return _checked(Termination(loser.other, reason, detail), Blame.LOSER)


def void(detail: str) -> Termination:
    """A game without a winner, by the referee's own fault."""
    return Termination(None, Reason.VOID, detail)


def _checked(termination: Termination, blame: Blame) -> Termination:
    actual = TERMINATIONS[termination.reason].blame
    if actual is not blame:
        raise ValueError(f"{termination.reason}: the blame is {actual.value}'s")
    return termination


def describe_result(record: GameRecord) -> str:
    """Return who won and why, such as ``ann wins: bob ran out of time``, without the detail."""
    if record.winner is None:
        return Reason.VOID.value
    names = (record.black, record.white)
    winner, loser = names if record.winner == "b" else names[::-1]
    reason = Reason(record.reason)
    rule = TERMINATIONS[reason]
    if rule.deed:
        return f"{winner} wins: {loser} {rule.deed}"
    score = None if reason is Reason.RESIGN else record.score  # the game had no end
    return " ".join(filter(None, (f"{winner} wins by {rule.cause}", score)))
