"""The state that a game keeps for one seat: clock, engine, outstanding request, deadline."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import attrs

from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import EngineInfo
from yoddd.referee.game.clock import Clock
from yoddd.referee.game.engine_requests import EngineRequest, Purpose
from yoddd.referee.game.engine_text import shorten
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
            by which a turn without a clock must come; infinite while there is none.
        limit: the seconds that there were until then.
        overdue: the reason of the forfeit after the deadline.
        missing: what has not come by then; empty for the reply to the request.
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
    deadline: float = math.inf
    limit: float = math.inf
    overdue: Reason = Reason.STALL
    missing: str = ""

    def expect(
        self, limit: float, now: float, missing: str = "", reason: Reason = Reason.STALL
    ) -> None:
        """Set the deadline to ``limit`` seconds from now."""
        self.deadline, self.limit = now + limit, limit
        self.overdue, self.missing = reason, missing

    @property
    def is_free(self) -> bool:
        """Whether a request can be sent."""
        return self.is_present and self.request is None

    @property
    def due(self) -> float:
        """The earlier deadline of the seat and of its clock; infinite without one."""
        clock = self.clock.deadline
        return self.deadline if clock is None else min(self.deadline, clock)

    def is_late(self, now: float, *, inclusive: bool) -> bool:
        """Whether a deadline is over.

        What comes at the very moment of a deadline is in time, unless that is ``inclusive``.
        """
        return now > self.due or (inclusive and now == self.due)

    def lapse(self, number: int, now: float) -> tuple[Reason, str]:
        """Why a game is lost whose deadline is over; turn ``number`` is due."""
        if self.due == self.clock.deadline:
            return Reason.TIME, f"turn {number} under {self._spent(now)}"
        missing = self.missing
        if not missing and self.request is not None:
            missing = f"no reply to {shorten(self.request.command)}"
        return self.overdue, f"{missing} within {self.limit:g} s"

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
            self.expect(limit, now, "no reply to genmove")

    def rewind(self, clock: Clock) -> None:
        """Drop the turn that is due, and replace the clock: turns are taken back."""
        self.clock = clock
        self.turn, self.deadline = None, math.inf
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
        self.deadline = math.inf
        self.queue = deque([*requests, *owed])
