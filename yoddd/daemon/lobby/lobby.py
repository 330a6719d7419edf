"""The lobby: people offer games and take them; the referee seats them like engines."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.lobby.games_in_play import Board, Boards
from yoddd.daemon.lobby.presence import GRACE, Keeper, Presence
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import Person
from yoddd.daemon.play.live_games import LiveGame, Watcher
from yoddd.daemon.play.participants import Attached
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import Reply
from yoddd.protocol.words import read_turn
from yoddd.referee import ClockError, parse_clock
from yoddd.referee.law import Reason, Seat, won
from yoddd.rules import Rules, RulesError, TurnKind, make_rules

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger

_SETTINGS: Final = ("game", "board", "seat", "clock", "against", "rated")
_SEATS: Final = {"b": Seat.BLACK, "w": Seat.WHITE}


@attrs.frozen
class _Offer:
    """What somebody seeks."""

    rules: Rules
    clock: str
    seat: Seat
    rival: str | None
    is_rated: bool

    def names(self, name: str) -> tuple[str | None, str | None]:
        return (name, self.rival) if self.seat is Seat.BLACK else (self.rival, name)


class DaemonLobby:
    """The `Lobby` of a daemon. A key is a secret that moves one person's stones in one game.

    Attributes:
        boards: where the games are played.
    """

    def __init__(
        self,
        games: GameServices,
        limits: CurrentLimits,
        ledger: Ledger | None = None,
        grace: float = GRACE,
        publish: Callable[[], Coroutine[Deferred[Any], Any, None]] | None = None,
    ) -> None:
        """Create an empty lobby.

        Args:
            games: the engines and games of the daemon.
            limits: how many games may be offered or played.
            ledger: keeps rated games; None where there are none.
            grace: see `Presence`.
            publish: tells the other nodes of a fleet what this one offers; None without others.
        """
        self.boards = Boards(games, ledger, self._forget)
        self._games = games
        self._limits = limits
        self._ledger = ledger
        self._publish = publish
        self._presence = Presence(games.reactor, self._absent, grace)
        self._keys: dict[str, tuple[Board, Seat]] = {}
        self._process = 0
        self._count = 0

    def join(self, process: int) -> None:
        """Be one of several lobbies: ids and keys say from now on which process gave them."""
        self._process = process

    def lose(self) -> None:
        """Whatever the store keeps of our games is another process's now."""
        for board in list(self.boards.rated):
            self.boards.lose(board)
        offered = {board for board, _ in self._keys.values() if board.number is not None}
        for board in offered - set(self.boards.rated):
            self._games.live.remove(board.live)
            self._forget(board)

    # -- Lobby ------------------------------------------------------------------------------

    def games(self) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over."""
        return self._games.live.describe()

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""
        return self._games.engines.names

    def seek(self, user: str | None, name: str, settings: Mapping[str, str]) -> Reply:
        """Offer a game."""
        self._games.start_gate.check()
        tables = self._limits.value.tables
        if len({id(board) for board, _ in self._keys.values()}) >= tables:
            raise PeerError(Code.BUSY, f"{tables} games are offered or played already")
        offer = self._read_offer(settings)
        if offer.is_rated and user is None:
            raise PeerError(Code.DENIED, "log in for a rated game")
        if self._ledger is None:
            return self._offer(offer, name)
        ledger = self._ledger
        return deferred_reply(lambda: self._offer_checked(ledger, offer, user, name))

    def accept(self, user: str | None, game_id: str, name: str) -> Reply:
        """Take an offer."""
        self._games.start_gate.check()
        live = self._games.live.find(game_id)
        board, seat = self._find_free(live)
        board.check_guest(user, name)
        if self._ledger is None:
            return self._take(board, seat, name)
        ledger = self._ledger
        return deferred_reply(lambda: self._take_checked(ledger, board, seat, user, name))

    def withdraw(self, key: str) -> Reply:
        """Take an offer back."""
        board, _ = self._find(key)
        if board.table is not None or board.is_taken:
            raise PeerError(Code.ILLEGAL, "the game has begun")
        board.caller.cancel()
        self._games.live.remove(board.live)
        self._forget(board)
        return self.boards.withdraw(board)

    def put(self, key: str, turn: str) -> Reply:
        """Play a turn, or give up whoever's turn it is."""
        board, seat = self._find(key)
        if board.begun is None:
            raise PeerError(Code.ILLEGAL, "the game has not begun")
        if board.table is None:  # the other one is still coming
            return deferred_reply(lambda: self._put(board, seat, turn))
        done = self._play(board, seat, turn)
        return deferred_reply(lambda: _wait_for(done))

    def resume(self, user: str | None, game_id: str | None) -> str:
        """A new key for a game that ``user`` plays; without an id, the ids of those games."""
        if user is None:
            raise PeerError(Code.DENIED, "log in first")
        mine = {
            board.live.id: (board, seat)
            for board in self.boards.rated
            # Until its beginning is on the disk a game can still come to nothing.
            if board.started is not None or board.caller.is_waiting
            for seat in Seat
            if board.is_person(seat, user)
        }
        if game_id is None:
            return " ".join(mine)
        if game_id not in mine:
            raise PeerError(Code.SYNTAX, f"you play no game {game_id!r}")
        board, seat = mine[game_id]
        for key in [key for key, place in self._keys.items() if place == (board, seat)]:
            del self._keys[key]
        person = board.chairs[seat]
        if isinstance(person, Person):
            person.arrive()
        return self._key(board, seat)

    def check_watchable(self, game_id: str) -> None:
        """Refuse the id of a game that is not known."""
        self._games.live.find(game_id)

    def observe(self, args: tuple[str, ...], say: Say, end: End) -> Watcher | Keeper:
        """The streaming job of ``observe``."""
        live = self._games.live.find(args[0])
        watcher = live.watch(say, end)
        key = args[1] if len(args) > 1 else ""
        known = key in self._keys and self._keys[key][0].live is live
        return self._presence.keep(key, watcher) if known else watcher

    def _absent(self, key: str) -> None:
        """Somebody who watched with a key has gone: an offer of theirs is withdrawn."""
        with suppress(PeerError):  # the game is on, or over: the referee sees to it
            self.withdraw(key)

    def _find_free(self, live: LiveGame) -> tuple[Board, Seat]:
        for board, seat in self._keys.values():
            if board.live is live and live.is_open and board.is_free(seat.other):
                return board, seat.other
        raise PeerError(Code.ILLEGAL, f"{live.id} is not open")

    # -- offers -----------------------------------------------------------------------------

    def _read_offer(self, settings: Mapping[str, str]) -> _Offer:
        known = {key: settings[key] for key in _SETTINGS if key in settings}
        options = {key: value for key, value in settings.items() if key not in _SETTINGS}
        try:
            rules = make_rules(known.get("game", "yodd"), known.get("board"), options)
            clock = str(parse_clock(known.get("clock", "none")))
        except (RulesError, ClockError) as error:
            raise PeerError(Code.SYNTAX, str(error)) from None
        wanted = known.get("seat", "any").lower()
        if wanted not in {*_SEATS, "any"}:
            raise PeerError(Code.SYNTAX, f"seat {wanted!r}: expected b, w or any")
        seat = _SEATS[wanted] if wanted in _SEATS else random.choice(list(Seat))  # noqa: S311 — no secret
        rival = known.get("against")
        if rival is not None and not self._is_here(rival):
            raise PeerError(Code.SYNTAX, f"no engine {rival!r} is attached")
        return _Offer(rules, clock, seat, rival, self._read_rated(known, rules))

    def _read_rated(self, known: Mapping[str, str], rules: Rules) -> bool:
        word = known.get("rated", "no").lower()
        if word not in {"yes", "no"}:
            raise PeerError(Code.SYNTAX, f"rated {word!r}: expected yes or no")
        if word == "yes" and self._ledger is None:
            raise PeerError(Code.SYNTAX, "no rated games here: the server has no accounts")
        if word == "yes" and rules.chosen_options():
            raise PeerError(Code.SYNTAX, "a rated game has the options that its game comes with")
        return word == "yes"

    def _is_here(self, rival: str) -> bool:
        if rival in self._games.engines.names:
            return True
        return self._ledger is not None and self._ledger.users.is_here(rival)

    async def _offer_checked(
        self, ledger: Ledger, offer: _Offer, user: str | None, name: str
    ) -> str:
        found = await self._offer_named(ledger, offer, user, name)
        if self._publish is not None:  # the client may ask another node for the game at once
            await self._publish()
        return found

    async def _offer_named(self, ledger: Ledger, offer: _Offer, user: str | None, name: str) -> str:
        await ledger.users.check_name(user, name)
        if not offer.is_rated:
            return self._offer(offer, name)
        if offer.rival is not None and await ledger.users.account(offer.rival) is None:
            raise PeerError(Code.DENIED, f"{offer.rival} has no account")
        if offer.rival is not None and offer.rival.casefold() == name.casefold():
            raise PeerError(Code.DENIED, "nobody plays a rated game against themselves")
        name = user or name
        engines = offer.seat.other.key if offer.rival in self._games.engines.names else ""
        number = await ledger.offer(offer.rules, offer.clock, offer.names(name), engines)
        return self._offer(offer, name, number)

    def _offer(self, offer: _Offer, name: str, number: int | None = None) -> str:
        if number is None:
            self._count += 1
        own = f"t{self._process}-{self._count}" if self._process else f"t{self._count}"
        game_id = own if number is None else f"r{number}"
        live = self._games.live.add(LiveGame(game_id, offer.rules, offer.clock, offer.names(name)))
        is_engine = offer.rival in self._games.engines.names
        guest = None if is_engine else offer.rival
        board = Board(live, [None, None], number=number, guest=guest)
        key = self._sit(board, offer.seat, name)
        if offer.rival is not None and is_engine:
            board.chairs[offer.seat.other] = Attached(self._games.engines, offer.rival)
            self.boards.start(board)
        return f"{live.id} {key}"

    async def _take_checked(
        self, ledger: Ledger, board: Board, seat: Seat, user: str | None, name: str
    ) -> str:
        board.is_taken = True  # by this one, until something is in the way
        try:
            await ledger.users.check_name(user, name)
            if board.number is not None:
                names = [user or name] * 2
                names[seat.other] = board.name_of(seat.other)
                board.started = await ledger.begin(board.number, *names)
        except BaseException:
            board.is_taken = False
            raise
        return self._take(board, seat, user or name)

    def _take(self, board: Board, seat: Seat, name: str) -> str:
        key = self._sit(board, seat, name)
        self.boards.start(board)
        return key

    # -- keys -------------------------------------------------------------------------------

    def _sit(self, board: Board, seat: Seat, name: str) -> str:
        board.chairs[seat] = Person(self._games.reactor, name)
        return self._key(board, seat)

    def _key(self, board: Board, seat: Seat) -> str:
        key = secrets.token_urlsafe(16)
        if self._process:
            key = f"{self._process}.{key}"
        self._keys[key] = board, seat
        return key

    def _find(self, key: str) -> tuple[Board, Seat]:
        found = self._keys.get(key)
        if found is None:
            raise PeerError(Code.SYNTAX, "no game has this key")
        return found

    def _forget(self, board: Board) -> None:
        for key in [key for key, (other, _) in self._keys.items() if other is board]:
            del self._keys[key]
            self._presence.forget(key)

    # -- turns ------------------------------------------------------------------------------

    async def _put(self, board: Board, seat: Seat, turn: str) -> str:
        begun: Deferred[None] = Deferred()
        if board.begun is not None:
            board.begun.append(begun)
            await begun
        return await _wait_for(self._play(board, seat, turn))

    def _play(self, board: Board, seat: Seat, turn: str) -> Deferred[None]:
        """Check a turn and hand it to the table; fires once it is played."""
        person = board.chairs[seat]
        if board.table is None or board.table.done.called:
            raise PeerError(Code.ILLEGAL, "the game is over")
        game = board.table.game
        played = read_turn(turn, game.position)
        if played.kind is TurnKind.RESIGN:
            over: Deferred[None] = Deferred()
            board.resigning.append(over)
            board.table.perform(game.impose(won(seat.other, Reason.RESIGN), board.table.now))
            return over
        if game.on_turn is not seat or not isinstance(person, Person):
            raise PeerError(Code.ILLEGAL, f"{game.position.player.title.lower()} to move")
        problem = game.position.illegality(played)
        if problem is not None:
            raise PeerError(Code.ILLEGAL, problem)
        return person.link.put(turn)


async def _wait_for(done: Deferred[None]) -> str:
    await done
    return ""
