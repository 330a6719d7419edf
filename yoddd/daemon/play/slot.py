"""Slots of an executor: each plays one game at a time, with engines of its own.

A finished game is archived with the files that explain a fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredList

from yoddd.daemon.base.world import World
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import StartGate
from yoddd.daemon.play.news import TurnSeen, Watch, begins
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.play.transcripts import Transcript
from yoddd.notation import format_position
from yoddd.notation.reasons import Blame, Reason
from yoddd.notation.records import GameRecord
from yoddd.referee import GameSetup, Seat, Termination, TurnPlayed, forfeit
from yoddd.referee.hosted.events import Beginning, Holder, Kept, Open, Terminate, Withdraw
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.tournament.tournament import Assignment

CLOSE_TIMEOUT: Final = 5.0
"""Seconds that all engines together have to end; a process is killed well before."""

ParticipantFactory = Callable[[int, int], Participant]
"""Makes the participant for an entrant in a slot; both are given by number."""

Show = Callable[[GameRunner], object]
"""Shows a game to spectators."""


@attrs.frozen
class PlayedGame:
    """A finished game as it is archived.

    Attributes:
        record: its line in ``games.jsonl``.
        bundle: the files about its fault by their names, if it ended by one.
    """

    record: GameRecord
    bundle: Mapping[str, str] | None = None


def fault_bundle(runner: GameRunner, record: GameRecord) -> dict[str, str] | None:
    """The files that explain a fault; None for a game without one, or without a transcript."""
    if runner.transcript is None:
        return None
    if Reason(record.reason).blame is Blame.NONE:
        return None
    guilty: Mapping[str | None, str] = {"b": record.black, "w": record.white}
    fault = {
        "id": record.id,
        "reason": record.reason,
        "detail": record.detail,
        "blame": guilty.get(record.blame, record.blame),
        "winner": guilty.get(record.winner),
        "position": runner.game.game and format_position(runner.game.game.history.position),
        "turns": record.turns,
        "started": record.started,
        "ended": record.ended,
    }
    files = {"fault.json": json.dumps(fault, indent=1) + "\n"}
    files["transcript.txt"] = runner.transcript.text()
    for seat in Seat:
        files[f"stderr-{seat.key}.txt"] = runner.stderr.get(seat, "")
    return files


class Absent(Exception):
    """A game could not begin in time: an engine is not attached, or plays elsewhere.

    Attributes:
        gone: the seats whose engines are not attached; none if both are, but play elsewhere.
    """

    def __init__(self, participants: Sequence[Participant]) -> None:
        """Note which of the participants, by seat, are not available."""
        self.gone = [seat for seat in Seat if not participants[seat].is_available]
        missing = ", ".join(participants[seat].name for seat in self.gone)
        names = " or ".join(one.name for one in participants)
        super().__init__(
            f"not attached: {missing}" if missing else f"busy with another match: {names}"
        )

    def verdict(self, seconds: float) -> Termination | None:
        """The forfeit of the one engine that has left; None unless exactly one is absent.

        It holds for engines that were attached before; ``seconds`` is how long the wait was.
        """
        if len(self.gone) != 1:
            return None
        detail = f"left between two games and not back within {seconds:g} s"
        return forfeit(self.gone[0], Reason.DISCONNECT, detail)


def unplayed(world: World, setup: GameSetup, termination: Termination) -> GameRunner:
    """A game of two engines that ended as soon as it began."""
    black, white = map(Holder, setup.names)
    runner = GameRunner(world, HostedGame.of_match(setup), (None, None))
    runner.handle(Kept(Beginning((black, white)), world.wall()))
    runner.handle(Terminate(termination))
    return runner


@attrs.define(eq=False)
class Slot:
    """Plays one game at a time, with engines of its own.

    Attributes:
        number: from 0.
    """

    _world: World
    number: int
    # Gives the engines.
    _make_participant: ParticipantFactory
    # Each game waits for it.
    _gate: StartGate = attrs.field(factory=StartGate, kw_only=True)
    # Whether the bytes of each game are kept until its end, to explain a fault.
    _transcribes: bool = attrs.field(default=True, kw_only=True)
    # Is called with each game that begins.
    _show: Show = attrs.field(default=lambda _game: None, kw_only=True)
    # By entrant: those of the last game, whose processes may serve the next.
    _participants: dict[int, Participant] = attrs.Factory(dict)
    # Closed already, but their processes may not have ended.
    _closed: list[Participant] = attrs.Factory(list)
    # The wait for the gate, which precedes each game; None before the first.
    _pause: Deferred[None] | None = None
    # The game that waits for its engines or is being played; None between games.
    _runner: GameRunner | None = None
    # Whether the present game was stopped, and whether so that it has no result.
    _is_stopped: bool = False
    _aborted: bool = False

    async def play(
        self, game: Assignment, watch: Watch, patience: float | None = None
    ) -> PlayedGame | None:
        """Play one game; None if it was aborted, or stopped before it began.

        Raises:
            Absent: an engine was not available within ``patience`` seconds.
        """
        self._is_stopped = self._aborted = False
        pair = self._seat(game.seats)

        def watching(event: TurnPlayed | Beginning) -> None:
            if isinstance(event, Beginning):
                self._show(runner)
                watch(begins(game.number, game.setup))
            else:
                watch(TurnSeen(game.number, event.seat.key, event.token, event.seconds))

        state = HostedGame.of_match(game.setup)
        runner = self._runner = GameRunner(self._world, state, pair, watch=watching)
        if self._transcribes:
            runner.transcript = Transcript(self._world.reactor.seconds)
        try:
            self._pause = self._gate.opened()
            await self._pause
            runner.handle(Open(patience=patience))
            await runner.done
        except CancelledError:
            return None
        finally:
            self._runner = None
        if runner.failure is not None:
            runner.failure.raiseException()
        if self._aborted or (runner.result is None and self._is_stopped):
            return None
        if runner.result is None:
            raise Absent(pair)
        return PlayedGame(runner.result.record, fault_bundle(runner, runner.result.record))

    def forfeit(self, game: Assignment, watch: Watch, verdict: Termination) -> PlayedGame | None:
        """End a game as soon as it begins."""
        runner = unplayed(self._world, game.setup, verdict)
        self._show(runner)
        watch(begins(game.number, game.setup))
        return None if runner.result is None else PlayedGame(runner.result.record)

    def abort(self, void: str | None = None) -> None:
        """Abort the game, or the wait for its engines; ``void`` is the reason of a void result.

        Without one a game that has begun has no result either.
        """
        self._is_stopped, self._aborted = True, void is None
        if self._pause is not None:
            self._pause.cancel()
        runner = self._runner
        if runner is not None and runner.game.is_begun:
            runner.abort(void or "stopped")
        elif runner is not None:
            runner.handle(Withdraw(None))

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
        for entrant in seats:
            if entrant not in self._participants:
                self._participants[entrant] = self._make_participant(entrant, self.number)
        black, white = (self._participants[entrant] for entrant in seats)
        return black, white
