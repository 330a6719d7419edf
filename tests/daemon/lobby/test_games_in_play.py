"""Rated games in fake time: turns are announced once they are kept; returns after a restart."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from tests.daemon.leaks import LoggedErrors
from tests.daemon.lobby.journals import FakeConnection
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.store_wait import AGAIN
from yoddd.daemon.base.world import World
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.notation.records import GameRecord
from yoddd.protocol.errors import PeerError
from yoddd.protocol.replies import DeferredReply
from yoddd.referee import Finished, TurnPlayed
from yoddd.referee.lobby_game import Beginning, Drop, Keep, LobbyGame, NewKey
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
    """Keeps in lists; a turn is kept when the test fires its Deferred.

    Every write and read fails while ``is_away``.
    """

    users: Any = None
    waiting: list[Deferred[object]] = attrs.Factory(list)
    ended: list[GameRecord] = attrs.Factory(list)
    is_away: bool = False

    def keep(self, number: int, game: LobbyGame, what: Keep | NewKey | Drop) -> Deferred[Any]:
        assert (number, game.id, game.terms.is_rated) == (7, "r7", True)
        assert not isinstance(what, Beginning)
        if isinstance(what, TurnPlayed):
            assert what.number == 2 + len(self.waiting)
            self.waiting.append(Deferred())
            return self.waiting[-1]
        if self.is_away:
            return fail(StoreError("away"))
        if isinstance(what, Finished):
            self.ended.append(what.record)
        return succeed(None)

    def in_play(self, number: int) -> Deferred[list[GameRow]]:
        assert number == 7
        return fail(StoreError("away")) if self.is_away else succeed([INTERRUPTED])


@attrs.define
class Setup:
    """A lobby that continues a rated game of ann, Black, against bob."""

    clock: Clock
    games: GameServices
    ledger: Ledger
    lobby: DaemonLobby
    said: list[str] = attrs.Factory(list)

    def turn(self) -> None:
        """Make all calls that are due now."""
        for _ in range(20):
            self.clock.advance(0)

    def put(self, key: str, turn: str) -> list[object]:
        """A list that receives the reply."""
        replies: list[object] = []
        later = self.lobby.put(key, turn)
        assert isinstance(later, DeferredReply)
        later.start(cast("Any", None), replies.append)
        self.turn()
        return replies

    def resume(self, name: str) -> str:
        """The key of the game for a user."""
        replies: list[object] = []
        later = self.lobby.resume(name, "r7")
        assert isinstance(later, DeferredReply)
        later.start(cast("Any", None), replies.append)
        key = str(replies[0])
        self.lobby.hold(key, FakeConnection())
        self.turn()
        return key

    @property
    def turns(self) -> list[str]:
        return [line.split()[2] for line in self.said if line.startswith("turn ")]


@pytest.fixture
def world() -> Setup:
    clock = Clock()
    games = GameServices(World(cast("Reactor", clock)))
    ledger = Ledger()
    lobby = DaemonLobby(games, CurrentSettings(), cast("Any", ledger))
    lobby.restore([INTERRUPTED])
    world = Setup(clock, games, ledger, lobby)
    games.live.find("r7").watch(world.said.append, lambda _: None)
    return world


def test_restored_game_shows_the_turns_from_before(world: Setup) -> None:
    assert world.said == [
        "position yodd hex2 2/3/2 b 0 1",
        "game r7 ann bob 60",
        "turn b 1a1 10.000",
        "clock - 0.000",
        "presence b away 0 300",
        "presence w away 0 300",
    ]
    assert world.lobby.games() == ["r7 playing yodd hex2 ann bob 1 clock=60 rated=yes turn=w"]
    assert world.lobby.resume("ann", None) == world.lobby.resume("BOB", None) == "r7"


def test_turn_is_announced_and_answered_once_it_is_kept(world: Setup) -> None:
    ann, bob = (world.resume(name) for name in ("ann", "bob"))
    world.turn()
    reply = world.put(bob, "pass")
    assert (world.turns, reply) == (["1a1"], [])
    answer = world.put(ann, "pass")
    world.ledger.waiting[0].callback(None)
    world.turn()
    assert (world.turns, reply, answer) == (["1a1", "pass"], [""], [])
    assert world.ledger.ended == []
    world.ledger.waiting[1].callback(None)
    world.turn()
    assert answer == [""]
    (record,) = world.ledger.ended
    assert (record.turns, record.reason) == (("1a1", "pass", "pass"), "groups")
    assert world.lobby.resume("ann", None) == ""


def test_turn_that_cannot_be_kept_makes_the_game_void(
    world: Setup, logged_errors: LoggedErrors
) -> None:
    ann, bob = (world.resume(name) for name in ("ann", "bob"))
    world.turn()
    reply = world.put(bob, "pass")
    world.ledger.waiting[0].errback(OSError("disk full"))
    world.turn()
    (record,) = world.ledger.ended
    assert (record.winner, record.reason, record.detail) == (
        None,
        "void",
        "a turn could not be kept",
    )
    assert isinstance(reply[0], PeerError)
    assert world.turns == ["1a1"]
    with pytest.raises(PeerError, match="no game has this key"):
        world.lobby.put(ann, "pass")
    assert [str(error) for error in logged_errors.flush(OSError)] == ["disk full"]


def test_game_whose_end_cannot_be_kept_is_restored_once_the_store_is_back(world: Setup) -> None:
    ann, bob = (world.resume(name) for name in ("ann", "bob"))
    world.turn()
    world.ledger.is_away = True
    reply = world.put(bob, "pass")
    world.ledger.waiting[0].errback(StoreError("away"))
    world.turn()
    assert [cast("PeerError", one).text for one in reply] == [
        "busy: r7 waits for the store: resume it"
    ]
    assert world.lobby.resume("ann", None) == ""
    world.clock.advance(AGAIN)
    assert world.lobby.resume("ann", None) == ""
    world.ledger.is_away = False
    world.clock.advance(AGAIN)
    assert world.lobby.resume("ann", None) == world.lobby.resume("bob", None) == "r7"
    assert world.lobby.games() == ["r7 playing yodd hex2 ann bob 1 clock=60 rated=yes turn=w"]
    with pytest.raises(PeerError, match="no game has this key"):
        world.lobby.put(ann, "pass")


@pytest.mark.parametrize("is_whole_account", [True, False])
def test_restored_game_that_waits_is_void_once_it_is_aborted(
    world: Setup, *, is_whole_account: bool
) -> None:
    abort = world.games.live.find("r7").abort
    if is_whole_account:
        world.lobby.end_games_of("bob", "the account bob was disabled")
    else:
        abort("aborted by the administrator")
    world.turn()
    (record,) = world.ledger.ended
    assert (record.winner, record.reason, record.turns) == (None, "void", ("1a1",))
    assert "disabled" in str(record.detail) or "aborted" in str(record.detail)
