"""The lobby: people offer games and take them; the referee seats them like engines."""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import attrs
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.python.failure import Failure

from yoddd.daemon.contestants import Attached, Contestant
from yoddd.daemon.engines import EngineLink
from yoddd.daemon.hub import Hub
from yoddd.daemon.live import End, LiveGame, Say, Watcher
from yoddd.daemon.presence import GRACE, Keeper, Presence
from yoddd.daemon.table import Table
from yoddd.protocol.controller import MANDATORY, ReplyReceived
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.words import read_turn
from yoddd.referee import ClockError, Game, TurnPlayed, parse_clock
from yoddd.referee.game import Finished
from yoddd.referee.law import Reason, Seat, won
from yoddd.referee.setup import GameSetup, Limits
from yoddd.rules import RulesError, TurnKind, make_rules

TABLES: Final = 256
"""How many games may be offered or played at once."""

PATIENCE: Final = Limits(launch=3600.0, move=3600.0, resume=60.0)
"""A person may think for an hour where no clock runs."""

_SETTINGS: Final = ("game", "board", "seat", "clock", "against")
_SEATS: Final = {"b": Seat.BLACK, "w": Seat.WHITE}


class PersonLink(EngineLink):
    """A person as the referee's table sees one: an engine that takes its turns from `put`."""

    def __init__(self, hub: Hub, name: str) -> None:
        """Nothing is asked yet."""
        super().__init__(name)
        self._hub = hub
        self._asked: str | None = None

    def ask(self, command: str) -> None:
        """Answer what needs no thought, and keep the question that does."""
        word = command.split(maxsplit=1)[0]
        if word == "genmove":
            self._asked = command
            return
        text = {"protocol_version": "2", "name": self.name, "list_commands": "\n".join(MANDATORY)}
        reply = ReplyReceived(command, ok=True, text=text.get(word, ""))
        self._hub.reactor.callLater(0, self._tell, reply)

    def put(self, token: str) -> None:
        """The person's turn.

        Raises:
            PeerError: nobody asked for it yet.
        """
        if self._asked is None:
            raise PeerError(Code.ILLEGAL, "not your turn")
        command, self._asked = self._asked, None
        self._tell(ReplyReceived(command, ok=True, text=token))

    def close(self) -> None:
        """The person may stay in the lobby."""
        self.listener = None

    def _tell(self, reply: ReplyReceived) -> None:
        if self.listener is not None:
            self.listener.replied(reply)


class Person:
    """A person as a contestant."""

    def __init__(self, hub: Hub, name: str) -> None:
        """Sit down."""
        self.name = name
        self.link = PersonLink(hub, name)

    def engine(self) -> Deferred[EngineLink]:
        """The person is there."""
        return succeed(self.link)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """The game is over."""
        del busy
        link.close()

    def close(self) -> None:
        """Nothing is left to do."""


@attrs.define(eq=False)
class Board:
    """A game that was offered.

    Attributes:
        live: what others see of it.
        chairs: who sits where; None where somebody is waited for.
        table: the referee's, once it is played.
        coming: the engine that is waited for, if one is.
    """

    live: LiveGame
    chairs: list[Contestant | None]
    table: Table | None = None
    coming: Deferred[EngineLink] | None = None


