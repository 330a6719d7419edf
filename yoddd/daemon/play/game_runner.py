"""One refereed game between two engine links: the referee's core with real time and real bytes."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.base import DelayedCall
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor, wall
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.participants import Contestant
from yoddd.daemon.play.transcripts import Transcript
from yoddd.protocol.controller import ControllerFault, Handshake, ReplyReceived
from yoddd.referee.effects import Ask, Effect, Finished, TurnPlayed, WakeAt
from yoddd.referee.game import Game
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, forfeit, void
from yoddd.store.errors import Fenced

Keep = Callable[[TurnPlayed], Deferred[object]]


class Table:
    """Seats two contestants and carries the effects of a `Game` out.

    Attributes:
        done: fires when the game is over.
        transcript: what was said, if it is recorded.
        stderr: the tail of each engine's standard error, once it has left.
    """

    log = Logger()

    def __init__(
        self,
        reactor: Reactor,
        game: Game,
        contestants: tuple[Contestant, Contestant],
        links: tuple[EngineLink, EngineLink],
        watch: Callable[[TurnPlayed], None],
        transcript: Transcript | None = None,
        keep: Keep | None = None,
    ) -> None:
        """Prepare.

        Args:
            reactor: Twisted's.
            game: not started yet.
            contestants: the people, by seat.
            links: their engines; the table gives them back.
            watch: is told every turn.
            transcript: records every byte.
            keep: makes a turn durable; nobody is told of one before. If it cannot be, the game is
                void.
        """
        self.transcript = transcript
        self.stderr: dict[Seat, str] = {}
        self.done: Deferred[Finished] = Deferred()
        self._reactor = reactor
        self._game = game
        self._watch = watch
        self._keep = keep
        self._holding = False
        self._held: list[Effect] = []
        self._links = links
        self._alarm: DelayedCall | None = None
        self._seats = tuple(_Seat(self, seat, contestants[seat]) for seat in Seat)

    def start(self, began: str | None = None, since: float = 0.0) -> None:
        """Begin, and greet both engines.

        Args:
            began: when the game was begun, if not now.
            since: seconds that have passed since.
        """
        self.perform(self._game.start(self.now, began or wall(), since))
        for seat, link in zip(self._seats, self._links, strict=True):
            seat.arrived(link)

    def abort(self, detail: str) -> None:
        """End the game as void: nobody's fault, never scored."""
        self.perform(self._game.terminate(void(detail), self.now))

    @property
    def now(self) -> float:
        """The reactor's monotonic clock."""
        return self._reactor.seconds()

    @property
    def game(self) -> Game:
        """The game that is played here."""
        return self._game

    def perform(self, effects: list[Effect]) -> None:
        """Carry the effects out, in order; those behind a turn once it is kept."""
        self._held += effects
        while self._held and not self._holding:
            effect = self._held.pop(0)
            match effect:
                case Ask(seat, command):
                    self._seats[seat].ask(command)
                case WakeAt(when):
                    self._set_alarm(when)
                case TurnPlayed() if self._keep is not None:
                    self._holding = True
                    self._keep(effect).addCallbacks(
                        lambda _, turn=effect: self._kept(turn), self._unkept
                    )
                case TurnPlayed():
                    self._watch(effect)
                case Finished():
                    self._finish(effect)

    def _kept(self, turn: TurnPlayed) -> None:
        self._holding = False
        self._watch(turn)
        self.perform(self._game.sent(self.now))
        # Whatever time ran out meanwhile was not looked at.
        self._wake()

    def give_up(self, error: Exception) -> None:
        """The game is not ours any more: part from both, and let `done` fail with ``error``."""
        if self.done.called:
            return
        self._cancel_alarm()
        self._held.clear()
        self._holding = True  # whatever still comes is of no interest
        for seat in self._seats:
            seat.leave(busy=True)
        self.done.errback(error)

    def _unkept(self, failure: Failure) -> None:
        if isinstance(failure.value, Fenced):
            self.give_up(failure.value)
            return
        self.log.failure("a turn could not be kept", failure)
        self._holding = False
        self._held.clear()
        self.abort("a turn could not be kept")

    def _set_alarm(self, when: float) -> None:
        self._cancel_alarm()
        self._alarm = self._reactor.callLater(max(0.0, when - self.now), self._wake)

    def _cancel_alarm(self) -> None:
        alarm, self._alarm = self._alarm, None
        if alarm is not None and alarm.active():
            alarm.cancel()

    def _wake(self) -> None:
        if self._holding:
            return
        self._cancel_alarm()
        self.perform(self._game.wake(self.now))

    def _finish(self, finished: Finished) -> None:
        self._cancel_alarm()
        for seat in self._seats:
            seat.leave(busy=seat.seat in finished.busy)
        self.done.callback(finished)


class _Seat:
    """One person at the table; hears the engine and tells the game."""

    def __init__(self, table: Table, seat: Seat, contestant: Contestant) -> None:
        self.seat = seat
        self._table = table
        self._contestant = contestant
        self._handshake = Handshake()
        self._link: EngineLink | None = None
        self._coming: Deferred[EngineLink] | None = None

    def arrived(self, link: EngineLink) -> None:
        self._coming = None
        if self._table.done.called:  # the other one was gone already
            self._contestant.release(link, busy=False)
            return
        if not link.alive:
            self.gone(link.ended_as, "left before the game began")
            return
        self._link = link
        self._handshake = Handshake()
        link.listener = self
        if self._table.transcript is not None:
            link.tap = self._table.transcript.tap(self.seat)
        self._ask_handshake()

    def _await_return(self) -> None:
        self._coming = self._contestant.engine()
        self._coming.addCallback(self.arrived)
        self._coming.addErrback(_ignore_cancelled)

    def _ask_handshake(self) -> None:
        if self._handshake.command is not None:
            self.ask(self._handshake.command)

    def ask(self, command: str) -> None:
        if self._link is not None:
            self._link.ask(command)

    def leave(self, *, busy: bool) -> None:
        if self._coming is not None:
            self._coming.cancel()
        if self._link is not None:
            self._hear_last(self._link)
            self._contestant.release(self._link, busy=busy)
            self._link = None

    def _hear_last(self, link: EngineLink) -> None:
        link.listener = link.tap = None
        self._table.stderr[self.seat] = link.stderr

    # -- EngineListener ---------------------------------------------------------------------

    def replied(self, reply: ReplyReceived) -> None:
        table = self._table
        if self._handshake.info is not None:
            table.perform(table.game.reply(self.seat, reply, table.now))
            return
        info = self._handshake.answer(reply)
        if info is None:
            self._ask_handshake()
        else:
            table.perform(table.game.ready(self.seat, info, table.now))

    def faulted(self, fault: ControllerFault) -> None:
        self._forfeit(Reason.PROTOCOL, fault.detail)

    def gone(self, reason: str, detail: str) -> None:
        table = self._table
        link, self._link = self._link, None
        if link is not None:
            self._hear_last(link)
        if reason == Reason.DISCONNECT:
            table.perform(table.game.lost(self.seat, detail, table.now))
            if not table.done.called:
                self._await_return()
        else:
            self._forfeit(Reason(reason), detail)

    def _forfeit(self, reason: Reason, detail: str) -> None:
        termination = forfeit(self.seat, reason, detail)
        self._table.perform(self._table.game.terminate(termination, self._table.now))


def _ignore_cancelled(failure: Failure) -> None:
    failure.trap(CancelledError)
