"""Runs one game: carries out the effects of a `HostedGame` with a reactor and engines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import attrs
from twisted.internet.base import DelayedCall
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.replies import End, Say
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.participants import Participant
from yoddd.daemon.play.resources import RunQueue, counts_waits
from yoddd.daemon.play.transcripts import Transcript
from yoddd.protocol.controller import ControllerFault, EngineInfo, Handshake, ReplyReceived
from yoddd.referee import (
    Ask,
    Call,
    Finished,
    Paused,
    Prompt,
    Reason,
    Release,
    Seat,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
    void,
)
from yoddd.referee.game.engine_requests import is_genmove
from yoddd.referee.hosted.events import (
    Alarm,
    Answer,
    Arrived,
    Beginning,
    Begun,
    Connect,
    Drop,
    Effect,
    Event,
    Keep,
    Kept,
    Lost,
    NewKey,
    Open,
    Over,
    Ready,
    Refused,
    Replied,
    Sent,
    Tell,
    Terminate,
)
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.referee.hosted.view import line_of, lines_so_far, pause_left
from yoddd.store.errors import StoreError

Store = Callable[[HostedGame, Keep | NewKey | Drop], Deferred[str | None]]
"""Keeps what an effect promises; fires once that is durable, for a beginning with the time."""

_AT_ONCE: Final = (Tell, Answer, NewKey, Drop)
"""Effects that do not wait for what is being kept."""


@attrs.define(eq=False)
class GameRunner:
    """Runs one game: of the lobby, the ladder, a run, or a match that a client has requested.

    Attributes:
        game: the state of the game.
        done: fires when the game is over.
        transcript: records the bytes of both engines, if it is set before they shake hands.
        stderr: the tail of each engine's standard error, set when the game releases the engine.
        result: the end of the game; None before, and if it was given up.
        failure: the error of the referee that the game was given up for; None without one.
        is_keeping: whether something is being kept: only the effects `_AT_ONCE` are carried out.
    """

    log = Logger()

    _world: World
    game: HostedGame
    _participants: tuple[Participant | None, Participant | None]
    # Keeps the game; None for one of which nothing is kept. No effect after a turn is carried out
    # before it is kept; if that fails, the game is void.
    _store: Store | None = attrs.field(default=None, kw_only=True)
    # Is called with the beginning and with every turn; a game that is over has dropped it.
    _watch: Callable[[TurnPlayed | Beginning], None] = attrs.field(
        default=lambda _event: None, kw_only=True
    )
    done: Deferred[Over] = attrs.Factory(Deferred)
    transcript: Transcript | None = None
    stderr: dict[Seat, str] = attrs.Factory(dict)
    result: Finished | None = None
    failure: Failure | None = None
    is_keeping: bool = False
    # Effects that have not been carried out, in order.
    _pending: list[Effect] = attrs.Factory(list)
    # The call of `_wake_soon`, or after it of `_wake`, for the last `WakeAt` or an earlier one;
    # None once the game was given an `Alarm`, or the alarm was cancelled.
    _alarm: DelayedCall | None = None
    # The moment of that `WakeAt`; what arrives before the alarm was acted upon is in time.
    _due: float | None = None
    # By seat; each holds its engine from its arrival to its loss or to the end of the game.
    _seats: tuple[_SeatDriver, ...] = ()
    # Those who receive further lines; once the game is over, those whose replies go on.
    _spectators: list[Spectator] = attrs.Factory(list)

    def __attrs_post_init__(self) -> None:
        """Create its seats; the event `Open` begins."""
        self._seats = tuple(_SeatDriver(self, seat, self._participants[seat]) for seat in Seat)

    def abort(self, detail: str) -> None:
        """End the game as void: no participant's fault, never scored."""
        self.handle(Terminate(void(detail)))

    @property
    def now(self) -> float:
        """The reactor's monotonic clock."""
        return self._world.reactor.seconds()

    @property
    def is_kept(self) -> bool:
        """Whether the store has the game."""
        return self._store is not None

    @property
    def delay(self) -> float:
        """Seconds by which the referee is late to act on its alarm: no participant's fault."""
        return 0.0 if self._due is None else max(0.0, self.now - self._due)

    @property
    def turn_time(self) -> tuple[Seat, float] | None:
        """The seat whose turn is due in a game in play, and the seconds charged; None without."""
        game, is_on = self.game.game, self.game.phase is Phase.PLAYING
        return game.turn_time(self.now) if game is not None and is_on else None

    @property
    def pause_left(self) -> float:
        """Seconds for which no time is charged; a pause counts once it is kept."""
        return pause_left(self.game, self.now)

    def request(self, event: Callable[..., Event], *args: object) -> Deferred[None]:
        """Give the game the event of a request, with these fields; fires with its answer.

        Raises:
            PeerError: the request is refused.
        """
        done: Deferred[None] = Deferred()
        self._perform(self.game.handle(event(*args, done), self.now))
        return done

    def handle(self, event: Event) -> None:
        """Give the game an event, and carry its effects out.

        Raises:
            PeerError: the request of a client is refused.
        """
        self._perform(self.game.handle(event, self.now))

    def gather(self, seat: Seat) -> None:
        """Note that the engine of a seat is taken; begin again if the other's has left meanwhile.

        Both are free then, for another game could wait for the one and have the other.
        """
        is_lost = any(one.is_lost for one in self._seats)
        if is_lost and self.game.phase is Phase.OFFERED:
            self._leave(())
            self.handle(Open())
        else:
            self.handle(Arrived(seat))

    # -- spectators -------------------------------------------------------------------------

    @property
    def spectators(self) -> int:
        """The number of spectators."""
        return len(self._spectators)

    def watch(
        self,
        say: Say,
        end: End,
        *,
        goes_on: bool = False,
        seat: Seat | None = None,
        left: Callable[[], None] = lambda: None,
    ) -> Spectator:
        """Send all lines so far, then each further line; for the arguments see `Spectator`."""
        game, spectator = self.game, Spectator(self, say, end, goes_on, seat, left)
        for line in lines_so_far(game, self.now):
            say(line)
        if game.phase is Phase.OVER and not (game.lingers and goes_on):
            end(None)
        else:
            for absence in game.absences:
                say(line_of(game, absence, self.now))
            self._spectators.append(spectator)
        return spectator

    def tell(self, text: str) -> None:
        """Send a line to the present spectators."""
        for spectator in tuple(self._spectators):
            spectator.say(text)

    def notice(self, text: str) -> None:
        """Send a text from outside the game to its present spectators."""
        self.tell(f"notice {text}")

    def end(self, error: str | None) -> None:
        """End the replies that do not go on; ``error`` is the text of one that ends them."""
        stay = self.game.lingers
        ended = [one for one in self._spectators if not (stay and one.goes_on)]
        self._spectators = [one for one in self._spectators if one not in ended]
        for spectator in ended:
            spectator.end(error)

    def follows(self, spectator: Spectator) -> bool:
        """Whether a spectator is a participant, and the latest of the seat."""
        mine = [one for one in self._spectators if one.seat is spectator.seat]
        return spectator.seat is not None and mine[-1:] == [spectator]

    def forget(self, spectator: Spectator) -> None:
        """Send no further line to a spectator."""
        if spectator in self._spectators:
            self._spectators.remove(spectator)

    # -- effects ----------------------------------------------------------------------------

    def drop_requests(self, seat: Seat) -> None:
        """Forget the requests to an engine that has left while something was being kept.

        The next one is asked for all that it needs once it is there.
        """
        self._pending = [
            one for one in self._pending if not (isinstance(one, Ask) and one.seat is seat)
        ]

    def _perform(self, effects: list[Effect]) -> None:
        """Carry the effects out, in order; those after something to keep once it is kept."""
        if self.is_keeping:
            self._pending += [one for one in effects if not isinstance(one, _AT_ONCE)]
            for one in effects:
                if isinstance(one, _AT_ONCE):
                    self._carry_out(one)
            return
        self._pending += effects
        while self._pending and not self.is_keeping:
            self._carry_out(self._pending.pop(0))

    def _carry_out(  # noqa: C901, PLR0912 — one match over all effects
        self, effect: Effect
    ) -> None:
        match effect:  # those of every request first
            case Ask(seat, command):
                self._seats[seat].ask(command)
            case WakeAt(when):
                self._set_alarm(when)
            case TurnPlayed() | TurnsTakenBack() | Paused() | Beginning():
                self._keep(effect)
            case Tell(what):
                if self._spectators:
                    self.tell(line_of(self.game, what, self.now))
            case Answer(token, error):
                self._answer(token, error)
            case Prompt() | Begun():
                self.handle(effect)
            case Call(seat) if not self.game.is_ending:
                self.handle(effect)
                self._seats[seat].connect()
            case Release(seat):
                self._seats[seat].leave(busy=False)
            case Connect(seat) if not self.game.is_ending:
                self._seats[seat].connect()
            case Finished(busy=busy):
                self._cancel_alarm()
                self._leave(busy)
                self.result = effect
                self._keep(effect)
            case NewKey() | Drop():
                self._keep_unawaited(effect)
            case Over():
                self._cancel_alarm()
                self._leave(tuple(Seat) if self.game.game is not None else ())
                self.end(effect.error)
                self._watch = lambda _event: None  # it holds the connection of a match
                if not self.done.called:  # an error of the referee may follow
                    self.done.callback(effect)

    def _answer(self, token: Any, error: BaseException | None) -> None:
        """Answer a `request`; None waits for no answer."""
        if token is None and error is not None:
            self.log.warn("game {id}: {error}", id=self.game.id, error=str(error))
        elif token is not None and error is None:
            token.callback(None)
        elif token is not None:
            token.errback(error)

    def _keep(self, effect: Keep) -> None:
        """Carry out no further effect before this one is kept."""
        if self._store is None:
            self._note_kept(effect, self._world.wall() if isinstance(effect, Beginning) else None)
            return
        self.is_keeping = True
        kept = self._store(self.game, effect)
        kept.addCallbacks(
            self._kept, self._unkept, callbackArgs=(effect,), errbackArgs=(effect,)
        ).addErrback(self.fail)

    def _note_kept(self, effect: Keep, started: str | None) -> None:
        match effect:
            case TurnPlayed() | Beginning():
                self._watch(effect)
        self._pending[:0] = self.game.handle(Kept(effect, started), self.now)

    def _kept(self, started: str | None, effect: Keep) -> None:
        self.is_keeping = False
        self._note_kept(effect, started)
        if self.game.phase is Phase.PLAYING:
            self.handle(Sent())
            # No alarm was handled while it was being kept.
            self._wake()
        else:
            self._perform([])

    def _unkept(self, failure: Failure, effect: Keep) -> None:
        self.is_keeping = False
        self._pending.clear()
        error = failure.value or RuntimeError()
        if isinstance(error, StoreError) and self.game.is_begun:  # it goes on from the store
            self.log.warn("{text}", text=str(error))
        elif not isinstance(effect, Beginning) or effect.token is None:
            self.log.failure("game {id} could not be kept", failure, id=self.game.id)
        self.handle(Refused(effect, error, isinstance(error, StoreError)))

    def _keep_unawaited(self, effect: NewKey | Drop) -> None:
        """Store what no later effect waits for."""
        done = succeed(None) if self._store is None else self._store(self.game, effect)
        done.addCallbacks(
            lambda _: self.handle(Kept(effect)),
            lambda failure: self.handle(Refused(effect, failure.value)),
        ).addErrback(self.fail)

    def blameless(self, function: Callable[..., None], *args: object) -> None:
        """Call a function; an error of the referee in it ends the game as void.

        Passed on to the transport of an engine, it would close the engine's pipes or connection,
        and the game would be lost by the engine.
        """
        try:
            function(*args)
        except Exception:  # noqa: BLE001 — whatever it is, no engine has caused it
            self.fail(Failure())

    def fail(self, failure: Failure) -> None:
        """End the game as void by an error of the referee; give it up if even that fails."""
        error = failure.value or RuntimeError()
        if self.game.is_begun:
            self.log.failure("a game has failed", failure)
            with suppress(Exception):  # unless the error is in the state of the game itself
                self.abort(f"the referee failed: {type(error).__name__}: {error}")
                return
        self.failure, self.is_keeping = failure, False
        self._pending.clear()
        self.handle(Refused(None, error))

    # -- time -------------------------------------------------------------------------------

    def _set_alarm(self, when: float) -> None:
        """Set the alarm; a call that is due before stays, and `_wake` sets the alarm again."""
        alarm = self._alarm
        if alarm is None or not alarm.active() or alarm.getTime() > when:
            self._cancel_alarm()
            self._alarm = self._world.reactor.callLater(max(0.0, when - self.now), self._wake_soon)
        self._due = when

    def _wake_soon(self) -> None:
        """Call `_wake` once the reactor has read what has arrived by now."""
        self._alarm = self._world.reactor.callLater(0, self._wake)

    def _cancel_alarm(self) -> None:
        alarm, self._alarm = self._alarm, None
        self._due = None
        if alarm is not None and alarm.active():
            alarm.cancel()

    def _wake(self) -> None:
        if self.is_keeping:
            return
        if self._due is not None and self.now < self._due:
            self._set_alarm(self._due)
            return
        self._cancel_alarm()
        self.blameless(self._sound_alarm)

    def _sound_alarm(self) -> None:
        black, white = self._seats
        looks, begun = (black.look(), white.look()), (black.unfinished, white.unfinished)
        self.handle(Alarm(looks, begun))

    def _leave(self, busy: tuple[Seat, ...]) -> None:
        """Release both engines; those of ``busy`` seats may still owe a reply."""
        for seat in self._seats:
            seat.leave(busy=seat.seat in busy)


