"""Offers, acceptances and keys of the lobby in fake time, with and without accounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, settle
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.stores import TOKENS
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.lobby.directory import LINGER
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.presence import GRACE
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.errors import PeerError
from yoddd.protocol.lobby import LobbyReply, Put, TakeBack
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply
from yoddd.store.games import games_in_play
from yoddd.store.values import GameRow

BOARD = {"board": "hex2", "seat": "b"}
RATED = {**BOARD, "rated": "yes"}


@attrs.define
class Setup:
    """A lobby, which has accounts if there is a journal."""

    journal: DirectJournal | None = None
    clock: Clock = attrs.Factory(Clock)
    games: GameServices = attrs.field(init=False)
    ledger: Ledger | None = None
    lobby: DaemonLobby = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        limits = CurrentSettings(Settings(limits=Limits(games=2)))
        self.games = GameServices(World(cast("Reactor", self.clock)), limits)
        if self.journal is not None:
            self.journal.world = self.games.world
            journal = cast("Any", self.journal)
            users = Users(journal, self.games.engines, limits)
            self.ledger = Ledger(journal, users)
        self.lobby = DaemonLobby(self.games, self.ledger)

    def ask(self, reply: LobbyReply) -> str:
        """The reply, or the text of a refusal that comes later; settles the clock first."""
        if not isinstance(reply, DeferredReply):
            settle(self.clock)
            return reply
        replies: list[object] = []
        reply.start(cast("Any", None), replies.append)
        settle(self.clock)
        (found,) = replies
        return found.text if isinstance(found, PeerError) else str(found)

    def seek(self, user: str | None, name: str, settings: dict[str, str]) -> list[str]:
        """The id and the key of an offer, or the words of its refusal."""
        return self.ask(self.lobby.seek(Origin(user), name, settings)).split()

    def accept(self, user: str | None, game_id: str, name: str) -> str:
        return self.ask(self.lobby.accept(Origin(user), game_id, name))

    def put(self, key: str, turn: str) -> str:
        return self.ask(self.lobby.play(key, Put(turn)))

    def ask_ledger(self) -> Sequence[GameRow]:
        """The games that a restart has interrupted."""
        assert self.ledger is not None
        found = Deferred.fromCoroutine(self.ledger.load())
        settle(self.clock)
        return cast("Sequence[GameRow]", found.result)

    def log_in(self, name: str) -> None:
        assert self.ledger is not None
        self.ledger.users.log_in(FakeConnection(), name, TOKENS[name], lambda _: None)


@pytest.fixture
def world() -> Setup:
    return Setup()


@pytest.fixture
def rated(journal: DirectJournal) -> Setup:
    return Setup(journal)


def test_lobby_game_is_offered_accepted_and_played(world: Setup) -> None:
    game_id, black = world.seek(None, "ann", BOARD)
    assert world.lobby.games() == [f"{game_id} open yodd hex2 ann - 0 clock=none"]
    with pytest.raises(PeerError, match="the game has not begun"):
        world.lobby.play(black, Put("1a1"))
    world.games.start_gate.close("maintenance")
    with pytest.raises(PeerError, match="maintenance"):
        world.lobby.accept(Origin(), game_id, "bob")
    world.games.start_gate.open()
    white = world.accept(None, game_id, "bob")
    with pytest.raises(PeerError, match="the game has begun"):
        world.lobby.withdraw(black)
    with pytest.raises(PeerError, match="is not open"):
        world.lobby.accept(Origin(), game_id, "cid")
    world.lobby.check_watchable(game_id)
    with pytest.raises(PeerError, match="no game 't9'"):
        world.lobby.check_watchable("t9")
    assert world.put(black, "1a1") == ""
    with pytest.raises(PeerError, match="turn 2 is next"):
        world.lobby.play(white, Put("pass", 1))
    assert world.put(white, "pass") == ""
    assert world.put(black, "pass") == ""
    assert world.lobby.games() == [f"{game_id} over yodd hex2 ann bob 3 clock=none winner=w"]
    with pytest.raises(PeerError, match="no game has this key"):
        world.lobby.play(white, Put("pass"))


def test_lobby_game_against_an_attached_engine_begins_by_itself(world: Setup) -> None:
    AnsweringEngine(world.clock, world.games.engines, "bot", ["pass"])
    game_id, key = world.seek(None, "ann", {**BOARD, "against": "bot"})
    assert world.put(key, "1a1") == ""
    with pytest.raises(PeerError, match="an engine takes no turn back"):
        take_back(world, key)
    assert world.put(key, "pass") == ""
    assert world.lobby.games() == [f"{game_id} over yodd hex2 ann bot 3 clock=none winner=w"]
    assert world.lobby.who() == ["bot engine"]
    assert world.games.engines.free_names == ["bot"]


def test_lobby_offer_to_a_busy_engine_can_be_withdrawn(world: Setup) -> None:
    AnsweringEngine(world.clock, world.games.engines, "bot").link.taken = True
    _, key = world.seek(None, "ann", {**BOARD, "against": "bot"})
    reply = world.lobby.play(key, Put("1a1"))
    assert isinstance(reply, DeferredReply)
    replies: list[object] = []
    reply.start(cast("Any", None), replies.append)
    assert world.lobby.withdraw(key) == ""
    assert [cast("PeerError", one).text for one in replies] == ["illegal move: the game is over"]
    assert world.lobby.games() == []


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        ({"board": "hex99"}, "hex99"),
        ({"clock": "soon"}, "soon"),
        ({"seat": "left"}, "seat 'left': expected b, w or any"),
        ({"against": "bot"}, "no engine 'bot' is attached"),
        ({"rated": "maybe"}, "rated 'maybe': expected yes or no"),
        ({"rated": "yes"}, "the server has no accounts"),
        ({"accept": "users"}, "no users here"),
        ({"accept": "friends"}, "expected users or anyone"),
    ],
)
def test_lobby_refuses_an_offer_with_invalid_settings(
    world: Setup, settings: dict[str, str], refusal: str
) -> None:
    with pytest.raises(PeerError, match=refusal):
        world.lobby.seek(Origin(), "ann", settings)


def test_rated_game_is_kept_rated_and_resumed_by_its_users(
    rated: Setup, journal: DirectJournal
) -> None:
    rated.log_in("ann")
    rated.log_in("bob")
    game_id, black = rated.seek("ann", "ann", RATED)
    assert game_id == "r1"
    white = rated.accept("bob", game_id, "BOB")
    assert rated.lobby.resume("ann", None) == "r1"
    fresh = rated.ask(rated.lobby.resume("ANN", "r1"))
    with pytest.raises(PeerError, match="no game has this key"):
        rated.lobby.play(black, Put("1a1"))
    assert rated.put(fresh, "1a1") == ""
    take_back(rated, fresh)
    assert take_back(rated, white, 0) == ""
    assert rated.put(fresh, "1b1") == ""
    (row,) = journal.store.read(games_in_play)
    assert [turn.token for turn in row.turns] == ["1b1"]
    assert rated.put(white, "resign") == ""
    assert rated.lobby.games() == ["r1 over yodd hex2 ann bob 1 clock=none rated=yes winner=b"]
    assert rated.lobby.resume("ann", None) == ""
    new_id, _ = rated.ask(rated.lobby.rematch(Origin("bob"), white, agrees=True)).split()
    assert new_id.startswith("r")
    again = rated.ask(rated.lobby.rematch(Origin("ann"), fresh, agrees=True)).split()
    assert again[0] == new_id


def test_rated_game_without_a_log_in_is_refused(rated: Setup) -> None:
    with pytest.raises(PeerError, match="log in for a rated game"):
        rated.lobby.seek(Origin(), "stranger", RATED)
    with pytest.raises(PeerError, match="log in first"):
        rated.lobby.resume(None, None)
    game_id, _ = rated.seek("ann", "ann", RATED)
    with pytest.raises(PeerError, match="log in for a rated game"):
        rated.lobby.accept(Origin(), game_id, "stranger")
    with pytest.raises(PeerError, match="no rated game against yourself"):
        rated.lobby.accept(Origin("ann"), game_id, "ann")
    with pytest.raises(PeerError, match="the default options of its game"):
        rated.lobby.seek(Origin("ann"), "ann", {**RATED, "own_colour": "on"})
    for rival, refusal in (
        ("stranger", "stranger has no account"),
        ("ann", "no rated game against yourself"),
    ):
        AnsweringEngine(rated.clock, rated.games.engines, rival)
        words = rated.seek("ann", "ann", {**RATED, "against": rival})
        assert " ".join(words) == f"not permitted: {refusal}"


def challenge(world: Setup) -> tuple[str, str, FakeConnection]:
    """A stranger's game against an open engine that has begun; the id, the key, the connection."""
    engine = AnsweringEngine(world.clock, world.games.engines, "bot", ["pass"])
    engine.link.attachment = Attachment("bot", Origin(place="10.0.0.1/32"), is_open=True)
    stranger = Origin(place="10.0.0.2/32")
    offered = world.ask(world.lobby.seek(stranger, "eve", {**BOARD, "against": "bot"}))
    connection = FakeConnection()
    game_id, key = offered.split()
    world.lobby.hold(key, connection)
    return game_id, key, connection


