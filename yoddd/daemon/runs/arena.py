"""A tournament as it is played: several tables at once; a result counts once it is on the disk."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.match_runner import GameEnds, TurnSeen, Watch, begins
from yoddd.daemon.play.pair_wait import Absent, PairWait, unplayed, wait_for_links
from yoddd.daemon.play.participants import (
    AttachedParticipant,
    Links,
    Participant,
    ProcessParticipant,
)
from yoddd.daemon.play.transcripts import Transcript
from yoddd.daemon.runs.archive import Bundle
from yoddd.notation import format_position
from yoddd.notation.records import FORFEITS, GameRecord
from yoddd.referee import Game, Seat, TurnPlayed
from yoddd.referee.plan import OnCrash
from yoddd.referee.tournament import Assignment, Tournament

CRASHES: Final = frozenset({"crash", "disconnect", "stall"})
"""Endings that ``on_crash`` is about."""

PARTING: Final = 5.0
"""Seconds that all engines together have to end; nothing outlives its killing as long."""


class Ending(enum.Enum):
    """Why an arena stopped playing."""

    OVER = "over"
    STOPPED = "stopped"
    CRASHED = "an engine crashed"


class Archivist(Protocol):
    """Who keeps results."""

    def commit(self, record: GameRecord, bundle: Bundle | None = None) -> Deferred[None]:
        """Fires once the game is safe."""


Seating = Callable[[int, int], Participant]
"""The participant for an entrant in a slot; both are numbers."""


class Arena:
    """Plays what is missing of a tournament.

    Attributes:
        tournament: as it stands.
        concurrency: how many games are played at once; may be changed at any time.
        paused: whether no further game is begun.
    """

    def __init__(
        self,
        reactor: Reactor,
        tournament: Tournament,
        seating: Seating,
        archivist: Archivist,
        watch: Watch,
        concurrency: int = 1,
    ) -> None:
        """Prepare; ``watch`` is told everything as it happens."""
        self.tournament = tournament
        self.concurrency = concurrency
        self.paused = False
        self._reactor = reactor
        self._seating = seating
        self._archivist = archivist
        self._watch = watch
        self._slots: dict[int, Slot] = {}
        self._running: set[int] = set()
        self._ending: Ending | None = None
        self._done: Deferred[Ending] = Deferred()

    async def play(self) -> Ending:
        """Play until the tournament is over or somebody stops it; all engines have ended then.

        Raises:
            RunError: a result could not be kept.
        """
        self._fill()
        try:
            return await self._done
        finally:
            await self._part()

    @property
    def running(self) -> int:
        """How many games are being played."""
        return len(self._running)

    def pause(self) -> None:
        """Begin no further game; those that run are played to their end."""
        self.paused = True

    def resume(self) -> None:
        """Go on after a pause."""
        self.paused = False
        self._fill()

    def stop(self, ending: Ending = Ending.STOPPED) -> None:
        """Break off: games that run have no result and stay missing."""
        if self._ending is None:
            self._ending = ending
            for number in list(self._running):
                self._slots[number].abort()
        self._fill()

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on; none is broken off."""
        self.concurrency = games
        self._fill()

    def _fill(self) -> None:
        while self._may_begin():
            game = self.tournament.next_game()
            if game is None:
                break
            number = next(n for n in range(self.concurrency) if n not in self._running)
            slot = self._slots.setdefault(number, Slot(self._reactor, number, self._seating))
            self._running.add(number)
            played = Deferred.fromCoroutine(self._play(slot, game))
            played.addErrback(self._broken)
        if not self._running and not self._done.called and self._is_at_end():
            self._done.callback(self._ending or Ending.OVER)

    def _may_begin(self) -> bool:
        free = len(self._running) < self.concurrency
        numbers = any(n not in self._running for n in range(self.concurrency))
        return free and numbers and not self.paused and self._ending is None

    def _is_at_end(self) -> bool:
        return self._ending is not None or self.tournament.is_over or not self.paused

    def _broken(self, failure: Failure) -> None:
        """A result cannot be kept, or the referee has an error: nothing sensible can follow."""
        self._ending = self._ending or Ending.STOPPED
        for number in list(self._running):
            self._slots[number].abort()
        if not self._done.called:
            self._done.errback(failure)

    async def _play(self, slot: Slot, game: Assignment) -> None:
        try:
            finished = await slot.play(game, self._watch)
            if finished is None:
                self.tournament.put_back(game)
            else:
                await self._keep(game, *finished)
        finally:
            self._running.discard(slot.number)
            if slot.number >= self.concurrency:
                slot.close()
        self._fill()

    async def _keep(self, game: Assignment, record: GameRecord, bundle: Bundle | None) -> None:
        policy = self.tournament.plan.on_crash
        stops = ends_run(record, policy)
        record = judged(record, policy)
        await self._archivist.commit(record, bundle)
        self.tournament.take(record)
        self._watch(GameEnds(game.pair.game_number(game.leg), record))
        if stops:
            self.stop(Ending.CRASHED)
        elif self.tournament.is_decided:
            self.stop(Ending.OVER)

    async def _part(self) -> None:
        """Wait for every engine to be gone."""
        for slot in self._slots.values():
            slot.close()
        for slot in self._slots.values():
            await slot.part()


