"""Executors play what is missing of a tournament; here the one that plays in this process.

A result counts once it is on the disk.
"""

from __future__ import annotations

import enum
from typing import Final, Protocol

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.news import GameEnds, Watch
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.play.slot import ParticipantFactory, Slot
from yoddd.notation.records import GameRecord
from yoddd.referee.plan import OnCrash
from yoddd.referee.tournament import Assignment, Tournament

CRASHES: Final = frozenset({"crash", "disconnect", "stall"})
"""Reasons in a record that ``on_crash`` applies to."""


class StopReason(enum.Enum):
    """Why an executor plays no more."""

    OVER = "over"
    STOPPED = "stopped"
    CRASHED = "an engine crashed"


class RecordSink(Protocol):
    """Takes finished games for good."""

    def commit(self, game: PlayedGame) -> Deferred[None]:
        """Fires once the game is on the disk."""


class Executor(Protocol):
    """Plays what is missing of a tournament: in this process, or on the workers of a cluster.

    Attributes:
        tournament: as it stands.
        paused: whether no further game is begun.
    """

    tournament: Tournament
    paused: bool

    @property
    def concurrency(self) -> int:
        """The most games at once."""

    @property
    def running(self) -> int:
        """The number of games in play."""

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called."""

    def pause(self) -> None:
        """Begin no further game."""

    def resume(self) -> None:
        """Begin games again after a pause."""

    def stop(self) -> None:
        """Abort the games that run; they have no result and stay missing."""

    def fail(self, error: BaseException) -> None:
        """Abort the games that run as `stop` does, and let `play` raise ``error``."""

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on; no running game is aborted."""


class LocalExecutor:
    """Plays several games at once, each with engine processes of its own.

    Attributes:
        tournament: as it stands.
        concurrency: how many games are played at once at most.
        paused: whether no further game is begun.
    """

    def __init__(
        self,
        reactor: Reactor,
        tournament: Tournament,
        make_participant: ParticipantFactory,
        sink: RecordSink,
        watch: Watch,
        concurrency: int = 1,
    ) -> None:
        """Prepare; ``watch`` is called with all news of the games."""
        self.tournament = tournament
        self.concurrency = concurrency
        self.paused = False
        self._reactor = reactor
        self._make_participant = make_participant
        self._sink = sink
        self._watch = watch
        # By number. A slot stays when its game is over: its engines serve the next one.
        self._slots: dict[int, Slot] = {}
        # Numbers of the slots that play now.
        self._running: set[int] = set()
        # How many finished games are being written. Their slots play on meanwhile, so that no
        # engine waits for the disk; a disk that falls behind by more games than are played at once
        # holds up the next ones.
        self._writing = 0
        # Set once, when no further game may begin; None while games are played.
        self._reason: StopReason | None = None
        # The first error that ends the run.
        self._error: BaseException | None = None
        # Fires when the last running game has ended.
        self._done: Deferred[StopReason] = Deferred()

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called; all engines have ended then.

        Raises:
            RunError: a result could not be written.
        """
        self._fill()
        try:
            return await self._done
        finally:
            await self._close_engines()

    @property
    def running(self) -> int:
        """The number of games in play."""
        return len(self._running)

    def pause(self) -> None:
        """Begin no further game; running games are played to their end."""
        self.paused = True

    def resume(self) -> None:
        """Begin games again after a pause."""
        self.paused = False
        self._fill()

    def stop(self, reason: StopReason = StopReason.STOPPED) -> None:
        """Abort the games that run; they have no result and stay missing."""
        if self._reason is None:
            self._reason = reason
            for number in list(self._running):
                self._slots[number].abort()
        self._fill()

    def fail(self, error: BaseException) -> None:
        """Abort the games that run as `stop` does, and let `play` raise ``error``."""
        self._error = self._error or error
        self.stop()

    def _on_failure(self, failure: Failure) -> None:
        """A result cannot be written, or the referee has an error."""
        self.fail(failure.value or RuntimeError("unknown error"))

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on; no running game is aborted."""
        self.concurrency = games
        self._fill()

    def _fill(self) -> None:
        while self._may_begin():
            game = self.tournament.next_game()
            if game is None:
                break
            number = next(n for n in range(self.concurrency) if n not in self._running)
            slot = self._slots.setdefault(
                number, Slot(self._reactor, number, self._make_participant)
            )
            self._running.add(number)
            played = Deferred.fromCoroutine(self._play(slot, game))
            played.addErrback(self._on_failure)
        is_idle = not self._running and not self._writing
        if is_idle and not self._done.called and self._is_finished():
            self._finish()

    def _finish(self) -> None:
        if self._error is None:
            self._done.callback(self._reason or StopReason.OVER)
        else:
            self._done.errback(self._error)

    def _may_begin(self) -> bool:
        free = len(self._running) < self.concurrency
        numbers = any(n not in self._running for n in range(self.concurrency))
        keeps_up = self._writing <= self.concurrency
        return free and numbers and keeps_up and not self.paused and self._reason is None

    def _is_finished(self) -> bool:
        return self._reason is not None or self.tournament.is_over or not self.paused

    async def _play(self, slot: Slot, game: Assignment) -> None:
        try:
            finished = await slot.play(game, self._watch)
        finally:
            self._running.discard(slot.number)
            if slot.number >= self.concurrency:
                slot.close()
        if finished is None:
            self.tournament.put_back(game)
        else:
            await self._commit(game, finished)
        self._fill()

    async def _commit(self, game: Assignment, played: PlayedGame) -> None:
        policy = self.tournament.plan.on_crash
        stops = stops_run(played.record, policy)
        record = apply_crash_policy(played.record, policy)
        self._writing += 1
        try:
            written = self._sink.commit(PlayedGame(record, played.bundle))
            if not stops:
                self._fill()
            await written
        finally:
            self._writing -= 1
        self.tournament.take(record)
        self._watch(GameEnds(game.pair.game_number(game.leg), record))
        if stops:
            self.stop(StopReason.CRASHED)
        elif self.tournament.is_decided:
            self.stop(StopReason.OVER)

    async def _close_engines(self) -> None:
        """Close the engines of all slots and wait until they have ended."""
        for slot in self._slots.values():
            slot.close()
        for slot in self._slots.values():
            await slot.wait_closed()


def stops_run(record: GameRecord, policy: OnCrash) -> bool:
    """Whether the run stops after this game."""
    return policy is OnCrash.STOP and record.reason in CRASHES


def apply_crash_policy(record: GameRecord, policy: OnCrash) -> GameRecord:
    """The record as it is archived: under ``on_crash=void`` a crash is a game without a result."""
    if policy is not OnCrash.VOID or record.reason not in CRASHES:
        return record
    name = record.black if record.blame == "b" else record.white
    detail = f"on_crash=void: {name}: {record.reason}: {record.detail}"
    return attrs.evolve(
        record, winner=None, reason="void", detail=detail, blame="referee", score=None
    )
