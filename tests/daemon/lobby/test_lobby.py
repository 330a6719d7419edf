"""Offers, acceptances and keys of the lobby in fake time, with and without accounts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, settle
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.memory import MemoryDaemon, Talk
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
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.protocol.replies import DeferredReply
from yoddd.referee.game.engine_range import EngineRange
from yoddd.store.values import GameRow

BOARD = {"board": "hex2", "seat": "b"}


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


def test_lobby_game_against_an_attached_engine_begins_by_itself(world: Setup) -> None:
    AnsweringEngine(world.clock, world.games.engines, "bot", ["pass"])
    game_id, key = world.seek(None, "ann", {**BOARD, "against": "bot"})
    assert world.put(key, "1a1") == ""
    with pytest.raises(PeerError, match="an engine takes no turn back"):
        take_back(world, key)
    assert world.put(key, "pass") == ""
    assert world.lobby.games() == [f"{game_id} over yodd hex2 ann bot 3 clock=none winner=w"]
    assert world.lobby.who(TRUSTED, {}) == ["bot engine"]
    assert world.games.engines.is_free("bot")


def test_lobby_refuses_what_an_engine_does_not_play_with_its_range(world: Setup) -> None:
    words = ["games=yodd", "boards=hex2..hex3", "clock=10+0..1800+30"]
    plays = EngineRange.read(dict(word.split("=") for word in words))
    AnsweringEngine(world.clock, world.games.engines, "bot", plays=plays)
    AnsweringEngine(world.clock, world.games.engines, "all")
    line = " ".join(["bot engine", *words])
    assert world.lobby.who(TRUSTED, {}) == ["all engine", line]
    assert world.lobby.who(TRUSTED, {"board": "hex3", "clock": "60"}) == ["all engine", line]
    for other in ({"game": "odd"}, {"board": "hex4"}, {"clock": "none"}, {"clock": "5"}):
        settings = {"board": "hex2", "clock": "60", **other}
        assert world.lobby.who(TRUSTED, settings) == ["all engine"]
        with pytest.raises(PeerError, match=re.escape(f"bot plays only {' '.join(words)}")):
            world.lobby.seek(Origin(), "ann", {**settings, "against": "bot"})
    game_id, _ = world.seek(None, "ann", {**BOARD, "clock": "60", "against": "bot"})
    assert f"{game_id} playing" in world.lobby.games()[0]


def test_lobby_engine_that_comes_back_begins_no_game_outside_its_range(world: Setup) -> None:
    bot = AnsweringEngine(world.clock, world.games.engines, "bot")
    first, _ = world.seek(None, "ann", {**BOARD, "against": "bot"})
    second, _ = world.seek(None, "bob", {**BOARD, "against": "bot"})
    bot.disconnect()
    settle(world.clock)
    AnsweringEngine(
        world.clock, world.games.engines, "bot", plays=EngineRange.read({"boards": "hex4"})
    )
    settle(world.clock)
    listed = world.lobby.games([first, second])
    assert [line.split()[1] for line in listed] == ["playing", "open"]


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


def attach_both(world: Setup, **more: Any) -> tuple[AnsweringEngine, AnsweringEngine]:
    """Two engines: the first one plays stones, and the second one passes."""
    engines = world.games.engines
    mine = AnsweringEngine(world.clock, engines, "mine", ["1a1", "pass", "pass"], **more)
    return mine, AnsweringEngine(world.clock, engines, "theirs", ["pass"] * 3)


ENGINES = {**BOARD, "as": "engine", "against": "theirs"}


def test_game_of_two_engines_begins_by_itself_and_has_no_key(rated: Setup) -> None:
    attach_both(rated)
    (game_id,) = rated.seek("ann", "MINE", ENGINES)
    assert watching(rated, game_id)[1] == f"game {game_id} mine theirs none"
    assert rated.lobby.games() == [f"{game_id} over yodd hex2 mine theirs 3 clock=none winner=w"]
    assert all(map(rated.games.engines.is_free, ("mine", "theirs")))


def test_game_of_two_engines_goes_on_after_a_restart(rated: Setup) -> None:
    mine, _ = attach_both(rated)
    mine.link.taken = True
    rated.seek("ann", "mine", {**ENGINES, "clock": "days=1"})
    (row,) = rated.ask_ledger()
    restarted = Setup(rated.journal)
    attach_both(restarted)
    restarted.lobby.restore([row])
    settle(restarted.clock)
    assert " over yodd hex2 mine theirs 3 clock=days=1 " in restarted.lobby.games()[0]


def test_game_of_two_engines_waits_for_them_for_five_minutes(world: Setup) -> None:
    mine, _ = attach_both(world)
    mine.link.taken = True
    (game_id,) = world.seek(None, "mine", ENGINES)
    assert world.lobby.games() == [f"{game_id} open yodd hex2 mine theirs 0 clock=none"]
    world.clock.advance(300)
    assert world.lobby.games() == []


@pytest.mark.parametrize(
    ("name", "settings", "refusal"),
    [
        ("mine", {"against": "mine"}, "mine does not play against itself"),
        ("eve", {}, "no engine 'eve' is attached"),
        ("mine", {"against": "eve"}, "no engine 'eve' is attached"),
        ("mine", {"board": "hex9"}, "mine plays only boards=hex2"),
        ("mine", {"as": "it"}, "as 'it': expected engine or human"),
        ("mine", {"invite": "60"}, "leave out against"),
    ],
)
def test_game_of_two_engines_that_do_not_play_it_is_refused(
    world: Setup, name: str, settings: dict[str, str], refusal: str
) -> None:
    attach_both(world, plays=EngineRange.read({"boards": "hex2"}))
    with pytest.raises(PeerError, match=refusal):
        world.seek(None, name, {**ENGINES, **settings})


def test_game_of_an_engine_against_a_human_or_a_rated_one_is_refused(rated: Setup) -> None:
    attach_both(rated)
    rated.log_in("bob")
    for settings in ({"against": "bob"}, {"rated": "yes"}):
        with pytest.raises(PeerError, match="expected against=ENGINE and no rated=yes"):
            rated.seek("ann", "mine", {**ENGINES, **settings})


def test_games_of_two_engines_count_as_those_of_their_client(world: Setup) -> None:
    mine, theirs = attach_both(world)
    owner, eve = (Origin(place=f"10.0.0.{last}/32") for last in (1, 2))
    mine.link.attachment = Attachment("mine", owner, is_open=True)
    theirs.link.attachment = Attachment("theirs", owner)
    mine.link.taken = True
    assert world.lobby.who(eve, {"board": "hex2"}) == ["mine engine"]
    assert world.lobby.who(owner, {"board": "hex2"}) == ["mine engine", "theirs engine"]
    with pytest.raises(PeerError, match="theirs is another peer's and not open=yes"):
        world.lobby.seek(eve, "mine", ENGINES)
    theirs.link.attachment = Attachment("theirs", owner, is_open=True)
    world.games.settings.value = attrs.evolve(
        world.games.settings.value, limits=Limits(own_games=1, challenges=1)
    )
    world.ask(world.lobby.seek(eve, "mine", ENGINES))
    with pytest.raises(PeerError, match="1 games of yours are offered or played already"):
        world.lobby.seek(eve, "mine", ENGINES)
    world.clock.advance(300)
    with pytest.raises(PeerError, match="at most 1 games against engines of others"):
        world.lobby.seek(eve, "mine", ENGINES)
    world.ask(world.lobby.seek(owner, "mine", ENGINES))


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


# -- over the wire ------------------------------------------------------------------------------


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    return Talk(daemons({"limits.error_delay": 0}))


@pytest.fixture
def talk_of_users(daemons: Callable[..., MemoryDaemon]) -> Talk:
    """A dialogue in which Ann and Bob have logged in to their accounts."""
    talk = Talk(daemons({"limits.error_delay": 0, "store": "games.db"}))
    talk("ann: login ann token-of-ann", "=", "bob: login bob token-of-bob", "=")
    return talk


def test_lobby_game_is_offered_accepted_and_played(talk: Talk) -> None:
    talk(
        "ann: seek ann board=hex2 seat=b",
        "= t1 $black",
        "ann: games",
        "= t1 open yodd hex2 ann - 0 clock=none",
        "ann: put $black 1a1",
        "? illegal move: the game has not begun",
        "bob: accept t1 bob",
        "= $white",
        "ann: withdraw $black",
        "? illegal move: the game has begun",
        "cid: accept t1 cid",
        "? illegal move: t1 is not open",
        "cid: observe t9",
        "? syntax error: no game 't9'",
        "ann: put $black 1a1",
        "=",
        "bob: put $white pass 1",
        "? illegal move: turn 2 is next",
        "bob: put $white pass",
        "=",
        "ann: put $black pass",
        "=",
        "ann: games",
        "= t1 over yodd hex2 ann bob 3 clock=none winner=w",
        "bob: put $white pass",
        "? syntax error: no game has this key",
    )


def test_lobby_refuses_an_offer_with_invalid_settings(talk: Talk) -> None:
    talk(
        "ann: seek ann board=hex99",
        "? *hex99*",
        "ann: seek ann clock=soon",
        "? *soon*",
        "ann: seek ann seat=left",
        "? *seat 'left': expected b, w or any",
        "ann: seek ann against=bot",
        "? *no engine 'bot' is attached",
        "ann: seek ann rated=maybe",
        "? *rated 'maybe': expected yes or no",
        "ann: seek ann rated=yes",
        "? *the server has no accounts*",
        "ann: seek ann accept=users",
        "? *no users here*",
        "ann: seek ann accept=friends",
        "? *expected users or anyone*",
    )


def test_rated_game_without_a_log_in_is_refused(talk_of_users: Talk) -> None:
    talk_of_users(
        "one: attach stranger open=yes",
        "",
        "two: attach ann token=token-of-ann",
        "",
        "eve: seek eve board=hex2 rated=yes",
        "? *log in for a rated game",
        "eve: resume",
        "? *log in first",
        "ann: seek ann board=hex2 rated=yes",
        "= $game *",
        "eve: accept $game eve",
        "? *log in for a rated game",
        "ann: accept $game ann",
        "? *no rated game against yourself",
        "ann: seek ann board=hex2 rated=yes own_colour=on",
        "? *the default options of its game*",
        "ann: seek ann board=hex2 rated=yes against=stranger",
        "? not permitted: stranger has no account",
        "ann: seek ann board=hex2 rated=yes against=ann",
        "? *no rated game against yourself",
    )


def test_observe_of_a_running_turn_tells_how_long_it_has_taken(talk: Talk) -> None:
    begin(talk)
    talk.daemon.clock.advance(12.5)
    talk("eve: observe t1", "= *\nclock b 12.500", "gil: put $black 1a1", "=")
    talk.daemon.clock.advance(2.0)
    talk("fay: observe t1", "= *\nturn b 1a1 12.500\nclock w 2.000")


def begin(talk: Talk) -> None:
    """A game of Gil, who begins, and Hal."""
    talk(
        "gil: seek gil board=hex2 seat=b clock=60+1",
        "= t1 $black",
        "hal: accept t1 hal",
        "= $white",
    )


def test_rematch_declined_is_withdrawn(talk: Talk) -> None:
    begin(talk)
    talk(
        "gil: put $black resign",
        "=",
        "gils page: observe t1 $black",
        "= *",
        "gil: rematch $black",
        "= t2 *",
        "hal: rematch $white no",
        "=",
        "gils page:",
        "request b rematch t2\nrefuse w rematch",
        "gil: games",
        "= t1 over *",
        "hal: rematch $white no",
        "? *no request to answer",
        "hal: rematch $white",
        "= t3 *",
    )


def test_rematch_is_for_participants_of_a_game_lately_over(talk: Talk) -> None:
    begin(talk)
    refused = "? *no game with this key is over"
    talk(
        "gil: rematch $black",
        refused,
        "gil: rematch nonsense",
        refused,
        "gil: put $black resign",
        "=",
    )
    talk.daemon.clock.advance(LINGER)
    talk("gil: rematch $black", refused)


def test_offer_to_users_is_accepted_by_users_alone(talk_of_users: Talk) -> None:
    talk_of_users(
        "eve: seek eve board=hex2 seat=b accept=users",
        "= $game *",
        "eve: games",
        "= $game open yodd hex2 eve - 0 clock=none accept=users",
        "cid: accept $game cid",
        "? *log in*",
        "bob: accept $game bob",
        "= $key",
    )
