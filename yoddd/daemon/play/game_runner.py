"""Runs one refereed game: carries out the effects of a `Game` with a reactor and engines."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import attrs
from twisted.internet.base import DelayedCall
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.participants import Links, Participant
from yoddd.daemon.play.run_queue import RunQueue, is_counted
from yoddd.daemon.play.transcripts import Transcript
from yoddd.protocol.controller import ControllerFault, Handshake, ReplyReceived
from yoddd.referee.effects import (
    Ask,
    Effect,
    Finished,
    Prompt,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
)
from yoddd.referee.engine_requests import is_genmove
from yoddd.referee.game import Game, Stage
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, forfeit, void
from yoddd.store.errors import StoreError


@attrs.frozen
class Keeper:
    """Makes durable what happens in a game; each Deferred fires once it is.

    Attributes:
        turn: keeps a turn; None where none is kept, and effects are carried out at once.
        rewind: keeps that turns were taken back, and announces it.
    """

    turn: Callable[[TurnPlayed], Deferred[object]] | None
    rewind: Callable[[TurnsTakenBack], Deferred[object]]


_P = ParamSpec("_P")
_E = TypeVar("_E", TurnPlayed, TurnsTakenBack)


def _blameless(
    event: Callable[Concatenate[_SeatDriver, _P], None],
) -> Callable[Concatenate[_SeatDriver, _P], None]:
    """Let an error of the referee end the game as void.

    Passed on to the transport of the engine, it would close the engine's pipes or connection, and
    the game would be lost by the engine.
    """

    @wraps(event)
    def guarded(driver: _SeatDriver, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            event(driver, *args, **kwargs)
        except Exception:  # noqa: BLE001 — whatever it is, no engine has caused it
            driver.runner.fail(Failure())

    return guarded


class GameRunner:
    """Runs one `Game` between two participants.

    Attributes:
        done: fires when the game is over; fails if it was given up.
        transcript: the bytes of both engines, if they are recorded.
        stderr: the tail of each engine's standard error, set when the game releases the engine.
    """

    log = Logger()

    def __init__(
        self,
        world: World,
        game: Game,
        participants: tuple[Participant, Participant],
        links: Links,
        watch: Callable[[TurnPlayed], None],
        transcript: Transcript | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        """Create it; `start` begins.

        Args:
            world: the surroundings of the game.
            game: not started yet.
            participants: by seat.
            links: their engines, which are released after the game.
            watch: called with every turn.
            transcript: records every byte.
            keeper: makes turns durable; None for a game of which nothing is kept, and no turn taken
                back. No effect after a turn is carried out before it is kept; if that fails, the
                game is void.
        """
        self.transcript = transcript
        self.stderr: dict[Seat, str] = {}
        self.done: Deferred[Finished] = Deferred()
        self._world = world
        self._reactor = world.reactor
        # The rules and clocks of the game; it gives the effects and does no I/O.
        self._game = game
        self._watch = watch
        # None for a game that is not kept: effects are then carried out at once.
        self._keep = None if keeper is None else keeper.turn
        # None for a game in which no turn can be taken back.
        self._rewind = None if keeper is None else keeper.rewind
        # Whether a turn is being kept, or the game was given up: no effect is carried out.
        self._holding = False
        # Effects that have not been carried out, in order.
        self._held: list[Effect] = []
        # The engines that the game begins with; afterwards those of `_seats` count.
        self._links = links
        # The call of `_ring`, or after it of `_wake`, for the last `WakeAt`; None once `Game.wake`
        # was called, or the alarm was cancelled.
        self._alarm: DelayedCall | None = None
        # The moment of that `WakeAt`; what arrives before the alarm was acted upon is in time.
        self._due: float | None = None
        # By seat; each holds its engine from its arrival to its loss or to the end of the game.
        self._seats = tuple(_SeatDriver(self, seat, participants[seat]) for seat in Seat)

    def start(self, began: str | None = None, since: float = 0.0) -> None:
        """Begin, and open the handshakes.

        Args:
            began: the calendar time of the game's beginning; None for now.
            since: seconds that have passed since the beginning.
        """
        self.perform(self._game.start(self.now, began or self._world.wall(), since))
        for seat, link in zip(self._seats, self._links, strict=True):
            seat.arrived(link)

    def abort(self, detail: str) -> None:
        """End the game as void: no participant's fault, never scored."""
        self.perform(self._game.terminate(void(detail), self.now))

    @property
    def now(self) -> float:
        """The reactor's monotonic clock."""
        return self._reactor.seconds()

    def turn_time(self) -> tuple[str, float] | None:
        """The key of the seat whose clock is running, and for how long; None while both rest."""
        found = self._game.turn_time(self.now)
        return None if found is None else (found[0].key, found[1])

    @property
    def game(self) -> Game:
        """The game that is run."""
        return self._game

    @property
    def held(self) -> float:
        """Seconds by which the referee is late to act on its alarm: no participant's fault."""
        return 0.0 if self._due is None else max(0.0, self.now - self._due)

    def perform(self, effects: list[Effect]) -> None:
        """Carry the effects out, in order; those after a turn once it is kept."""
        self._held += effects
        while self._held and not self._holding:
            effect = self._held.pop(0)
            match effect:
                case Ask(seat, command):
                    self._seats[seat].ask(command)
                case Prompt(seat):
                    self.perform(self._game.prompted(seat, self.now))
                case WakeAt(when):
                    self._set_alarm(when)
                case TurnPlayed() if self._keep is not None:
                    self._hold(self._keep, effect)
                case TurnPlayed():
                    self._watch(effect)
                case TurnsTakenBack() if self._rewind is not None:
                    self._hold(self._rewind, effect)
                case Finished():
                    self._finish(effect)

    def _hold(self, keep: Callable[[_E], Deferred[object]], effect: _E) -> None:
        """Carry out no further effect before this one is kept."""
        self._holding = True
        kept = keep(effect)
        kept.addCallbacks(lambda _: self._kept(effect), self._unkept).addErrback(self.fail)

    def _kept(self, effect: Effect) -> None:
        self._holding = False
        if isinstance(effect, TurnPlayed):
            self._watch(effect)
        self.perform(self._game.sent(self.now))
        # No alarm was handled while the turn was being kept.
        self._wake()

    def give_up(self, error: Exception | Failure) -> None:
        """Leave the game unfinished: release both engines, and fail `done` with ``error``."""
        if self.done.called:
            return
        self._cancel_alarm()
        self._held.clear()
        self._holding = True  # for good: later effects are dropped
        for seat in self._seats:
            seat.leave(busy=True)
        self.done.errback(error)

    def fail(self, failure: Failure) -> None:
        """End the game as void by an error of the referee; give it up if even that fails."""
        self.log.failure("a game has failed", failure)
        try:
            error = failure.value
            self.abort(f"the referee failed: {type(error).__name__}: {error}")
        except Exception:  # noqa: BLE001 — the error is in the state of the game itself
            self.give_up(failure)

    def _unkept(self, failure: Failure) -> None:
        if isinstance(failure.value, StoreError):  # it goes on from the store
            self.give_up(failure.value)
            return
        self.log.failure("a turn could not be kept", failure)
        if self._game.stage is Stage.OVER:  # by this turn, so it cannot become void
            self.give_up(failure)
            return
        self._holding = False
        self._held.clear()
        self.abort("a turn could not be kept")

    def _set_alarm(self, when: float) -> None:
        self._cancel_alarm()
        self._due = when
        self._alarm = self._reactor.callLater(max(0.0, when - self.now), self._ring)

    def _ring(self) -> None:
        """Read first what has arrived by now; the reactor reads before its next call."""
        self._alarm = self._reactor.callLater(0, self._wake)

    def _cancel_alarm(self) -> None:
        alarm, self._alarm = self._alarm, None
        self._due = None
        if alarm is not None and alarm.active():
            alarm.cancel()

    def _wake(self) -> None:
        if self._holding:
            return
        self._cancel_alarm()
        try:
            black, white = (seat.look() for seat in self._seats)
            begun = (self._seats[0].unfinished, self._seats[1].unfinished)
            self.perform(self._game.wake(self.now, (black, white), begun))
        except Exception:  # noqa: BLE001 — as in `_blameless`
            self.fail(Failure())

    def _finish(self, finished: Finished) -> None:
        self._cancel_alarm()
        for seat in self._seats:
            seat.leave(busy=seat.seat in finished.busy)
        self.done.callback(finished)