def test_challenger_who_leaves_loses_after_the_grace_and_the_idle_time(world: Setup) -> None:
    game_id, _, connection = challenge(world)
    connection.lose()
    world.clock.advance(GRACE)
    assert world.lobby.games()[0].startswith(f"{game_id} playing")
    world.clock.advance(world.games.challenge_idle)
    assert world.lobby.games()[0].startswith(f"{game_id} over")
    assert world.games.engines.free_names in ([], ["bot"])


def watching(world: Setup, game_id: str, key: str = "") -> list[str]:
    """The lines of a connection that observes from now on, without the start."""
    lines: list[str] = []
    args = (game_id, key) if key else (game_id,)
    world.lobby.observe(args, lines.append, lambda _error: None)
    settle(world.clock)
    return lines


def playing(world: Setup, **settings: str) -> tuple[str, str, str]:
    """The id and the keys of a game of gil, who begins, and hal, who have no accounts."""
    game_id, black = world.seek(None, "gil", {**BOARD, **settings})
    return game_id, black, world.accept(None, game_id, "hal")


def take_back(world: Setup, key: str, length: int | None = None, *, agrees: bool = True) -> str:
    return world.ask(world.lobby.play(key, TakeBack(agrees, length)))


def rematch(world: Setup, key: str, *, agrees: bool = True) -> list[str]:
    return world.ask(world.lobby.rematch(Origin(None), key, agrees=agrees)).split()


