"""The state that a game keeps for one seat: clock, engine, outstanding request, deadline."""

from __future__ import annotations

from collections import deque
from typing import Final

import attrs

from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import EngineInfo
from yoddd.referee.game.clock import Clock
from yoddd.referee.game.engine_requests import EngineRequest, Purpose
from yoddd.rules import LegalTurn

UNKNOWN_ENGINE: Final = EngineInfo(name="", version="", protocol="", commands=frozenset())
"""An engine before its first handshake; it lists no commands."""


@attrs.define
class SeatState:
    """One seat of a game.

    A human is never sent a request; in a human's queue stands only the ``genmove`` that makes the
    turn due.

    Attributes:
        clock: runs while a turn of the seat is due.
        engine: the engine's description, set by every handshake.
        is_present: whether the human or the engine is connected and ready; set by `Game.join` and
            `Game.ready`, cleared by `Game.lost`.
        is_human: whether a human has the seat; set by `Game.join`.
        is_joined: whether it was given to `Game.join`.
        is_called: whether its engine is awaited in a game by the day.
        turn: a human's turn that was submitted before it was due; cleared once it is played.
        queue: the requests that have not been sent.
        request: the request that was sent and has not been answered.
        deadline: the time by which the engine must answer, return, or complete its handshake, or
            by which a turn without a clock must come; None while there is none.
        overdue: the reason of the forfeit after the deadline.
        waiting_for: the detail of that forfeit.
    """

    clock: Clock
    engine: EngineInfo = UNKNOWN_ENGINE
    is_present: bool = False
    is_human: bool = False
    is_joined: bool = False
    is_called: bool = False
    turn: LegalTurn | None = None
    queue: deque[EngineRequest] = attrs.field(factory=deque)
    request: EngineRequest | None = None
    deadline: float | None = None
    overdue: Reason = Reason.STALL
    waiting_for: str = ""

    def expect(self, what: str, limit: float, now: float, reason: Reason = Reason.STALL) -> None:
        """Set the deadline to ``limit`` seconds from now."""
        self.deadline = now + limit
        self.overdue = reason
        self.waiting_for = f"{what} within {limit:g} s"

    @property
    def is_free(self) -> bool:
        """Whether a request can be sent."""
        return self.is_present and self.request is None

    @property
    def deadlines(self) -> list[float]:
        """The deadlines of the seat and of its clock, the earliest first."""
        return sorted(when for when in (self.deadline, self.clock.deadline) if when is not None)

    def late(self, number: int, now: float, *, inclusive: bool) -> tuple[Reason, str] | None:
        """Why the game is lost now, if a deadline is over; turn ``number`` is due.

        What comes at the very moment of a deadline is in time, unless that is ``inclusive``.
        """
        for when in self.deadlines:
            if now > when or (inclusive and now == when):
                if when == self.clock.deadline:
                    return Reason.TIME, f"turn {number} under {self._spent(now)}"
                return self.overdue, self.waiting_for
        return None

    def _spent(self, now: float) -> str:
        """The time control, the seconds used, and those that there were."""
        clock = self.clock
        used = f"used {clock.elapsed(now) or 0.0:.2f} s, {clock.allowed or 0.0:.2f} s were left"
        if clock.excused:
            used += f", of which the machine took {clock.excused:.3f} s"
        return f"{clock.control}: {used}"

    def begin_turn(self, limit: float, now: float) -> None:
        """Start the clock for a turn; one without a limit leaves ``limit`` seconds."""
        if not self.clock.is_running:
            self.clock.start(now)
        if self.clock.deadline is None:
            self.expect("no reply to genmove", limit, now)

    def rewind(self, clock: Clock) -> None:
        """Drop the turn that is due, and replace the clock: turns are taken back."""
        self.clock = clock
        self.turn = self.deadline = None
        self.queue.clear()

    def disconnect(self) -> None:
        """Put an unanswered request back at the head of the queue."""
        self.is_present = False
        if self.request is not None:
            self.queue.appendleft(self.request)
            self.request = None

    def reconnect(self, engine: EngineInfo, requests: list[EngineRequest]) -> None:
        """Queue the set-up ``requests``, which cover all turns, before those still due."""
        owed = [one for one in self.queue if one.purpose in (Purpose.GENMOVE, Purpose.VERDICT)]
        self.engine = engine
        self.is_present, self.is_called = True, False
        self.deadline = None
        self.queue = deque([*requests, *owed])
