"""The lobby of a node: what is answered here, and what is relayed to which node."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.fleet.fakes import OTHER, OWN, FakeEngineTransport, make_node
from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.ports import Say, Stream
from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.fleet.directory import Directory, NodeDirectory
from yoddd.daemon.fleet.lobby import FleetLobby
from yoddd.daemon.fleet.node_links import RelayedStream
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply

REMOTE = Directory(
    engines=["box"],
    games={"r9": ("r9 playing …", ["ann", "bob"]), "t40": ("t40 open …", [])},
)


@attrs.define
class FakeLinks:
    """Records the requests to other nodes, and gives one reply to all of them."""

    reply: str | Exception = "reply"
    asked: list[tuple[int, Origin, str]] = attrs.Factory(list)
    until: Deferred[None] | None = None

    async def ask(self, number: int, user: Origin, request: str) -> str:
        self.asked.append((number, user, request))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    async def stream(
        self, number: int, user: Origin, request: str, say: Say, _relayed: RelayedStream
    ) -> None:
        say(await self.ask(number, user, request))
        if self.until is not None:
            await self.until


@attrs.define
class FakeMembership:
    """The membership of a node; `unpublished` are games that only the store has."""

    directory: NodeDirectory
    number: int = OWN
    links: FakeLinks = attrs.Factory(FakeLinks)
    unpublished: dict[str, int] = attrs.Factory(dict)
    refreshed: int = 0

    def refresh(self) -> Deferred[None]:
        self.refreshed += 1
        return succeed(None)

    async def find_owner(self, game_id: str) -> int | None:
        return self.directory.find_owner(game_id) or self.unpublished.get(game_id)


@attrs.define
class Node:
    """A node whose lobby is real; another node, which may be the oldest, has `REMOTE`."""

    games: GameServices = attrs.Factory(lambda: GameServices(cast("Reactor", MemoryReactorClock())))
    local: DaemonLobby = attrs.field(init=False)
    membership: FakeMembership = attrs.Factory(lambda: FakeMembership(NodeDirectory()))
    lobby: FleetLobby = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.local = DaemonLobby(self.games, CurrentLimits())
        self.local.join(OWN)
        self.lobby = FleetLobby(self.games, self.local, cast("Any", self.membership))
        self.set_nodes(make_node(OWN), make_node(OTHER, REMOTE))

    def set_nodes(self, *oldest_first: Any) -> None:
        self.membership.directory.update(OWN, oldest_first)

    @property
    def asked(self) -> list[tuple[int, Origin, str]]:
        return self.membership.links.asked

    def offer(self) -> str:
        """Offer a game at this node; returns the key."""
        return str(self.local.seek(Origin(), "cid", {"board": "hex2", "seat": "b"})).split()[1]

    def attach(self, name: str) -> FakeEngineTransport:
        transport = FakeEngineTransport()
        self.games.engines.add(AttachedEngine(Attachment(name), transport))
        return transport


@attrs.define
class Spectator:
    """Receives a streaming reply."""

    said: list[str] = attrs.Factory(list)
    ended: list[str | None] = attrs.Factory(list)

    def observe(self, node: Node, game_id: str) -> Stream:
        return node.lobby.observe((game_id,), self.said.append, self.ended.append)


@pytest.fixture
def node() -> Node:
    return Node()


def answer(reply: LobbyReply) -> object:
    """The text of a relayed reply, or the error."""
    assert isinstance(reply, DeferredReply)
    found: list[object] = []
    reply.start(cast("Any", None), found.append)
    return found[0]


def test_games_lists_those_of_this_node_first(node: Node) -> None:
    node.offer()
    assert str(answer(node.lobby.games())).splitlines() == [
        "t1 open yodd hex2 cid - 0 clock=none",
        "r9 playing …",
        "t40 open …",
    ]
    assert node.membership.refreshed == 1


def test_attached_merges_the_engines_of_all_nodes(node: Node) -> None:
    node.attach("zed")
    node.attach("box")
    node.attach("axe")
    assert node.lobby.attached() == ["axe", "box", "zed"]


# -- offers ---------------------------------------------------------------------------------------


def test_seek_without_an_opponent_is_offered_here(node: Node) -> None:
    offered = str(node.lobby.seek(Origin(), "cid", {"board": "hex2"}))
    assert offered.startswith("t1 3.")
    assert node.asked == []


def test_seek_against_an_engine_of_another_node_is_relayed(node: Node) -> None:
    settings = {"against": "box", "board": "hex2"}
    assert answer(node.lobby.seek(Origin("ann"), "ann", settings)) == "reply"
    assert node.asked == [(OTHER, Origin("ann"), "seek ann against=box board=hex2")]


def test_seek_against_an_engine_of_both_nodes_is_played_here(node: Node) -> None:
    transport = node.attach("box")
    node.lobby.seek(Origin(), "cid", {"against": "box", "board": "hex2"})
    assert node.asked == []
    assert transport.sent.endswith(b"protocol_version\n")


def test_seek_against_an_unknown_engine_is_refused(node: Node) -> None:
    with pytest.raises(PeerError, match="no engine 'fox' is attached"):
        node.lobby.seek(Origin(), "cid", {"against": "fox"})


def test_seek_and_accept_start_gate_closed_are_not_relayed(node: Node) -> None:
    node.games.start_gate.close("not now")
    with pytest.raises(PeerError, match="not now"):
        node.lobby.seek(Origin("ann"), "ann", {"against": "box"})
    with pytest.raises(PeerError, match="not now"):
        node.lobby.accept(Origin("ann"), "t40", "ann")
    assert node.asked == []


def test_accept_offer_of_this_node_is_not_relayed(node: Node) -> None:
    node.offer()
    assert str(node.lobby.accept(Origin(), "t1", "dan")).startswith("3.")
    assert node.asked == []


def test_accept_offer_of_another_node_is_relayed(node: Node) -> None:
    assert answer(node.lobby.accept(Origin("ann"), "t40", "ann")) == "reply"
    assert node.asked == [(OTHER, Origin("ann"), "accept t40 ann")]


def test_accept_offer_that_only_the_store_has_is_relayed(node: Node) -> None:
    node.membership.unpublished["r10"] = OTHER
    assert answer(node.lobby.accept(Origin("ann"), "r10", "ann")) == "reply"


def test_accept_unknown_offer_is_refused(node: Node) -> None:
    error = answer(node.lobby.accept(Origin("ann"), "r99", "ann"))
    assert isinstance(error, PeerError)
    assert error.text == "syntax error: no game 'r99'"


# -- keys -----------------------------------------------------------------------------------------


def test_withdraw_key_of_this_node_withdraws_the_offer(node: Node) -> None:
    node.lobby.withdraw(node.offer())
    assert not node.games.live.has("t1")
    assert node.asked == []


def test_withdraw_key_of_another_node_is_relayed(node: Node) -> None:
    assert answer(node.lobby.withdraw("4.key")) == "reply"
    assert node.asked == [(OTHER, Origin(), "withdraw 4.key")]


def test_put_key_of_this_node_is_not_relayed(node: Node) -> None:
    with pytest.raises(PeerError, match="the game has not begun"):
        node.lobby.put(node.offer(), "1a1")
    assert node.asked == []


def test_put_key_of_another_node_is_relayed(node: Node) -> None:
    assert answer(node.lobby.put("4.key", "1a1")) == "reply"
    assert node.asked == [(OTHER, Origin(), "put 4.key 1a1")]


def test_agreements_with_a_key_of_another_node_are_relayed(node: Node) -> None:
    client = Origin("ann", "192.0.2.1")
    assert answer(node.lobby.take_back("4.key", agrees=False)) == "reply"
    assert answer(node.lobby.rematch(client, "4.key", agrees=True)) == "reply"
    assert node.asked == [
        (OTHER, Origin(), "takeback 4.key no"),
        (OTHER, client, "rematch 4.key yes"),
    ]


def test_agreements_with_a_key_of_this_node_are_made_here(node: Node) -> None:
    key = node.offer()
    with pytest.raises(PeerError, match="not begun"):
        node.lobby.take_back(key, agrees=True)
    with pytest.raises(PeerError, match="no game with this key is over"):
        node.lobby.rematch(Origin(), key, agrees=True)


@pytest.mark.parametrize("key", ["key", "x.key", ".key", "3.key"])
def test_put_unknown_key_is_refused_here(node: Node, key: str) -> None:
    with pytest.raises(PeerError, match="no game has this key"):
        node.lobby.put(key, "1a1")
    assert node.asked == []


def test_put_error_of_the_other_node_is_the_reply(node: Node) -> None:
    node.membership.links.reply = PeerError(Code.ILLEGAL, "white to move")
    assert answer(node.lobby.put("4.key", "1a1")) is node.membership.links.reply


# -- resuming -------------------------------------------------------------------------------------


def test_resume_without_an_id_lists_the_games_of_the_user(node: Node) -> None:
    assert node.lobby.resume("Ann", None) == "r9"
    assert node.lobby.resume("cid", None) == ""


def test_resume_game_of_another_node_is_relayed(node: Node) -> None:
    assert answer(node.lobby.resume("ann", "r9")) == "reply"
    assert node.asked == [(OTHER, Origin("ann"), "resume r9")]


def test_resume_game_of_this_node_is_not_relayed(node: Node) -> None:
    node.offer()
    with pytest.raises(PeerError, match="you play no game 't1'"):
        node.lobby.resume("ann", "t1")


@pytest.mark.parametrize("game_id", [None, "r9"])
def test_resume_without_a_log_in_is_refused(node: Node, game_id: str | None) -> None:
    with pytest.raises(PeerError, match="log in first"):
        node.lobby.resume(None, game_id)
    assert node.asked == []


# -- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", ["r1", "t40", "m1-cup"])
def test_check_watchable_accepts_any_id(node: Node, game_id: str) -> None:
    node.lobby.check_watchable(game_id)


@pytest.mark.parametrize("game_id", ["r", "t", "x7", "r1x"])
def test_check_watchable_refuses_what_is_no_id(node: Node, game_id: str) -> None:
    with pytest.raises(PeerError, match="no game"):
        node.lobby.check_watchable(game_id)


def test_observe_game_of_this_node_is_not_relayed(node: Node) -> None:
    node.offer()
    spectator = Spectator()
    spectator.observe(node, "t1")
    assert spectator.said[0].startswith("position ")
    assert node.asked == []


def test_observe_game_of_another_node_is_relayed_until_it_ends(node: Node) -> None:
    node.membership.links.until = Deferred()
    spectator = Spectator()
    spectator.observe(node, "r9")
    assert node.asked == [(OTHER, Origin(), "observe r9")]
    assert (spectator.said, spectator.ended) == (["reply"], [])
    node.membership.links.until.callback(None)
    assert spectator.ended == [None]


def test_observe_stopped_is_not_ended(node: Node) -> None:
    node.membership.links.until = Deferred()
    spectator = Spectator()
    spectator.observe(node, "r9").stop()
    node.membership.links.until.callback(None)
    assert spectator.ended == []


def test_observe_unknown_game_ends_with_an_error(node: Node) -> None:
    spectator = Spectator()
    spectator.observe(node, "r99")
    assert spectator.ended == ["syntax error: no game 'r99'"]


def test_observe_error_of_the_other_node_ends_with_it(node: Node) -> None:
    node.membership.links.reply = PeerError(Code.BUSY, "another process has taken over r9")
    spectator = Spectator()
    spectator.observe(node, "r9")
    assert spectator.ended == ["busy: another process has taken over r9"]


def test_observe_unexpected_error_ends_as_internal(node: Node, logged_errors: LoggedErrors) -> None:
    node.membership.links.reply = RuntimeError("unexpected")
    spectator = Spectator()
    spectator.observe(node, "r9")
    assert spectator.ended == ["internal error"]
    assert len(logged_errors.flush(RuntimeError)) == 1


def test_match_at_the_oldest_node_is_played_here(node: Node) -> None:
    played: list[tuple[str, ...]] = []

    def local(args: tuple[str, ...], _say: object, _end: object, _origin: Origin) -> Stream:
        played.append(args)
        return RelayedStream(lambda _: None)

    open_match = node.lobby.match_opener(local)
    open_match(("axe", "box"), print, print, Origin())
    assert (played, node.asked) == ([("axe", "box")], [])


def test_match_at_a_younger_node_is_relayed_to_the_oldest(node: Node) -> None:
    node.set_nodes(make_node(OTHER), make_node(OWN))
    spectator = Spectator()
    open_match = node.lobby.match_opener(cast("Any", None))
    far = Origin("ann", "10.0.0.7/32")
    open_match(("axe", "box"), spectator.said.append, spectator.ended.append, far)
    assert node.asked == [(OTHER, far, "match axe box")]
    assert (spectator.said, spectator.ended) == (["reply"], [None])