class DaemonLobby:
    """The `Lobby` of a daemon. A key is a secret that moves one person's stones in one game."""

    def __init__(self, hub: Hub, grace: float = GRACE) -> None:
        """Nobody has offered anything; see `Presence` for ``grace``."""
        self._hub = hub
        self._presence = Presence(hub.reactor, self._absent, grace)
        self._keys: dict[str, tuple[Board, Seat]] = {}
        self._count = 0

    # -- Lobby ------------------------------------------------------------------------------

    def games(self) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over."""
        return self._hub.live.describe()

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""
        return self._hub.registry.names

    def seek(self, name: str, settings: Mapping[str, str]) -> str:
        """Offer a game."""
        if len({id(board) for board, _ in self._keys.values()}) >= TABLES:
            raise PeerError(Code.ILLEGAL, f"{TABLES} games are offered or played already")
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
        if rival is not None and rival not in self._hub.registry.names:
            raise PeerError(Code.SYNTAX, f"no engine {rival!r} is attached")
        self._count += 1
        names = (name, rival) if seat is Seat.BLACK else (rival, name)
        live = self._hub.live.add(LiveGame(f"t{self._count}", rules, clock, names))
        board = Board(live, [None, None])
        key = self._sit(board, seat, name)
        if rival is not None:
            board.chairs[seat.other] = Attached(self._hub.registry, rival)
            self._start(board)
        return f"{live.id} {key}"

    def accept(self, game_id: str, name: str) -> str:
        """Take an offer."""
        live = self._hub.live.find(game_id)
        for board, seat in list(self._keys.values()):
            if board.live is live and live.is_open and board.chairs[seat.other] is None:
                key = self._sit(board, seat.other, name)
                self._start(board)
                return key
        raise PeerError(Code.ILLEGAL, f"{game_id} is not open")

    def withdraw(self, key: str) -> None:
        """Take an offer back."""
        board, _ = self._find(key)
        if board.table is not None:
            raise PeerError(Code.ILLEGAL, "the game has begun")
        if board.coming is not None:
            board.coming.cancel()
        self._hub.live.remove(board.live)
        self._forget(board)

    def put(self, key: str, turn: str) -> None:
        """Play a turn, or give up whoever's turn it is."""
        board, seat = self._find(key)
        if board.table is None:
            raise PeerError(Code.ILLEGAL, "the game has not begun")
        game, person = board.table.game, board.chairs[seat]
        played = read_turn(turn, game.position)
        if played.kind is TurnKind.RESIGN:
            board.table.perform(game.impose(won(seat.other, Reason.RESIGN), board.table.now))
            return
        if game.on_turn is not seat or not isinstance(person, Person):
            raise PeerError(Code.ILLEGAL, f"{game.position.player.title.lower()} to move")
        problem = game.position.illegality(played)
        if problem is not None:
            raise PeerError(Code.ILLEGAL, problem)
        person.link.put(turn)

    def check_watchable(self, game_id: str) -> None:
        """Refuse the id of a game that is not known."""
        self._hub.live.find(game_id)

    def observe(self, args: tuple[str, ...], say: Say, end: End) -> Watcher | Keeper:
        """The streaming job of ``observe``."""
        live = self._hub.live.find(args[0])
        watcher = live.watch(say, end)
        key = args[1] if len(args) > 1 else ""
        known = key in self._keys and self._keys[key][0].live is live
        return self._presence.keep(key, watcher) if known else watcher

    def _absent(self, key: str) -> None:
        """Somebody who watched with a key has gone: an offer of theirs is withdrawn."""
        with suppress(PeerError):  # the game is on, or over: the referee sees to it
            self.withdraw(key)

    # -- tables -----------------------------------------------------------------------------

    def _sit(self, board: Board, seat: Seat, name: str) -> str:
        key = secrets.token_urlsafe(16)
        board.chairs[seat] = Person(self._hub, name)
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

    def _start(self, board: Board) -> None:
        black, white = board.chairs
        if black is None or white is None:
            return
        played = Deferred.fromCoroutine(self._play(board, black, white))
        played.addErrback(_ignore_cancelled)

    async def _play(self, board: Board, black: Contestant, white: Contestant) -> None:
        links = []
        for contestant in (black, white):
            board.coming = contestant.engine()
            links.append(await board.coming)
        board.coming = None
        live = board.live
        setup = GameSetup(
            id=live.id,
            rules=live.rules,
            names=(black.name, white.name),
            clock=parse_clock(live.clock),
            limits=PATIENCE,
        )

        def seen(turn: TurnPlayed) -> None:
            live.turn(turn.seat.key, turn.token, turn.seconds)

        board.table = Table(
            self._hub.reactor, Game(setup), (black, white), (links[0], links[1]), seen
        )
        live.begin(black.name, white.name)
        board.table.start()
        finished: Finished = await board.table.done
        live.end(finished.record)
        self._forget(board)


def _ignore_cancelled(failure: Failure) -> None:
    failure.trap(CancelledError)


def offer(hub: Hub) -> None:
    """Let the connections of ``hub`` use a lobby."""
    lobby = DaemonLobby(hub)
    hub.streams["observe"] = lobby.observe
    hub.config = attrs.evolve(hub.config, lobby=lobby)
