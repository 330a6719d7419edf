"""The boards of the lobby: a game from two chairs to its record, kept turn by turn if rated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.game_runner import Table
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import Person
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.participants import Attached, Caller, Contestant
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import Reply
from yoddd.referee import Game, TurnPlayed, parse_clock
from yoddd.referee.effects import Finished
from yoddd.referee.law import Ending, Reason, Seat, forfeit, void
from yoddd.referee.setup import GameSetup, Limits
from yoddd.rules import make_rules
from yoddd.store.errors import Fenced, StoreError

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

PATIENCE: Final = Limits(launch=3600.0, move=3600.0, resume=60.0)
"""A person may think for an hour where no clock runs."""

RETURN: Final = 600.0
"""Seconds that both sides of a rated game have to come back after a restart."""


AGAIN: Final = 2.0
"""Seconds between two looks whether a store that was away is back."""


@attrs.define(eq=False)
class Board:
    """A game that was offered.

    Attributes:
        live: what others see of it.
        chairs: who sits where; None where somebody is waited for.
        number: in the store; None for a game that is not rated.
        guest: the person that it is offered to; None for anybody.
        table: the referee's, once it is played.
        caller: waits for both before the game.
        calling: who is waited for after a restart.
        is_taken: whether somebody is about to sit down.
        started: when it was begun, if that is kept already.
        played: turns from before a restart, with their seconds.
        begun: who waits for the table, once both chairs are taken.
        resigning: who waits for the end of the game that they gave up.
    """

    live: LiveGame
    chairs: list[Contestant | None]
    number: int | None = None
    guest: str | None = None
    table: Table | None = None
    caller: Caller = attrs.Factory(Caller)
    calling: list[Deferred[EngineLink]] = attrs.Factory(list)
    is_taken: bool = False
    started: str | None = None
    played: tuple[tuple[str, float], ...] = ()
    begun: list[Deferred[None]] | None = None
    resigning: list[Deferred[None]] = attrs.Factory(list)

    def is_free(self, seat: Seat) -> bool:
        """Whether somebody can sit down there."""
        return self.chairs[seat] is None and not self.is_taken

    def sitting(self, seat: Seat) -> Contestant:
        """Who sits there, once somebody does."""
        contestant = self.chairs[seat]
        if contestant is None:
            raise ValueError("an empty chair")
        return contestant

    def name_of(self, seat: Seat) -> str:
        """Who sits there; empty for nobody."""
        contestant = self.chairs[seat]
        return "" if contestant is None else contestant.name

    def is_person(self, seat: Seat, name: str) -> bool:
        """Whether it is that person who sits there."""
        contestant = self.chairs[seat]
        return isinstance(contestant, Person) and contestant.name.casefold() == name.casefold()

    @property
    def people(self) -> list[str]:
        """The persons who play, by their folded names."""
        return [one.name.casefold() for one in self.chairs if isinstance(one, Person)]

    def check_guest(self, user: str | None, name: str) -> None:
        """Refuse whoever it is not offered to.

        Raises:
            PeerError: likewise.
        """
        if self.number is not None and user is None:
            raise PeerError(Code.DENIED, "log in for a rated game")
        if self.number is not None and any(self.is_person(seat, name) for seat in Seat):
            raise PeerError(Code.DENIED, "nobody plays a rated game against themselves")
        if self.guest is not None and (user or "").casefold() != self.guest.casefold():
            raise PeerError(Code.DENIED, f"{self.live.id} is offered to {self.guest}")

    def setup(self) -> GameSetup:
        """What is settled, once both sit there."""
        return GameSetup(
            id=self.live.id,
            rules=self.live.rules,
            names=(self.name_of(Seat.BLACK), self.name_of(Seat.WHITE)),
            clock=parse_clock(self.live.clock),
            limits=PATIENCE,
            played=self.played,
        )


class Boards:
    """Plays the games of the lobby.

    Attributes:
        rated: the rated games that go on.
    """

    log = Logger()

    def __init__(
        self, games: GameServices, ledger: Ledger | None, forget: Callable[[Board], None]
    ) -> None:
        """``forget`` is told when a game needs no keys any more."""
        self.rated: list[Board] = []
        self._games = games
        self._ledger = ledger
        self._forget = forget

    def withdraw(self, board: Board) -> Reply:
        """An offer is taken back."""
        if board.number is None or self._ledger is None:
            return ""
        dropped = self._ledger.drop(board.number)

        async def wait() -> str:
            await dropped
            return ""

        return deferred_reply(wait)

    def start(self, board: Board) -> Deferred[None]:
        """Play, if both sit there; fires when the game is over."""
        board.begun = []
        if board.number is not None:
            self.rated.append(board)
        played = Deferred.fromCoroutine(self._play(board))
        played.addErrback(self._failed, board)
        return played

    def restore(self, rows: Iterable[GameRow]) -> None:
        """Take up the games that a restart has interrupted; people have to come back to them."""
        for row in rows:
            settled = row.settled
            names = (settled.black or "", settled.white or "")
            rules = make_rules(settled.game, settled.board)
            live = self._games.live.add(LiveGame(f"r{row.number}", rules, settled.clock, names))
            board = Board(live, [None, None], row.number, started=row.started, is_taken=True)
            board.played = tuple((turn.token, turn.seconds) for turn in row.turns)
            for seat in Seat:
                board.chairs[seat] = (
                    Attached(self._games.engines, names[seat])
                    if seat.key in settled.engines
                    else Person(self._games.reactor, names[seat], is_there=False)
                )
            live.begin(*names)
            for seat, token, seconds in Game(board.setup()).played:
                live.turn(seat.key, token, seconds)
            self.start(board)

    def lose(self, board: Board) -> None:
        """A game is another daemon's now; nothing more of it is written here."""
        if self._ledger is not None and board.number is not None:
            self._ledger.lose(board.number)
        if board.table is not None:
            board.table.give_up(Fenced(f"another process has taken over {board.live.id}"))
        else:
            _cancel_all(board.calling)

    # -- one game ---------------------------------------------------------------------------

    async def _play(self, board: Board) -> None:
        is_restored = bool(board.live.state == "playing")
        arrived = await self._call_in(board, RETURN if is_restored else None)
        game = Game(board.setup())
        if isinstance(arrived, Ending):
            finished = self._not_played(board, game, arrived)
        else:
            finished = await self._at_table(board, game, arrived)
        await self._close(board, finished)

    async def _call_in(
        self, board: Board, limit: float | None
    ) -> tuple[EngineLink, EngineLink] | Ending:
        """Both links, or how the game ends because somebody has not come back in time."""
        if limit is None:
            return await board.caller.call_in(*(board.sitting(seat) for seat in Seat))
        coming = board.calling = [board.sitting(seat).engine() for seat in Seat]
        alarm = self._games.reactor.callLater(limit, _cancel_all, coming)
        (is_black, black), (is_white, white) = await DeferredList(coming, consumeErrors=True)
        if alarm.active():
            alarm.cancel()
        if is_black and is_white:
            return black, white
        detail = f"not back within {limit:g} s after the restart of the referee"
        if is_black or is_white:
            there = Seat.BLACK if is_black else Seat.WHITE
            board.sitting(there).release(black if is_black else white, busy=False)
            return forfeit(there.other, Reason.DISCONNECT, detail)
        return void(f"neither side came back within {limit:g} s after the restart")

    def _not_played(self, board: Board, game: Game, ending: Ending) -> Finished:
        now = self._games.reactor.seconds()
        effects = game.start(now, board.started or wall(), _since(board.started))
        effects += game.impose(ending, now)  # nothing, if the board was full already
        return next(effect for effect in effects if isinstance(effect, Finished))

    async def _at_table(
        self, board: Board, game: Game, links: tuple[EngineLink, EngineLink]
    ) -> Finished:
        live, black, white = board.live, board.sitting(Seat.BLACK), board.sitting(Seat.WHITE)
        board.is_taken = True  # too late to take it back
        if self._ledger is not None and board.number is not None and board.started is None:
            board.started = await self._ledger.begin(board.number, black.name, white.name)

        def seen(turn: TurnPlayed) -> None:
            live.turn(turn.seat.key, turn.token, turn.seconds)
            person = board.chairs[turn.seat]
            if isinstance(person, Person):
                person.link.played()

        table = Table(
            self._games.reactor, game, (black, white), links, seen, keep=self._keeper(board)
        )
        board.table = table
        live.abort = table.abort
        if live.is_open:
            live.begin(black.name, white.name)
        table.start(board.started, _since(board.started))
        _fire(board.begun or ())
        return await table.done

    def _keeper(self, board: Board) -> Callable[[TurnPlayed], Deferred[object]] | None:
        ledger, number = self._ledger, board.number
        if ledger is None or number is None:
            return None
        return lambda turn: ledger.keep(number, turn)

    async def _close(self, board: Board, finished: Finished) -> None:
        if self._ledger is not None and board.number is not None:
            await self._ledger.end(board.number, finished.record)
        board.live.end(finished.record)
        self._leave(board)
        for waiting in board.resigning:
            waiting.callback(None)

    def _failed(self, failure: Failure, board: Board) -> None:
        """The game never began, is another daemon's, or something of it could not be kept."""
        refusal = PeerError(Code.INTERNAL)
        error = failure.value
        if isinstance(error, Fenced) or (isinstance(error, StoreError) and board.started):
            refusal = self._part_with(error, board, board.number)
        else:
            if failure.check(CancelledError) is None:
                self.log.failure("game {id} failed", failure, id=board.live.id)
            board.live.end(None)
            self._leave(board)
        for waiting in board.resigning:
            waiting.errback(refusal)

    def _part_with(self, error: StoreError, board: Board, number: int | None) -> PeerError:
        """By the store the game goes on: elsewhere, or here once the store is back."""
        self.log.warn("{text}", text=str(error))  # noqa: G010 — Twisted's name
        if isinstance(error, Fenced):
            text = str(error)
        else:
            text = f"{board.live.id} waits for the store"
            self._look_later(number)
        refusal = PeerError(Code.BUSY, f"{text}: resume it")
        board.live.end(None, refusal.text)
        self._games.live.remove(board.live)  # who looks for it finds it where it goes on
        self._leave(board, refusal)
        return refusal

    def _look_later(self, number: int | None) -> None:
        if self._ledger is not None and number is not None:
            ledger = self._ledger
            self._games.reactor.callLater(
                AGAIN, lambda: Deferred.fromCoroutine(self._take_up(ledger, number))
            )

    async def _take_up(self, ledger: Ledger, number: int) -> None:
        """As after a restart, if the game is still ours; else when the store is back."""
        try:
            rows = await ledger.in_play(number)
        except StoreError:
            self._look_later(number)
        else:
            self.restore(rows)

    def _leave(self, board: Board, refusal: PeerError | None = None) -> None:
        """Nothing more happens at a board: tell whoever waits for it."""
        self._forget(board)
        if board in self.rated:
            self.rated.remove(board)
        if board.table is None:
            _fire(board.begun or ())
        for person in board.chairs:
            if isinstance(person, Person):
                person.link.over(refusal)


def _fire(waiting: Iterable[Deferred[None]]) -> None:
    for one in waiting:
        one.callback(None)


def _cancel_all(coming: Iterable[Deferred[EngineLink]]) -> None:
    for one in coming:
        one.cancel()


def _since(started: str | None) -> float:
    """Seconds since then by the calendar, which may have been set meanwhile; 0 for None."""
    if started is None:
        return 0.0
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(started)).total_seconds())
