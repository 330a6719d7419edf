"""The wait for both participants of a game that has begun; no clock runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, cast

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.participants import Links, Participant
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination, forfeit, void

_Arrived = EngineLink | Failure | None
"""The link of a participant, None for a human, or the failure of one who is not there in time."""


class ReturnWait:
    """The state of a game that waits for its participants, for a limited time."""

    phase: ClassVar = GamePhase.WAITING

    def __init__(
        self, reactor: IReactorTime, participants: tuple[Participant, Participant], limit: float
    ) -> None:
        """Create it; `outcome` begins to wait, for ``limit`` seconds at most."""
        self._reactor = reactor
        self._participants = participants
        self._limit = limit
        # What is waited for, by seat; begun again if a participant leaves before the other comes.
        self._returning: list[Deferred[EngineLink | None]] = []
        # How the game ends if `decide` was called; None before.
        self._verdict: Termination | None = None

    async def outcome(self) -> Links | Termination:
        """Both links, or the termination if the game is decided or a participant stays away."""
        end = self._reactor.seconds() + self._limit
        while True:
            links = await self._arrive(end - self._reactor.seconds())
            missing = [seat for seat in Seat if isinstance(links[seat], Failure)]
            if not missing and all(one.is_available for one in self._participants):
                return cast("Links", links)
            self._release(links)
            if self._verdict is not None:
                return self._verdict
            if missing:
                return self._absence(missing)
            # A human who was back has left again before the other came.

    def decide(self, termination: Termination) -> None:
        """End the wait, and the game by ``termination``."""
        self._verdict = termination
        self._cancel()

    def note_presence(self, seat: Seat, *, is_here: bool) -> None:
        """Note that the human of a seat is back, or has left again."""
        human = self._participants[seat]
        if isinstance(human, HumanParticipant) and is_here:
            human.connect()
        elif isinstance(human, HumanParticipant):
            human.disconnect()

    async def _arrive(self, limit: float) -> tuple[_Arrived, _Arrived]:
        """The links of both, or failures of those who are not there in time."""
        self._returning = [one.engine() for one in self._participants]
        alarm = self._reactor.callLater(max(0.0, limit), self._cancel)
        (_, black), (_, white) = await DeferredList(self._returning, consumeErrors=True)
        if alarm.active():
            alarm.cancel()
        return black, white

    def _cancel(self) -> None:
        for one in self._returning:
            one.cancel()

    def _release(self, links: Iterable[_Arrived]) -> None:
        for participant, link in zip(self._participants, links, strict=True):
            if link is not None and not isinstance(link, Failure):
                participant.release(link, busy=False)

    def _absence(self, missing: list[Seat]) -> Termination:
        if len(missing) == 1:
            detail = f"not there to go on within {self._limit:g} s"
            return forfeit(missing[0], Reason.DISCONNECT, detail)
        return void(f"neither side was there to go on within {self._limit:g} s")
