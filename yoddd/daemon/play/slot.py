"""Slots of an executor: each plays one game at a time, with engines of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from twisted.internet.defer import CancelledError, DeferredList

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.news import TurnSeen, Watch, begins
from yoddd.daemon.play.pair_wait import Absent, PairWait, unplayed, wait_for_links
from yoddd.daemon.play.participants import (
    AttachedParticipant,
    Links,
    Participant,
    ProcessParticipant,
)
from yoddd.daemon.play.played_game import PlayedGame, fault_bundle
from yoddd.daemon.play.transcripts import Transcript
from yoddd.referee import Game, TurnPlayed
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

    def __init__(self, reactor: Reactor, number: int, make_participant: ParticipantFactory) -> None:
        """Start no engine yet."""
        self.number = number
        self._reactor = reactor
        self._make_participant = make_participant
        # By entrant: those of the last game, whose processes may serve the next.
        self._participants: dict[int, Participant] = {}
        # Closed already, but their processes may not have ended.
        self._closed: list[Participant] = []
        # The game that is being played.
        self._runner: GameRunner | None = None
        self._pair_wait = PairWait()
        # Whether the present game was aborted, so that it has no result.
        self._aborted = False

    async def play(self, game: Assignment, watch: Watch) -> PlayedGame | None:
        """Play one game; None if it was aborted."""
        self._aborted = False
        black, white = self._seat(game.seats)
        number = game.pair.game_number(game.leg)
        try:
            links = await self._wait_for_links((black, white), game.setup.limits.absence)
        except CancelledError:
            return None
        except Absent as absent:
            return self._note_absence(game, absent, watch)
        watch(begins(number, game.setup))

        def seen(turn: TurnPlayed) -> None:
            watch(TurnSeen(number, turn.seat.key, turn.token, turn.seconds))

        transcript = Transcript(self._reactor.seconds)
        runner = GameRunner(
            self._reactor, Game(game.setup), (black, white), links, seen, transcript
        )
        self._runner = runner
        runner.start()
        finished = await runner.done
        self._runner = None
        if self._aborted:
            return None
        return PlayedGame(finished.record, fault_bundle(runner, finished.record))

    async def _wait_for_links(
        self, participants: tuple[Participant, Participant], patience: float
    ) -> Links:
        """Wait for both engines, without limit for one that is busy or never attached before."""
        while True:
            known = all(
                one.was_attached for one in participants if isinstance(one, AttachedParticipant)
            )
            try:
                return await wait_for_links(
                    self._reactor, self._pair_wait, participants, patience if known else None
                )
            except Absent as absent:
                if absent.verdict(patience) is not None:
                    raise

    def _note_absence(self, game: Assignment, absent: Absent, watch: Watch) -> PlayedGame | None:
        """The record of a game lost by an engine that had attached before and is missing now."""
        ending = absent.verdict(game.setup.limits.absence)
        if ending is None:
            return None
        watch(begins(game.pair.game_number(game.leg), game.setup))
        return PlayedGame(unplayed(game.setup, ending, self._reactor.seconds()).record)

    def abort(self) -> None:
        """Abort the game, or the wait for its engines."""
        self._aborted = True
        self._pair_wait.cancel()
        if self._runner is not None:
            self._runner.abort("stopped")

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
            waiting.addTimeout(CLOSE_TIMEOUT, self._reactor)
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