class _SeatDriver:
    """One seat of a runner: passes the events of its engine on to the game."""

    def __init__(self, runner: GameRunner, seat: Seat, participant: Participant) -> None:
        self.seat = seat
        self.runner = runner
        self._participant = participant
        # Begun again with every connection; until it is complete, replies belong to it.
        self._handshake = Handshake()
        # The engine while it is connected; always None for a human.
        self._link: EngineLink | None = None
        # The wait for a lost engine; None while there is none.
        self._returning: Deferred[EngineLink | None] | None = None
        # Measures what the machine takes of its turns; None without a clock, and for an engine that
        # runs elsewhere.
        self._queue: RunQueue | None = None
        # Whether a turn is being measured, from `ask` to the reply.
        self._measures = False

    def arrived(self, link: EngineLink | None) -> None:
        """Take the engine, which is connected; None for a human."""
        runner = self.runner
        self._returning = None
        if link is None:
            runner.perform(runner.game.join(self.seat, runner.now))
        elif runner.done.called:  # the other engine had disconnected before the game began
            self._participant.release(link, busy=False)
        elif not link.alive:
            self.gone(link.ended_as, "left before the game began")
        else:
            self._begin_handshake(link)

    def _begin_handshake(self, link: EngineLink) -> None:
        self._link = link
        self._handshake = Handshake()
        link.listener = self
        if self.runner.transcript is not None:
            link.tap = self.runner.transcript.tap(self.seat)
        self._ask_handshake()

    def _await_return(self) -> None:
        returning = self._returning = self._participant.engine()
        returning.addCallback(self.arrived).addErrback(lambda lost: lost.trap(CancelledError))

    def _ask_handshake(self) -> None:
        if self._handshake.command is not None:
            self.ask(self._handshake.command)

    def ask(self, command: str) -> None:
        """Send a request, unless the engine is disconnected."""
        if self._link is not None:
            self._link.ask(command)
            self._measures = self._queue is not None and is_genmove(command)
            if self._queue is not None and self._measures:
                self._queue.begin()

    def look(self) -> float:
        """Seconds of its present turn that the machine has taken, when the time is up."""
        if self._queue is None or not self._measures:
            return 0.0
        return self._queue.look(self.runner.game.lateness(self.seat, self.runner.now))

    @property
    def unfinished(self) -> str:
        """The beginning of an outstanding reply and its lack, as text; empty without any."""
        return "" if self._link is None else self._link.controller.unfinished

    def _machine(self) -> float | None:
        """Seconds from the request to its reply that the machine took; None if unknown."""
        if self._queue is None or not self._measures:
            return None
        self._measures = False
        return self._queue.waited()

    def leave(self, *, busy: bool) -> None:
        """Release the engine, or end the wait for it."""
        if self._returning is not None:
            self._returning.cancel()
        if self._link is not None:
            self._detach(self._link)
            self._participant.release(self._link, busy=busy)
            self._link = None

    def _detach(self, link: EngineLink) -> None:
        link.listener = link.tap = None
        self.runner.stderr[self.seat] = link.stderr

    # -- EngineListener ---------------------------------------------------------------------

    @_blameless
    def replied(self, reply: ReplyReceived) -> None:
        runner = self.runner
        if self._handshake.info is not None:
            held, machine = runner.held, self._machine()
            runner.perform(runner.game.reply(self.seat, reply, runner.now, machine, held))
            return
        info = self._handshake.answer(reply)
        if info is None:
            self._ask_handshake()
        else:
            self._queue = self._make_queue()
            runner.perform(runner.game.ready(self.seat, info, runner.now))

    def _make_queue(self) -> RunQueue | None:
        """The measurement of the engine's turns, once it has started all of its processes."""
        leader = self._link.leader if self._link is not None else None
        limited = self.runner.game.setup.clocks[self.seat].limited
        if leader is None or not limited or not is_counted():
            return None
        return RunQueue(leader, lambda: self.runner.now)

    @_blameless
    def faulted(self, fault: ControllerFault) -> None:
        self._forfeit(Reason.PROTOCOL, fault.detail)

    @_blameless
    def gone(self, reason: str, detail: str) -> None:
        runner = self.runner
        link, self._link = self._link, None
        if link is not None:
            self._detach(link)
        if reason == Reason.DISCONNECT:
            runner.perform(runner.game.lost(self.seat, detail, runner.now))
            if not runner.done.called:
                self._await_return()
        elif reason == Reason.VOID:
            runner.abort(f"{self._participant.name} could not be started: {detail}")
        else:
            self._forfeit(Reason(reason), detail)

    def _forfeit(self, reason: Reason, detail: str) -> None:
        termination = forfeit(self.seat, reason, detail)
        self.runner.perform(self.runner.game.terminate(termination, self.runner.now))
