"""Slots of an executor: each plays one game at a time, with engines of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from twisted.internet.defer import CancelledError, Deferred, DeferredList

from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.world import World
from yoddd.daemon.play.news import Watch
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.play.played_game import PlayedGame, fault_bundle
from yoddd.daemon.play.refereed_game import RefereedGame
from yoddd.daemon.play.transcripts import Transcript
from yoddd.referee.tournament import Assignment

CLOSE_TIMEOUT: Final = 5.0
"""Seconds that all engines together have to end; a process is killed well before."""

ParticipantFactory = Callable[[int, int], Participant]
"""Makes the participant for an entrant in a slot; both are given by number."""


class Slot:
    """Plays one game at a time, with engines of its own.

    Attributes:
        number: from 0.
    """

    def __init__(
        self,
        world: World,
        number: int,
        make_participant: ParticipantFactory,
        *,
        gate: StartGate | None = None,
        transcribes: bool = True,
    ) -> None:
        """Start no engine yet.

        Args:
            world: the surroundings of the games.
            number: from 0.
            make_participant: gives the engines.
            gate: each game waits for it; None for a gate of its own, which is open.
            transcribes: whether the bytes of each game are kept until its end, to explain a fault.
        """
        self.number = number
        self._world = world
        self._make_participant = make_participant
        self._gate = gate or StartGate()
        self._transcribes = transcribes
        # By entrant: those of the last game, whose processes may serve the next.
        self._participants: dict[int, Participant] = {}
        # Closed already, but their processes may not have ended.
        self._closed: list[Participant] = []
        # The wait for the gate, which precedes each game; None before the first.
        self._pause: Deferred[None] | None = None
        # The game that is being played; None between games.
        self._game: RefereedGame | None = None
        # Whether the present game was aborted, so that it has no result.
        self._aborted = False

    async def play(
        self, game: Assignment, watch: Watch, patience: float | None = None
    ) -> PlayedGame | None:
        """Play one game; None if it was aborted, or stopped before it began.

        Raises:
            Absent: an engine was not available within ``patience`` seconds.
        """
        self._aborted = False
        transcript = Transcript(self._world.reactor.seconds) if self._transcribes else None
        refereed = RefereedGame(
            self._world, game.setup, self._seat(game.seats), transcript=transcript
        )
        self._game = refereed
        try:
            self._pause = self._gate.opened()
            await self._pause
            links = await refereed.wait(patience)
            finished = await refereed.play(links, watch, game.number)
        except CancelledError:
            return None
        finally:
            self._game = None
        if self._aborted:
            return None
        runner = refereed.runner
        if transcript is None or runner is None:
            return PlayedGame(finished.record)
        return PlayedGame(finished.record, fault_bundle(runner, finished.record))

    def abort(self, void: str | None = None) -> None:
        """Abort the game, or the wait for its engines; ``void`` is the reason of a void result.

        Without one a game that has begun has no result either.
        """
        self._aborted = void is None
        if self._pause is not None:
            self._pause.cancel()
        if self._game is not None:
            self._game.cancel()
        self.void(void or "stopped")

    def void(self, detail: str) -> None:
        """End the game that is being played, if there is one, as void."""
        if self._game is not None:
            self._game.abort(detail)

    def turn_time(self) -> tuple[str, float] | None:
        """See `GameRunner.turn_time`; None while no game is being played."""
        return None if self._game is None else self._game.turn_time()

    def close(self) -> None:
        """Close all engines."""
        for participant in self._participants.values():
            participant.close()
        self._closed += self._participants.values()
        self._participants.clear()

    async def wait_closed(self) -> None:
        """Close all engines and wait until their processes have ended."""
        self.close()
        closed = [one for one in self._closed if isinstance(one, ProcessParticipant)]
        leaving = [link.gone for participant in closed for link in participant.leaving]
        if leaving:
            waiting = DeferredList(leaving)
            waiting.addTimeout(CLOSE_TIMEOUT, self._world.reactor)
            with suppress(TimeoutError):
                await waiting

    def _seat(self, seats: Sequence[int]) -> tuple[Participant, Participant]:
        """The two participants of a game; the engines of all others are closed."""
        for entrant in [one for one in self._participants if one not in seats]:
            participant = self._participants.pop(entrant)
            participant.close()
            self._closed.append(participant)
        self._closed = [
            one for one in self._closed if isinstance(one, ProcessParticipant) and one.leaving
        ]
        black, white = (
            self._participants.setdefault(entrant, self._make_participant(entrant, self.number))
            for entrant in seats
        )
        return black, white
