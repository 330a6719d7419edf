"""What daemons of a fleet say to each other, without a network."""

from __future__ import annotations

import pytest
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.testing import StringTransport

from yoddd.daemon.fleet.directory import Directory
from yoddd.daemon.fleet.node_links import NodeLink, gone, read_refusal
from yoddd.daemon.net.listeners import ListenError, client_endpoint
from yoddd.protocol.errors import Code, PeerError


@pytest.fixture
def link() -> NodeLink:
    link = NodeLink(7)
    link.makeConnection(StringTransport())
    return link


def outcome(asked: Deferred[str]) -> str | PeerError:
    found: list[str | PeerError] = []
    asked.addCallbacks(found.append, lambda failure: found.append(failure.value))
    (result,) = found or [""]
    return result


def test_a_reply_is_its_text_and_a_refusal_the_error_that_it_was(link: NodeLink) -> None:
    asked = link.ask("resume r1")
    assert link.transport.value() == b"resume r1\n"  # type: ignore[attr-defined]  # a StringTransport
    link.dataReceived(b"= 3.key\n")
    assert not asked.called
    link.dataReceived(b"\n")
    assert outcome(asked) == "3.key"
    asked = link.ask("put 3.key 1a1")
    link.dataReceived(b"? illegal move: white to move\n\n")
    error = outcome(asked)
    assert isinstance(error, PeerError)
    assert (error.code, error.detail) == (Code.ILLEGAL, "white to move")
    asked = link.ask("games")
    link.dataReceived(b"= t1-1 open\nt1-2 over\n\n")
    assert outcome(asked) == "t1-1 open\nt1-2 over"


def test_a_stream_is_passed_on_line_by_line_and_ends_well_or_not(link: NodeLink) -> None:
    said: list[str] = []
    asked = link.ask("observe r1", said.append)
    link.dataReceived(b"= \nposition x\nturn b 1a1 0.5\n")
    assert said == ["position x", "turn b 1a1 0.5"]
    link.dataReceived(b"\n")
    assert outcome(asked) == ""
    asked = link.ask("observe r1", said.append)
    link.dataReceived(b"= \nposition x\nerror busy: another process has taken over r1\n\n")
    error = outcome(asked)
    assert isinstance(error, PeerError)
    assert error.text == "busy: another process has taken over r1"
    asked = link.ask("observe r2", said.append)
    link.dataReceived(b"? syntax error: no game 'r2'\n\n")
    assert str(outcome(asked)) == str(PeerError(Code.SYNTAX, "no game 'r2'"))
    assert len(said) == 3


def test_whoever_waits_for_a_process_that_dies_is_told(link: NodeLink) -> None:
    lost: list[bool] = []
    link.on_loss = lambda: lost.append(link.is_open)
    asked = link.ask("put 3.key 1a1")
    link.connectionLost()
    error = outcome(asked)
    assert isinstance(error, PeerError)
    assert error.text == gone(7).text
    assert lost == [False]
    link.dataReceived(b"= late\n\n")  # nobody waits


@pytest.mark.parametrize(
    ("text", "code", "detail"),
    [
        ("busy: process 3 is gone", Code.BUSY, "process 3 is gone"),
        ("internal error", Code.INTERNAL, ""),
        ("not permitted: log in first", Code.DENIED, "log in first"),
        ("something that a newer one says", Code.INTERNAL, ""),
    ],
)
def test_refusals_keep_their_code(text: str, code: Code, detail: str) -> None:
    error = read_refusal(text)
    assert (error.code, error.detail) == (code, detail)


def test_a_directory_survives_its_way_through_the_store() -> None:
    whole = Directory({"ann": 1.5}, ["box"], {"r1": ("r1 playing …", ["ann", "bob"])}, ["m1 …"])
    found = Directory.load(whole.dump())
    assert found.games["r1"][0] == "r1 playing …"
    assert found.dump() == whole.dump()
    assert Directory.load('{"people": {"ann": 2.5}, "moods": []}') == Directory({"ann": 2.5})


class Port:
    """A port that listens."""

    def __init__(self, where: IAddress) -> None:
        self.where = where

    def getHost(self) -> IAddress:  # noqa: N802 — Twisted's name
        return self.where


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (IPv4Address("TCP", "10.0.0.1", 9640), "tcp:host=10.0.0.1:port=9640:timeout=5"),
        (IPv6Address("TCP", "fd00::1", 9640), r"tcp:host=fd00\:\:1:port=9640:timeout=5"),
        (UNIXAddress("/run/yoddd/1"), "unix:path=/run/yoddd/1"),
    ],
)
def test_how_the_others_reach_a_port(where: IAddress, expected: str) -> None:
    assert client_endpoint(Port(where)) == expected  # type: ignore[arg-type]  # as much of one as is used


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 — that is the question
def test_a_port_on_every_interface_needs_an_address(host: str) -> None:
    kind = IPv6Address if ":" in host else IPv4Address
    with pytest.raises(ListenError, match=r"set fleet\.address"):
        client_endpoint(Port(kind("TCP", host, 1)))  # type: ignore[arg-type]  # as above
