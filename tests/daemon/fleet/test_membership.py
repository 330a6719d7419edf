"""The lease and the directories of one node in fake time, with a store that follows a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.fleet.fakes import (
    OTHER,
    OWN,
    UNAVAILABLE,
    FakeChannel,
    FakeEngineTransport,
    FakeGames,
    FakeJournal,
    FakeLedger,
    Network,
    make_node,
)
from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.fleet.directory import Directory, NodeDirectory
from yoddd.daemon.fleet.membership import (
    PUBLISH_INTERVAL,
    REFRESH_PATIENCE,
    RENEWALS,
    Membership,
)
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import LiveGame
from yoddd.protocol.origin import TRUSTED
from yoddd.rules import make_rules
from yoddd.store.fleet import Beat
from yoddd.store.values import GameRow, NewGame, State

LEASE = 8.0
ADDRESS = "tcp:host=127.0.0.1:port=3"
BOB = Directory({"bob": 2.0}, games={"r9": ("r9 playing …", ["bob"])})


def game(number: int) -> GameRow:
    settled = NewGame("yodd", "hex2", "60", "ann", "bob", "2026-11-22T00:00:00Z")
    return GameRow(number, settled, State.PLAYING)


@attrs.define
class Node:
    """A node whose store, ledger and lobby are fakes."""

    reactor: MemoryReactorClock = attrs.Factory(MemoryReactorClock)
    journal: FakeJournal = attrs.Factory(FakeJournal)
    lobby: FakeGames = attrs.Factory(FakeGames)
    ledger: FakeLedger = attrs.field(init=False)
    games: GameServices = attrs.field(init=False)
    membership: Membership = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.ledger = FakeLedger(self.journal)
        self.games = GameServices(cast("Reactor", self.reactor))
        self.membership = Membership(
            self.games,
            cast("Any", self.ledger),
            cast("Any", self.lobby),
            NodeDirectory(),
            lease=LEASE,
            matches=lambda: ["m1 …"],
        )

    def join(self) -> None:
        Deferred.fromCoroutine(self.membership.join(ADDRESS))

    def leave(self) -> None:
        Deferred.fromCoroutine(self.membership.leave())

    def renew(self) -> None:
        self.reactor.advance(LEASE / RENEWALS)

    def find_owner(self, game_id: str) -> int | None:
        found: list[int | None] = []
        Deferred.fromCoroutine(self.membership.find_owner(game_id)).addCallback(found.append)
        return found[0]

    def notified(self) -> None:
        for reader in self.reactor.getReaders():
            reader.doRead()


@pytest.fixture
def node() -> Node:
    return Node()


@pytest.fixture
def listening(node: Node) -> Iterator[FakeChannel]:
    """Let the node have a channel on which another one notifies it."""
    channel = FakeChannel(OTHER)
    node.journal.channels = [channel]
    yield channel
    channel.close()


# -- joining and leaving --------------------------------------------------------------------------


def test_join_takes_the_number_of_the_store(node: Node) -> None:
    assert node.membership.number == 0
    node.join()
    assert (node.membership.number, node.ledger.owner) == (OWN, OWN)
    assert node.journal.joined == [None]


def test_leave_ends_the_lease_and_every_timer(node: Node) -> None:
    node.join()
    node.leave()
    assert node.journal.left == [OWN]
    assert node.reactor.getDelayedCalls() == []


def test_leave_before_join_leaves_nothing(node: Node) -> None:
    node.leave()
    assert node.journal.left == []


def test_leave_store_unavailable_ends_every_timer(node: Node) -> None:
    node.join()
    node.journal.leaves = [UNAVAILABLE]
    node.leave()
    assert node.reactor.getDelayedCalls() == []


def test_leave_result_of_a_renewal_is_ignored(node: Node) -> None:
    node.join()
    node.renew()
    late: Deferred[Beat] = Deferred()
    node.journal.beats = [late]
    node.renew()
    node.leave()
    late.callback(Beat((make_node(OWN), make_node(OTHER, BOB)), {7: 2}))
    assert not node.membership.directory.others
    assert node.lobby.restored == []


# -- the lease ------------------------------------------------------------------------------------


def test_renewal_games_taken_over_are_restored_once(node: Node) -> None:
    node.journal.beats.insert(0, Beat((make_node(OWN),), {7: 2}))
    node.journal.owned = [({7: 2}, [game(7)])]
    node.join()
    assert (node.lobby.restored, node.ledger.fences) == ([7], {7: 2})
    node.renew()
    assert node.lobby.restored == [7]
    assert node.journal.owned_reads == 1


def test_renewal_store_unavailable_after_a_takeover_restores_later(node: Node) -> None:
    node.journal.beats.insert(0, Beat((make_node(OWN),), {7: 2}))
    node.journal.owned = [UNAVAILABLE, ({7: 2}, [game(7)])]
    node.join()
    assert node.lobby.restored == []
    node.renew()
    assert (node.lobby.restored, node.ledger.fences) == ([7], {7: 2})


def test_renewal_lost_result_of_a_takeover_restores_later(node: Node) -> None:
    node.ledger.fences = {5: 1}
    node.journal.beats[:0] = [Beat((make_node(OWN),), {}), UNAVAILABLE]
    node.journal.owned = [({5: 1, 7: 2}, [game(5), game(7)])]
    node.join()
    node.reactor.advance(PUBLISH_INTERVAL)
    assert node.lobby.restored == []
    node.reactor.advance(PUBLISH_INTERVAL)
    assert node.lobby.restored == [7], "the fifth is played here already"


def test_renewal_lost_result_without_a_takeover_restores_nothing(node: Node) -> None:
    node.journal.beats[:0] = [Beat((make_node(OWN),), {}), UNAVAILABLE]
    node.join()
    node.renew()
    assert (node.lobby.restored, node.ledger.fences) == ([], {})


def test_renewal_lease_expired_joins_again_without_games(node: Node) -> None:
    node.join()
    transport = FakeEngineTransport()
    for name in ("bot", "box"):
        node.games.engines.add(AttachedEngine(Attachment(name), transport))
    node.games.engines.wait("box")
    node.journal.beats.insert(0, None)
    node.renew()
    assert (node.lobby.losses, node.journal.joined) == (1, [None, OWN])
    assert transport.released == ["bot"], "the box plays a game"
    node.renew()
    assert node.lobby.losses == 1


def test_renewal_unexpected_error_does_not_end_the_renewals(
    node: Node, logged_errors: LoggedErrors
) -> None:
    node.join()
    count = len(node.journal.published)
    node.journal.beats.insert(0, RuntimeError("unexpected"))
    node.renew()
    node.renew()
    assert node.journal.published[count:].count(None) == 2
    assert len(logged_errors.flush(RuntimeError)) == 1


# -- the other directories ------------------------------------------------------------------------


def test_renewal_mirrors_directories_and_reports_their_users(node: Node) -> None:
    node.journal.beats = [Beat((make_node(OWN), make_node(OTHER, BOB)), {})]
    node.join()
    assert node.membership.directory.others == {OTHER: Directory.load(BOB.dump())}
    assert node.ledger.users.elsewhere == [{"bob": 2.0}]


def test_renewal_expired_node_loses_its_links(node: Node) -> None:
    node.journal.beats = [Beat((make_node(OWN), make_node(OTHER)), {}), Beat((make_node(OWN),), {})]
    node.join()
    network = Network(node.reactor)
    asked = Deferred.fromCoroutine(node.membership.links.ask(OTHER, TRUSTED, "put 4.key 1a1"))
    network.accept()
    failures: list[object] = []
    asked.addErrback(failures.append)
    node.renew()
    assert len(failures) == 1


def test_find_owner_published_game_is_not_read_from_the_store(node: Node) -> None:
    node.journal.beats = [Beat((make_node(OWN), make_node(OTHER, BOB)), {})]
    node.join()
    assert (node.find_owner("r9"), node.journal.reads) == (OTHER, 0)


def test_find_owner_unknown_game_is_looked_up_in_the_store(node: Node) -> None:
    node.join()
    node.journal.alive = [(make_node(OWN), make_node(OTHER, BOB))]
    assert (node.find_owner("r9"), node.journal.reads) == (OTHER, 1)
    assert (node.find_owner("r8"), node.journal.reads) == (None, 2)


@pytest.mark.usefixtures("listening")
def test_notification_of_another_node_reads_the_directories(node: Node) -> None:
    node.join()
    node.journal.alive = [(make_node(OWN), make_node(OTHER, BOB))]
    node.notified()
    assert list(node.membership.directory.others) == [OTHER]


def test_notification_of_this_node_reads_nothing(node: Node, listening: FakeChannel) -> None:
    node.join()
    listening.numbers = [OWN]
    node.notified()
    assert node.journal.reads == 0


@pytest.mark.usefixtures("listening")
def test_notifications_during_a_read_are_followed_by_one_read(node: Node) -> None:
    node.join()
    slow: Deferred[Any] = Deferred()
    node.journal.alive = [slow, (make_node(OWN), make_node(OTHER, BOB))]
    for _ in range(3):
        node.notified()
    assert node.journal.reads == 1
    slow.callback((make_node(OWN),))
    assert node.journal.reads == 2
    assert list(node.membership.directory.others) == [OTHER]


@pytest.mark.usefixtures("listening")
def test_notification_store_unavailable_the_next_one_reads_again(node: Node) -> None:
    node.join()
    node.journal.alive = [UNAVAILABLE, (make_node(OWN), make_node(OTHER, BOB))]
    node.notified()
    assert not node.membership.directory.others
    node.notified()
    assert list(node.membership.directory.others) == [OTHER]


def test_notification_unexpected_error_the_next_one_reads_again(
    node: Node, listening: FakeChannel, logged_errors: LoggedErrors
) -> None:
    node.join()
    node.journal.alive = [RuntimeError("unexpected"), (make_node(OWN),)]
    listening.numbers = [OTHER, OTHER]
    node.notified()
    assert node.journal.reads == 2
    assert len(logged_errors.flush(RuntimeError)) == 1


def test_refresh_during_a_read_waits_for_the_next_one(node: Node) -> None:
    node.join()
    slow: Deferred[Any] = Deferred()
    node.journal.alive = [slow, (make_node(OWN), make_node(OTHER, BOB))]
    first, *others = [node.membership.refresh() for _ in range(3)]
    assert node.journal.reads == 1
    slow.callback((make_node(OWN),))
    assert node.journal.reads == 2
    assert first.called
    assert all(other.called for other in others)
    assert list(node.membership.directory.others) == [OTHER]


def test_refresh_store_unavailable_or_slow_ends_all_the_same(node: Node) -> None:
    node.join()
    node.journal.alive = [UNAVAILABLE, Deferred()]
    assert node.membership.refresh().called
    slow = node.membership.refresh()
    assert not slow.called
    node.reactor.advance(REFRESH_PATIENCE)
    assert slow.called


def test_refresh_after_leave_reads_nothing(node: Node) -> None:
    node.join()
    node.leave()
    assert node.membership.refresh().called
    assert node.journal.reads == 0


# -- the own directory ----------------------------------------------------------------------------


def test_own_directory_has_users_engines_games_and_matches(node: Node) -> None:
    node.ledger.users.logged_in["ann"] = 1.5
    node.games.engines.add(AttachedEngine(Attachment("box"), FakeEngineTransport()))
    rules = make_rules("yodd", "hex2")
    rated = node.games.live.add(LiveGame("r1", rules, "60", ("ann", "bob")))
    node.games.live.add(LiveGame("t1", rules, "none", ("cid", None)))
    node.lobby.kept.append(attrs.make_class("Game", ["live", "users"])(rated, ["ann", "bob"]))
    found = node.membership.own_directory()
    assert (found.users, found.engines, found.matches) == ({"ann": 1.5}, ["box"], ["m1 …"])
    assert found.games == {
        "t1": ("t1 open yodd hex2 cid - 0 clock=none", []),
        "r1": ("r1 open yodd hex2 ann bob 0 clock=60", ["ann", "bob"]),
    }


def test_publish_unchanged_directory_is_written_once(node: Node) -> None:
    node.join()
    node.journal.published.clear()
    for _ in range(3):
        node.reactor.advance(PUBLISH_INTERVAL)
    assert node.journal.published == [node.membership.own_directory().dump()]


def test_publish_changed_directory_is_written_again(node: Node) -> None:
    node.join()
    node.reactor.advance(PUBLISH_INTERVAL)
    node.journal.published.clear()
    node.ledger.users.logged_in["ann"] = 1.5
    node.reactor.advance(PUBLISH_INTERVAL)
    assert node.journal.published == [node.membership.own_directory().dump()]


def test_publish_store_unavailable_is_tried_again(node: Node) -> None:
    node.join()
    node.journal.published.clear()
    node.journal.beats.insert(0, UNAVAILABLE)
    for _ in range(3):
        node.reactor.advance(PUBLISH_INTERVAL)
    assert node.journal.published == [node.membership.own_directory().dump()] * 2


def test_publish_before_join_writes_nothing(node: Node) -> None:
    Deferred.fromCoroutine(node.membership.publish())
    assert node.journal.published == []
