"""Rated games in fake time: nobody hears of a turn before it is kept; who comes back, who not."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.lobby.games_in_play import AGAIN, RETURN, Board
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import Person
from yoddd.daemon.play.live_games import LiveGame
from yoddd.notation.records import GameRecord
from yoddd.protocol.command import Later
from yoddd.protocol.errors import PeerError
from yoddd.referee import TurnPlayed
from yoddd.rules import make_rules
from yoddd.store.errors import StoreError
from yoddd.store.values import GameRow, NewGame, State, TurnRow

WHEN = "2026-11-21T12:00:00.000Z"
INTERRUPTED = GameRow(
    7,
    NewGame("yodd", "hex2", "60", "ann", "bob", WHEN),
    State.PLAYING,
    started=WHEN,
    turns=(TurnRow(7, 1, "1a1", 10.0),),
)


@attrs.define
class Ledger:
    """Keeps in lists; a turn is kept when the test says so."""

    users: Any = None
    beginning: Deferred[str] = attrs.Factory(Deferred)
    waiting: list[Deferred[object]] = attrs.Factory(list)
    ended: list[GameRecord] = attrs.Factory(list)
    is_away: bool = False

    def begin(self, number: int, black: str, white: str) -> Deferred[str]:
        assert (number, black, white) == (8, "cid", "dan")
        return self.beginning

    def keep(self, number: int, turn: TurnPlayed) -> Deferred[object]:
        assert (number, turn.number) == (7, 2 + len(self.waiting))
        self.waiting.append(Deferred())
        return self.waiting[-1]

    def end(self, number: int, record: GameRecord) -> Deferred[None]:
        assert number == 7
        if self.is_away:
            return fail(StoreError("away"))
        self.ended.append(record)
        return succeed(None)

    def in_play(self, number: int) -> Deferred[list[GameRow]]:
        assert number == 7
        return fail(StoreError("away")) if self.is_away else succeed([INTERRUPTED])


@attrs.define
class Room:
    clock: Clock
    games: GameServices
    ledger: Ledger
    lobby: DaemonLobby
    said: list[str] = attrs.Factory(list)

    def turn(self) -> None:
        """Let everything happen that takes no time."""
        for _ in range(20):
            self.clock.advance(0)

    def put(self, key: str, turn: str) -> list[object]:
        """The reply, once it is there."""
        replies: list[object] = []
        later = self.lobby.put(key, turn)
        assert isinstance(later, Later)
        later.start(cast("Any", None), replies.append)
        self.turn()
        return replies

    @property
    def turns(self) -> list[str]:
        return [line.split()[2] for line in self.said if line.startswith("turn ")]


@pytest.fixture
def room() -> Room:
    clock = Clock()
    games = GameServices(cast("Reactor", clock))
    ledger = Ledger()
    lobby = DaemonLobby(games, CurrentLimits(), cast("Any", ledger))
    lobby.boards.restore([INTERRUPTED])
    room = Room(clock, games, ledger, lobby)
    games.live.find("r7").watch(room.said.append, lambda _: None)
    return room


def test_what_was_played_is_shown_at_once(room: Room) -> None:
    assert room.said == [
        "position yodd hex2 2/3/2 b 0 1",
        "game r7 ann bob 60",
        "turn b 1a1 10.000",
    ]
    assert room.lobby.games() == ["r7 playing yodd hex2 ann bob 1 clock=60"]
    assert room.lobby.resume("ann", None) == room.lobby.resume("BOB", None) == "r7"


def test_a_new_game_is_told_of_once_its_beginning_is_kept(room: Room) -> None:
    live = room.games.live.add(LiveGame("r8", make_rules("yodd", "hex2"), "60", ("cid", "dan")))
    room.lobby.boards.start(
        Board(live, [Person(room.games.reactor, name) for name in ("cid", "dan")], 8)
    )
    room.turn()
    assert room.lobby.resume("cid", None) == ""
    room.ledger.beginning.callback(WHEN)
    room.turn()
    assert room.lobby.resume("cid", None) == room.lobby.resume("dan", None) == "r8"


def test_nobody_hears_of_a_turn_before_it_is_kept(room: Room) -> None:
    ann, bob = (room.lobby.resume(name, "r7") for name in ("ann", "bob"))
    room.turn()
    reply = room.put(bob, "pass")
    assert (room.turns, reply) == (["1a1"], [])
    answer = room.put(ann, "pass")
    room.ledger.waiting[0].callback(None)
    room.turn()
    assert (room.turns, reply, answer) == (["1a1", "pass"], [""], [])
    assert room.ledger.ended == []
    room.ledger.waiting[1].callback(None)
    room.turn()
    assert answer == [""]
    (record,) = room.ledger.ended
    assert (record.turns, record.reason) == (("1a1", "pass", "pass"), "groups")
    assert room.lobby.resume("ann", None) == ""


def test_a_turn_that_is_put_early_waits_for_the_other_side(room: Room) -> None:
    bob = room.lobby.resume("bob", "r7")
    reply = room.put(bob, "pass")
    room.clock.advance(300)
    assert reply == []
    room.lobby.resume("ann", "r7")
    room.turn()
    room.ledger.waiting[0].callback(None)
    room.turn()
    assert reply == [""]
    assert room.turns == ["1a1", "pass"]


def test_a_turn_that_cannot_be_kept_makes_the_game_void(
    room: Room, logged_errors: LoggedErrors
) -> None:
    ann, bob = (room.lobby.resume(name, "r7") for name in ("ann", "bob"))
    room.turn()
    reply = room.put(bob, "pass")
    room.ledger.waiting[0].errback(OSError("disk full"))
    room.turn()
    (record,) = room.ledger.ended
    assert (record.winner, record.reason, record.detail) == (
        None,
        "void",
        "a turn could not be kept",
    )
    assert isinstance(reply[0], PeerError)
    assert room.turns == ["1a1"]
    with pytest.raises(PeerError, match="no game has this key"):
        room.lobby.put(ann, "pass")
    assert [str(error) for error in logged_errors.flush(OSError)] == ["disk full"]


def test_a_game_whose_end_could_not_be_kept_is_taken_up_once_the_store_is_back(
    room: Room, logged_errors: LoggedErrors
) -> None:
    ann, bob = (room.lobby.resume(name, "r7") for name in ("ann", "bob"))
    room.turn()
    room.ledger.is_away = True
    reply = room.put(bob, "pass")
    room.ledger.waiting[0].errback(StoreError("away"))
    room.turn()
    assert [cast("PeerError", one).text for one in reply] == [
        "busy: r7 waits for the store: resume it"
    ]
    assert room.lobby.resume("ann", None) == ""
    room.clock.advance(AGAIN)
    assert room.lobby.resume("ann", None) == ""
    room.ledger.is_away = False
    room.clock.advance(AGAIN)
    assert room.lobby.resume("ann", None) == room.lobby.resume("bob", None) == "r7"
    assert room.lobby.games() == ["r7 playing yodd hex2 ann bob 1 clock=60"]
    with pytest.raises(PeerError, match="no game has this key"):
        room.lobby.put(ann, "pass")
    assert logged_errors.flush(StoreError)


@pytest.mark.parametrize(
    ("back", "winner", "reason"), [("ann", "b", "disconnect"), ("bob", "w", "disconnect")]
)
def test_who_does_not_come_back_has_lost(room: Room, back: str, winner: str, reason: str) -> None:
    room.lobby.resume(back, "r7")
    room.clock.advance(RETURN - 1)
    assert room.ledger.ended == []
    room.clock.advance(2)
    room.turn()
    (record,) = room.ledger.ended
    assert (record.winner, record.reason) == (winner, reason)


def test_if_nobody_comes_back_the_game_is_void(room: Room) -> None:
    room.clock.advance(RETURN + 1)
    room.turn()
    (record,) = room.ledger.ended
    assert (record.winner, record.reason, record.turns) == (None, "void", ("1a1",))


def test_a_game_that_has_begun_cannot_be_taken_back(room: Room) -> None:
    key = room.lobby.resume("ann", "r7")
    with pytest.raises(PeerError, match="the game has begun"):
        room.lobby.withdraw(key)
    with pytest.raises(PeerError, match="you play no game 'r7'"):
        room.lobby.resume("cid", "r7")