def test_observe_of_a_running_turn_tells_how_long_it_has_taken(world: Setup) -> None:
    game_id, black, _ = playing(world, clock="60+1")
    world.clock.advance(12.5)
    assert watching(world, game_id)[-1] == "clock b 12.500"
    world.put(black, "1a1")
    world.clock.advance(2.0)
    assert watching(world, game_id)[-2:] == ["turn b 1a1 12.500", "clock w 2.000"]


def finished(world: Setup) -> tuple[str, str, str]:
    """A game that gil, Black, has resigned."""
    game_id, black, white = playing(world, clock="60+1")
    world.put(black, "resign")
    return game_id, black, white


def test_rematch_that_both_want_has_the_seats_exchanged(world: Setup) -> None:
    game_id, black, white = finished(world)
    lines, spectator = watching(world, game_id, white), watching(world, game_id, "-")
    new_id, gil = rematch(world, black)
    assert lines[-1] == f"request b rematch {new_id}"
    assert world.lobby.games()[0] == f"{new_id} open yodd hex2 hal gil 0 clock=60+1 for=hal"
    with pytest.raises(PeerError, match="offered to hal"):
        world.accept(None, new_id, "hal")
    same_id, hal = rematch(world, white)
    assert same_id == new_id
    assert spectator[-1] == f"rematch {new_id}"
    assert " ".join(rematch(world, black)) == "illegal move: the rematch has begun"
    assert len(world.lobby.games()) == 2
    assert world.put(hal, "1a1") == world.put(gil, "pass") == ""


def test_rematch_declined_is_withdrawn(world: Setup) -> None:
    game_id, black, white = finished(world)
    lines = watching(world, game_id, black)
    rematch(world, black)
    rematch(world, white, agrees=False)
    assert lines[-1] == "refuse w rematch"
    assert len(world.lobby.games()) == 1
    with pytest.raises(PeerError, match="no request"):
        rematch(world, white, agrees=False)
    assert rematch(world, white)[0] != game_id


def test_rematch_is_for_participants_of_a_game_lately_over(world: Setup) -> None:
    _, black, _ = playing(world)
    for key in (black, "nonsense"):
        with pytest.raises(PeerError, match="no game with this key is over"):
            rematch(world, key)
    world.put(black, "resign")
    world.clock.advance(LINGER)
    with pytest.raises(PeerError, match="no game with this key is over"):
        rematch(world, black)


def test_offer_to_users_is_accepted_by_users_alone(rated: Setup) -> None:
    game_id, _ = rated.seek(None, "eve", {**BOARD, "accept": "users"})
    assert rated.lobby.games() == [f"{game_id} open yodd hex2 eve - 0 clock=none accept=users"]
    with pytest.raises(PeerError, match="log in"):
        rated.accept(None, game_id, "bob")
    rated.log_in("bob")
    assert " " not in rated.accept("bob", game_id, "bob")