def ends_run(record: GameRecord, policy: OnCrash) -> bool:
    """Whether the run is to end with this game."""
    return policy is OnCrash.STOP and record.reason in CRASHES


def judged(record: GameRecord, policy: OnCrash) -> GameRecord:
    """The record as it is kept: a crash that shall not count is nobody's loss."""
    if policy is not OnCrash.VOID or record.reason not in CRASHES:
        return record
    name = record.black if record.blame == "b" else record.white
    detail = f"on_crash=void: {name}: {record.reason}: {record.detail}"
    return attrs.evolve(
        record, winner=None, reason="void", detail=detail, blame="referee", score=None
    )


class Slot:
    """A place where one game at a time is played, with engines of its own.

    Attributes:
        number: of the place, from 0.
    """

    def __init__(self, reactor: Reactor, number: int, seating: Seating) -> None:
        """Nothing is started yet."""
        self.number = number
        self._reactor = reactor
        self._seating = seating
        self._participants: dict[int, Participant] = {}
        self._parted: list[Participant] = []
        self._runner: GameRunner | None = None
        self._pair_wait = PairWait()
        self._aborted = False

    async def play(self, game: Assignment, watch: Watch) -> tuple[GameRecord, Bundle | None] | None:
        """Play one game; None if it was broken off."""
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
        return finished.record, _bundle(runner, finished.record)

    async def _wait_for_links(
        self, people: tuple[Participant, Participant], patience: float
    ) -> Links:
        """Wait as long as it takes for engines that play elsewhere or have never been there."""
        while True:
            known = all(one.was_attached for one in people if isinstance(one, AttachedParticipant))
            try:
                return await wait_for_links(
                    self._reactor, self._pair_wait, people, patience if known else None
                )
            except Absent as absent:
                if absent.verdict(patience) is not None:
                    raise

    def _note_absence(
        self, game: Assignment, absent: Absent, watch: Watch
    ) -> tuple[GameRecord, Bundle | None] | None:
        """One that was there before and is not now loses."""
        ending = absent.verdict(game.setup.limits.absence)
        if ending is None:
            return None
        watch(begins(game.pair.game_number(game.leg), game.setup))
        return unplayed(game.setup, ending, self._reactor.seconds()).record, None

    def abort(self) -> None:
        """Break the game off, or the wait for it."""
        self._aborted = True
        self._pair_wait.cancel()
        if self._runner is not None:
            self._runner.abort("stopped")

    def close(self) -> None:
        """Part from all engines."""
        for participant in self._participants.values():
            participant.close()
        self._parted += self._participants.values()
        self._participants.clear()

    async def part(self) -> None:
        """Part from all engines and wait for them to be gone."""
        self.close()
        parted = [one for one in self._parted if isinstance(one, ProcessParticipant)]
        leaving = [link.gone for participant in parted for link in participant.leaving]
        if leaving:
            waiting = DeferredList(leaving)
            waiting.addTimeout(PARTING, self._reactor)
            with suppress(TimeoutError):
                await waiting

    def _seat(self, seats: Sequence[int]) -> tuple[Participant, Participant]:
        """The two participants; engines of other entrants are closed."""
        for entrant in [one for one in self._participants if one not in seats]:
            participant = self._participants.pop(entrant)
            participant.close()
            self._parted.append(participant)
        self._parted = [
            one for one in self._parted if isinstance(one, ProcessParticipant) and one.leaving
        ]
        black, white = (
            self._participants.setdefault(entrant, self._seating(entrant, self.number))
            for entrant in seats
        )
        return black, white


def _bundle(runner: GameRunner, record: GameRecord) -> Bundle | None:
    """Everything that helps to understand a fault; None where there was none."""
    if record.reason not in FORFEITS and record.reason != "void":
        return None
    guilty: Mapping[str | None, str] = {"b": record.black, "w": record.white}
    fault = {
        "id": record.id,
        "reason": record.reason,
        "detail": record.detail,
        "blame": guilty.get(record.blame, record.blame),
        "winner": guilty.get(record.winner),
        "position": format_position(runner.game.position),
        "turns": record.turns,
        "started": record.started,
        "ended": record.ended,
    }
    files = {"fault.json": json.dumps(fault, indent=1) + "\n"}
    if runner.transcript is not None:
        files["transcript.txt"] = runner.transcript.text()
    for seat in Seat:
        files[f"stderr-{seat.key}.txt"] = runner.stderr.get(seat, "")
    return Bundle(files)