@attrs.frozen(eq=False)
class Spectator:
    """The streaming job of ``observe``: one connection that watches a game.

    Attributes:
        runner: the game.
        say: sends a line.
        end: ends the reply.
        goes_on: whether the reply may go on after the end of the game.
        seat: of the human who watches; None for one who is no participant.
        left: is called when it stops watching.
    """

    runner: GameRunner
    say: Say
    end: End
    goes_on: bool = False
    seat: Seat | None = None
    left: Callable[[], None] = lambda: None

    @property
    def is_needed(self) -> bool:
        """Whether it is the latest by which a human follows a game in play."""
        return self.runner.game.is_running and self.runner.follows(self)

    def stop(self) -> None:
        """Stop watching."""
        self.runner.forget(self)
        self.left()


@attrs.define(eq=False)
class _SeatDriver:
    """One seat of a runner: passes the events of its engine on to the game."""

    runner: GameRunner
    seat: Seat
    _participant: Participant | None
    # Begun again with every connection, complete where the process has played before; until it is,
    # replies belong to it.
    _handshake: Handshake = attrs.Factory(Handshake)
    # The engine while it is connected; always None for a human.
    _link: EngineLink | None = None
    # The wait for the engine; None while there is none.
    _returning: Deferred[EngineLink] | None = None
    # Measures what the machine takes of its turns; None without a clock, and for an engine that
    # runs elsewhere.
    _queue: RunQueue | None = None
    # Whether a turn is being measured, from `ask` to the reply.
    _measures: bool = False

    def connect(self) -> None:
        """Take the engine when it is free, or shake hands with the one that is taken."""
        link = self._link
        if self._participant is None:
            return
        if link is None:
            returning = self._returning = self._participant.engine(
                goes_on=self.runner.game.is_begun
            )
            returning.addCallback(self._arrived)
            returning.addErrback(
                lambda lost: None if lost.check(CancelledError) else self.runner.fail(lost)
            )
        elif not link.alive:
            self.gone(link.ended_as, "left before the game began")
        else:
            self._handshake = Handshake(link.info)
            link.listener = self
            if self.runner.transcript is not None:
                link.tap = self.runner.transcript.tap(self.seat)
            if link.info is None:
                self._ask_handshake()
            else:
                self._begin(link.info)

    def _arrived(self, link: EngineLink) -> None:
        self._returning, self._link = None, link
        if self.runner.game.phase is Phase.PLAYING:
            self.connect()
        else:
            self.runner.gather(self.seat)

    @property
    def is_lost(self) -> bool:
        """Whether the engine has left after it was taken, and before the game began."""
        return self._link is not None and not self._link.alive

    def _ask_handshake(self) -> None:
        if self._handshake.command is not None:
            self.ask(self._handshake.command)

    def ask(self, command: str) -> None:
        """Send a request, unless the engine is disconnected."""
        if self._link is not None:
            self._measures = self._queue is not None and is_genmove(command)
            if self._queue is not None and self._measures:
                self._queue.begin()
            self._link.ask(command)

    def look(self) -> float:
        """Seconds of its present turn that the machine has taken, when the time is up."""
        game = self.runner.game.game
        if self._queue is None or not self._measures or game is None:
            return 0.0
        return self._queue.look(game.lateness(self.seat, self.runner.now))

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
        link, self._link = self._link, None
        if link is not None and self._participant is not None:
            self._detach(link)
            self._participant.release(link, busy=busy)

    def _detach(self, link: EngineLink) -> None:
        link.listener = link.tap = None
        self.runner.stderr[self.seat] = link.stderr

    # -- EngineListener ---------------------------------------------------------------------

    def replied(self, reply: ReplyReceived) -> None:
        self.runner.blameless(self._take, reply)

    def _take(self, reply: ReplyReceived) -> None:
        if self._handshake.info is not None:
            machine = self._machine()
            self.runner.handle(Replied(self.seat, reply, machine, self.runner.delay))
            return
        info = self._handshake.answer(reply)
        if info is None:
            self._ask_handshake()
            return
        if self._link is not None:
            self._link.introduced(info)
        self._begin(info)

    def _begin(self, info: EngineInfo) -> None:
        self._queue = self._make_queue()
        self.runner.handle(Ready(self.seat, info))

    def _make_queue(self) -> RunQueue | None:
        """The measurement of the engine's turns, once it has started all of its processes."""
        leader, game = self._link.leader if self._link is not None else None, self.runner.game.game
        limited = game is not None and game.setup.clocks[self.seat].limited
        if leader is None or not limited or not counts_waits():
            return None
        return RunQueue(leader, lambda: self.runner.now)

    def faulted(self, fault: ControllerFault) -> None:
        lost = Lost(self.seat, Reason.PROTOCOL, fault.detail)
        self.runner.blameless(self.runner.handle, lost)

    def gone(self, reason: Reason, detail: str) -> None:
        link, self._link = self._link, None
        self.runner.drop_requests(self.seat)
        if link is not None:
            self._detach(link)
        self.runner.blameless(self._lose, Lost(self.seat, reason, detail))

    def _lose(self, lost: Lost) -> None:
        self.runner.handle(lost)
        if not self.runner.game.is_ending:
            self.connect()
