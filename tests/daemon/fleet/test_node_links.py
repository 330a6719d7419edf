"""Node links and the services for those of other nodes, without a network."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from tests.daemon.fleet.fakes import OTHER, Network, make_node
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.services import Services
from yoddd.daemon.fleet.node_links import (
    NodeAccounts,
    NodeLink,
    NodeLinks,
    RelayedStream,
    node_services,
    parse_error,
    unreachable,
)
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Attach
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.store.fleet import Process

UNREACHABLE = unreachable(OTHER).text


def outcome(asked: Deferred[Any]) -> object:
    """The result, the error, or None if there is neither yet."""
    found: list[object] = []
    asked.addCallbacks(found.append, lambda failure: found.append(failure.value))
    return found[0] if found else None


def error_text(asked: Deferred[Any]) -> str:
    error = outcome(asked)
    assert isinstance(error, PeerError)
    return error.text


# -- one link -------------------------------------------------------------------------------------


@pytest.fixture
def link() -> NodeLink:
    link = NodeLink(7)
    link.makeConnection(StringTransport())
    return link


def test_link_reply_fires_with_its_text(link: NodeLink) -> None:
    asked = link.ask("resume r1")
    assert link.transport.value() == b"resume r1\n"  # type: ignore[attr-defined]  # a StringTransport
    link.dataReceived(b"= 3.key\n")
    assert not asked.called
    link.dataReceived(b"\n")
    assert outcome(asked) == "3.key"
    asked = link.ask("games")
    link.dataReceived(b"= t1-1 open\nt1-2 over\n\n")
    assert outcome(asked) == "t1-1 open\nt1-2 over"


def test_link_refusal_fails_with_the_same_error(link: NodeLink) -> None:
    asked = link.ask("put 3.key 1a1")
    link.dataReceived(b"? illegal move: white to move\n\n")
    error = outcome(asked)
    assert isinstance(error, PeerError)
    assert (error.code, error.detail) == (Code.ILLEGAL, "white to move")


def test_link_stream_gives_each_line_as_it_arrives(link: NodeLink) -> None:
    said: list[str] = []
    asked = link.ask("observe r1", said.append)
    link.dataReceived(b"= \nposition x\nturn b 1a1 0.5\n")
    assert said == ["position x", "turn b 1a1 0.5"]
    link.dataReceived(b"\n")
    assert outcome(asked) == ""


def test_link_stream_that_ends_with_an_error_fails(link: NodeLink) -> None:
    said: list[str] = []
    asked = link.ask("observe r1", said.append)
    link.dataReceived(b"= \nposition x\nerror busy: another process has taken over r1\n\n")
    assert error_text(asked) == "busy: another process has taken over r1"
    assert said == ["position x"]


def test_link_stream_refused_fails(link: NodeLink) -> None:
    said: list[str] = []
    asked = link.ask("observe r2", said.append)
    link.dataReceived(b"? syntax error: no game 'r2'\n\n")
    assert error_text(asked) == "syntax error: no game 'r2'"
    assert said == []


def test_link_lost_fails_the_request(link: NodeLink) -> None:
    lost: list[bool] = []
    link.on_loss = lambda: lost.append(link.is_open)
    asked = link.ask("put 3.key 1a1")
    link.connectionLost()
    assert error_text(asked) == unreachable(7).text
    assert lost == [False]


def test_link_reply_without_a_request_is_ignored(link: NodeLink) -> None:
    link.dataReceived(b"= late\n\n")
    link.connectionLost()
    assert not link.is_open


@pytest.mark.parametrize(
    ("text", "code", "detail"),
    [
        ("busy: process 3 is gone", Code.BUSY, "process 3 is gone"),
        ("internal error", Code.INTERNAL, ""),
        ("not permitted: log in first", Code.DENIED, "log in first"),
        ("a code of a newer version", Code.INTERNAL, ""),
    ],
)
def test_parse_error_keeps_known_codes(text: str, code: Code, detail: str) -> None:
    error = parse_error(text)
    assert (error.code, error.detail) == (code, detail)


# -- all links ------------------------------------------------------------------------------------


@attrs.define
class Fleet:
    """One other node, which may expire."""

    network: Network = attrs.Factory(Network)
    node: Process | None = attrs.Factory(lambda: make_node(OTHER))
    links: NodeLinks = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.links = NodeLinks(cast("Reactor", self.network.reactor), lambda _: self.node)

    def ask(self, request: str, user: str | None = "ann") -> Deferred[str]:
        return Deferred.fromCoroutine(self.links.ask(OTHER, Origin(user), request))

    def stream(self, relayed: RelayedStream, said: list[str]) -> Deferred[None]:
        work: Coroutine[Deferred[Any], Any, None] = self.links.stream(
            OTHER, TRUSTED, "observe r1", said.append, relayed
        )
        return Deferred.fromCoroutine(work)


@pytest.fixture
def fleet() -> Fleet:
    return Fleet()


def test_ask_logs_in_with_the_secret_before_the_request(fleet: Fleet) -> None:
    asked = fleet.ask("resume r1")
    transport = fleet.network.accept()
    assert transport.value() == b"login ann secret\n"
    transport.protocol.dataReceived(b"= \n\n")
    assert transport.value() == b"login ann secret\nresume r1\n"
    transport.protocol.dataReceived(b"= 4.key\n\n")
    assert outcome(asked) == "4.key"


def test_ask_without_a_user_logs_in_anonymously(fleet: Fleet) -> None:
    fleet.ask("withdraw 4.key", None)
    assert fleet.network.accept().value() == b"login - secret\n"


def test_ask_idle_link_is_reused_and_logs_in_for_another_user_only(fleet: Fleet) -> None:
    first = fleet.ask("resume r1")
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n= 4.key\n\n")
    second = fleet.ask("resume r2")
    transport.clear()
    transport.protocol.dataReceived(b"= 4.other\n\n")
    third = fleet.ask("resume r1", "bob")
    assert transport.value() == b"login bob secret\n"
    transport.protocol.dataReceived(b"= \n\n= 4.third\n\n")
    assert [outcome(one) for one in (first, second, third)] == ["4.key", "4.other", "4.third"]
    assert fleet.network.attempts == 1


def test_ask_during_a_request_opens_another_link(fleet: Fleet) -> None:
    fleet.ask("put 4.key 1a1")
    fleet.network.accept()
    fleet.ask("put 4.other 1a1", "bob")
    assert fleet.network.attempts == 2


def test_ask_idle_link_that_was_lost_is_not_reused(fleet: Fleet) -> None:
    fleet.ask("resume r1")
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n= 4.key\n\n")
    transport.lose()
    fleet.ask("resume r1")
    assert fleet.network.attempts == 2


def test_ask_node_not_alive_fails_without_an_attempt(fleet: Fleet) -> None:
    fleet.node = None
    assert error_text(fleet.ask("resume r1")) == UNREACHABLE
    assert fleet.network.attempts == 0


def test_ask_connection_refused_fails(fleet: Fleet) -> None:
    asked = fleet.ask("resume r1")
    fleet.network.refuse()
    assert error_text(asked) == UNREACHABLE


def test_close_except_fails_the_requests_to_expired_nodes(fleet: Fleet) -> None:
    asked = fleet.ask("resume r1")
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n")
    fleet.links.close_except([OTHER])
    assert not asked.called
    fleet.links.close_except([])
    assert error_text(asked) == UNREACHABLE
    fleet.ask("resume r1")
    assert fleet.network.attempts == 2


def test_close_except_idle_link_is_not_reused(fleet: Fleet) -> None:
    fleet.ask("resume r1")
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n= 4.key\n\n")
    transport.lingers = True
    fleet.links.close_except([])
    fleet.ask("resume r1")
    assert (transport.aborted, fleet.network.attempts) == (True, 2)


def test_stream_relays_lines_until_the_node_ends_it(fleet: Fleet) -> None:
    said: list[str] = []
    relayed = RelayedStream(lambda _: None)
    done = fleet.stream(relayed, said)
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n= \nposition x\n")
    assert relayed.link is not None
    transport.protocol.dataReceived(b"\n")
    assert (said, done.called) == (["position x"], True)
    fleet.ask("resume r1", None)
    assert fleet.network.attempts == 1, "the link is idle again"


def test_stream_stopped_closes_its_link(fleet: Fleet) -> None:
    said: list[str] = []
    relayed = RelayedStream(lambda _: None)
    done = fleet.stream(relayed, said)
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n= \nposition x\n")
    relayed.stop()
    assert error_text(done) == UNREACHABLE
    fleet.ask("resume r1", None)
    assert fleet.network.attempts == 2


def test_stream_stopped_before_the_link_is_open_is_not_requested(fleet: Fleet) -> None:
    relayed = RelayedStream(lambda _: None)
    done = fleet.stream(relayed, [])
    relayed.stop()
    transport = fleet.network.accept()
    transport.protocol.dataReceived(b"= \n\n")
    assert b"observe" not in transport.value()
    assert done.called
    assert transport.aborted


def test_relayed_stream_finish_ends_the_reply_once() -> None:
    ended: list[str | None] = []
    relayed = RelayedStream(ended.append)
    relayed.finish("busy")
    relayed.finish(None)
    assert ended == ["busy"]


def test_relayed_stream_stopped_is_not_ended() -> None:
    ended: list[str | None] = []
    relayed = RelayedStream(ended.append)
    relayed.stop()
    relayed.finish(None)
    assert ended == []


# -- the services for other nodes -----------------------------------------------------------------


@attrs.define
class FakeAccounts:
    boards: list[tuple[str, str]] = attrs.Factory(list)

    def who(self) -> list[str]:
        return ["ann person"]

    def leaderboard(self, game: str, board: str, answer: Any) -> None:
        self.boards.append((game, board))
        answer(["1 ann"])


@pytest.fixture
def accounts() -> NodeAccounts:
    return NodeAccounts("secret", cast("Any", FakeAccounts()))


@pytest.mark.parametrize(
    ("name", "origin"),
    [("ann", Origin("ann")), ("-@10.0.0.7/32", Origin(None, "10.0.0.7/32"))],
)
def test_node_accounts_secret_logs_in_to_any_account(
    accounts: NodeAccounts, name: str, origin: Origin
) -> None:
    answers: list[object] = []
    accounts.log_in(cast("Any", None), name, "secret", answers.append)
    assert answers == [origin]


def test_node_accounts_wrong_secret_ends_the_connection(accounts: NodeAccounts) -> None:
    answers: list[object] = []
    accounts.log_in(cast("Any", None), "ann", "guess", answers.append)
    (error,) = answers
    assert isinstance(error, PeerError)
    assert (error.code, error.fatal) == (Code.DENIED, True)


@pytest.mark.parametrize(
    ("token", "refusal"),
    [
        ("secret", None),
        ("guess", "not permitted: wrong secret"),
        (None, "not permitted: wrong secret"),
    ],
)
def test_node_accounts_gate_needs_the_secret(
    accounts: NodeAccounts, token: str | None, refusal: str | None
) -> None:
    options = {} if token is None else {"token": token, "for": "ann@10.0.0.7/32"}
    found = outcome(accounts.gate(cast("Any", None), Attach("bot", options, b""), TRUSTED))
    assert found == (refusal or Origin("ann", "10.0.0.7/32"))


def test_node_accounts_other_requests_are_those_of_the_node(accounts: NodeAccounts) -> None:
    answers: list[object] = []
    accounts.leaderboard("yodd", "hex2", answers.append)
    assert accounts.who() == ["ann person"]
    assert answers == [["1 ann"]]


def test_node_services_share_all_but_accounts_and_limits(accounts: NodeAccounts) -> None:
    local = Services(
        reactor=cast("Reactor", Clock()),
        session=SessionConfig(),
        streams={"observe": cast("Any", None)},
    )
    nodes = node_services(local, accounts)
    assert nodes.engines is local.engines
    assert nodes.connections is local.connections
    assert nodes.pool is local.pool
    assert nodes.streams is local.streams
    assert nodes.relay is None
    assert nodes.admission is not local.admission
    assert nodes.client_at("203.0.113.1").rate_limiter is None
    assert nodes.session_config().services.login_required
    assert nodes.session_config().limits.line > local.session_config().limits.line
