"""Executors, which play the missing games of a tournament: their common part, and the local one.

A result counts once it is on the disk.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred, FirstError, gatherResults
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.news import GameEnds, Watch
from yoddd.daemon.play.slot import Absent, PlayedGame, Slot
from yoddd.notation.reasons import Reason
from yoddd.notation.records import GameRecord
from yoddd.referee.tournament.plan import OnCrash
from yoddd.referee.tournament.tournament import Assignment, Tournament

MOST_FAILURES: Final = 3
"""Games that builtin engines may fail in before the run ends."""


class BuiltinFailed(Exception):
    """Builtin engines have failed in `MOST_FAILURES` games; the text has the last failure."""


class StopReason(enum.Enum):
    """Why an executor plays no more."""

    OVER = "over"
    STOPPED = "stopped"
    CRASHED = "an engine crashed"


Commit = Callable[[PlayedGame], Deferred[Any]]
"""Takes a finished game for good; fires once it is on the disk."""


@attrs.define(eq=False)
class SlotExecutor(ABC):
    """Plays several units at once, each in a slot: a unit is games that one slot plays in turn.

    Attributes:
        tournament: as it stands.
        concurrency: how many units are played at once at most.
        paused: whether no further unit is begun.
    """

    _reactor: Reactor
    tournament: Tournament
    # Takes finished games; None if they count at once and no fault is explained.
    _commit: Commit | None
    # Is called with all news of the games.
    _watch: Watch
    concurrency: int = 1
    paused: bool = False
    # Numbers of the slots that play now.
    _running: set[int] = attrs.Factory(set)
    # How many finished units are being written. Their slots play on meanwhile, so that no engine
    # waits for the disk; a disk that falls behind by more units than are played at once holds up
    # the next ones.
    _writing: int = 0
    # Set once, when no further game may begin; None while games are played.
    _reason: StopReason | None = None
    # The first error that ends the run.
    _error: BaseException | None = None
    # Games that builtin engines have failed in.
    _failures: int = 0
    # Fires when the last running game has ended.
    _done: Deferred[StopReason] = attrs.Factory(Deferred)

    # -- a slot -----------------------------------------------------------------------------

    @abstractmethod
    def _next(self) -> list[Assignment]:
        """The games of the next unit; none if no game is due now."""

    @abstractmethod
    async def _play(self, number: int, games: list[Assignment]) -> None:
        """Play a unit in the slot with a number, which is free then, and take its results."""

    @abstractmethod
    def _abort(self, number: int, void: str | None) -> None:
        """Abort the games of a slot; they have no result, or are ``void`` for that reason."""

    @abstractmethod
    async def _close(self) -> None:
        """Close all slots and wait until their engines have ended."""

    # -- control ----------------------------------------------------------------------------

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called; all engines have ended then.

        Raises:
            Exception: an error of a slot, or of a commit.
        """
        self._fill()
        try:
            return await self._done
        finally:
            await self._close()

    @property
    def running(self) -> int:
        """The number of units in play, and of those whose results are being written."""
        return self._in_play() + self._writing

    def _in_play(self) -> int:
        return len(self._running)

    def pause(self) -> None:
        """Begin no further unit; running ones are played to their end."""
        self.paused = True

    def resume(self) -> None:
        """Begin games again after a pause."""
        self.paused = False
        self._fill()

    def stop(self, reason: StopReason = StopReason.STOPPED, *, void: str | None = None) -> None:
        """Abort the games that run; they stay missing.

        They have no result, or with ``void`` are void for that reason.
        """
        if self._reason is None:
            self._reason = reason
            for number in list(self._running):
                self._abort(number, void)
        self._fill()

    def fail(self, error: BaseException) -> None:
        """Abort the games that run as `stop` does, and let `play` raise ``error``."""
        self._error = self._error or error
        self.stop()

    def _on_failure(self, failure: Failure) -> None:
        """A result cannot be written, or the referee has an error."""
        self.fail(failure.value or RuntimeError("unknown error"))

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer units at once from now on; no running game is aborted."""
        self.concurrency = games
        self._fill()

    # -- units ------------------------------------------------------------------------------

    def _fill(self) -> None:
        while self._may_begin():
            games = self._next()
            if not games:
                break
            number = next(n for n in range(self.concurrency) if n not in self._running)
            self._running.add(number)
            played = Deferred.fromCoroutine(self._play(number, games))
            played.addErrback(self._on_failure)
        is_idle = not self._running and not self._writing
        plays_on = self._reason is None and not self.tournament.is_over and self.paused
        if is_idle and not self._done.called and not plays_on:
            if self._error is None:
                self._done.callback(self._reason or StopReason.OVER)
            else:
                self._done.errback(self._error)

    def _may_begin(self) -> bool:
        is_free = len(self._running) < self.concurrency and self._writing <= self.concurrency
        return is_free and not self.paused and self._reason is None

    async def _take(self, games: list[Assignment], finished: list[PlayedGame]) -> None:
        """Commit the games of a unit that were finished; the others are due again."""
        for game in games[len(finished) :]:
            self.tournament.put_back(game)
        policy = self.tournament.plan.on_crash
        stops = any(stops_run(played.record, policy) for played in finished)
        kept = [PlayedGame(self._judge(played.record), played.bundle) for played in finished]
        if self._commit is not None and kept:
            await self._write(self._commit, kept, last=stops)
        for game, played in zip(games, kept, strict=False):
            self.tournament.take(played.record)
            self._watch(GameEnds(game.number, played.record))
        if self._failures >= MOST_FAILURES:
            last = next(one.record.detail for one in reversed(kept) if one.record.winner is None)
            self.fail(BuiltinFailed(f"{MOST_FAILURES} games are void by our fault: {last}"))
        elif stops:
            self.stop(StopReason.CRASHED)
        elif self.tournament.is_decided:
            self.stop(StopReason.OVER)

    def _judge(self, record: GameRecord) -> GameRecord:
        """The record as it is archived: a fault of a builtin engine is no result."""
        ours = {side.name for side in self.tournament.plan.sides if side.is_ours}
        if Reason(record.reason).is_never_ours and culprit(record) in ours:
            self._failures += 1
            return without_result(record, "a builtin engine failed")
        return apply_crash_policy(record, self.tournament.plan.on_crash)

    async def _write(self, commit: Commit, games: list[PlayedGame], *, last: bool) -> None:
        """Write the games of a unit; unless it was the ``last``, begin the next one meanwhile."""
        self._writing += 1
        try:
            written = gatherResults([commit(game) for game in games], consumeErrors=True)
            if not last:
                self._fill()
            await written
        except FirstError as error:
            error.subFailure.raiseException()
        finally:
            self._writing -= 1


def stops_run(record: GameRecord, policy: OnCrash) -> bool:
    """Whether the run stops after this game."""
    return policy is OnCrash.STOP and Reason(record.reason).is_crash


def apply_crash_policy(record: GameRecord, policy: OnCrash) -> GameRecord:
    """The record as it is archived: under ``on_crash=void`` a crash is a game without a result."""
    if policy is not OnCrash.VOID or not Reason(record.reason).is_crash:
        return record
    return without_result(record, "on_crash=void")


def culprit(record: GameRecord) -> str:
    """The name of the participant who is to blame for a forfeit."""
    return record.black if record.blame == "b" else record.white


def without_result(record: GameRecord, why: str) -> GameRecord:
    """The record of a forfeit as that of a void game."""
    detail = f"{why}: {culprit(record)}: {record.reason}: {record.detail}"
    return attrs.evolve(
        record, winner=None, reason="void", detail=detail, blame="referee", score=None
    )


# -- in this process ------------------------------------------------------------------------


@attrs.define(eq=False)
class LocalExecutor(SlotExecutor):
    """Plays one game in each slot, with engine processes of its own or attached engines."""

    # Makes the slot of a number.
    _make_slot: Callable[[int], Slot] = attrs.field(kw_only=True)
    # The seconds that engines are waited for before their first game. The games end when an engine
    # is absent for longer, then or between two games. None if they wait without limit, and an
    # engine that leaves between two games loses them one by one.
    _first: float | None = attrs.field(default=None, kw_only=True)
    # Whether a further game finds its engines free, so that it need not wait for those in play.
    _is_free: Callable[[], bool] = attrs.field(default=lambda: True, kw_only=True)
    # The names of the engines that have played a game: their absences are limited.
    _known: set[str] = attrs.Factory(set)
    # By number. A slot stays when its game is over: its engines serve the next one.
    _slots: dict[int, Slot] = attrs.Factory(dict)

    def _may_begin(self) -> bool:
        return super()._may_begin() and (not self._running or self._is_free())

    def _next(self) -> list[Assignment]:
        game = self.tournament.next_game()
        return [] if game is None else [game]

    async def _play(self, number: int, games: list[Assignment]) -> None:
        (game,) = games
        if number not in self._slots:
            self._slots[number] = self._make_slot(number)
        slot = self._slots[number]
        # The absence of engines that have played is limited, and the one that has left loses.
        is_later = self._known.issuperset(game.setup.names)
        limit = game.setup.limits.absence if is_later else self._first
        absent: Absent | None = None
        finished: PlayedGame | None = None
        try:
            while True:
                try:
                    finished = await slot.play(game, self._watch, limit)
                    self._known.update(game.setup.names)
                except Absent as error:
                    verdict = error.verdict(limit) if is_later and limit is not None else None
                    # One that is busy, or never came, is waited for again.
                    if self._first is None and verdict is None:
                        continue
                    absent = error
                    if verdict is not None:
                        finished = slot.forfeit(game, self._watch, verdict)
                break
        finally:
            self._running.discard(number)
            if number >= self.concurrency:
                slot.close()
        await self._take(games, [] if finished is None else [finished])
        if absent is not None and self._first is not None:
            self.fail(absent)
        self._fill()

    def _abort(self, number: int, void: str | None) -> None:
        self._slots[number].abort(void)

    async def _close(self) -> None:
        for slot in self._slots.values():
            slot.close()
        for slot in self._slots.values():
            await slot.wait_closed()
