"""Which connections are closed to make room for others, over every transport."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wsproto.events import TextMessage

from tests.daemon.memory import FAR, Browser, MemoryDaemon
from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.admission.places import PATIENCE

SEEK = "seek ann game=odd board=square5"

Ask = Callable[[str], str]


@pytest.fixture
def server(daemons: Callable[..., MemoryDaemon]) -> MemoryDaemon:
    """A daemon with two places."""
    limits = {"connections": 2, "reserved": 0, "per_network": 1}
    limits |= dict.fromkeys(("silence", "game_silence", "login"), 60)
    return daemons({f"limits.{name}": value for name, value in limits.items()})


def connect(server: MemoryDaemon, kind: str) -> tuple[MemoryTransport, Ask]:
    """A client over a transport, and what asks for it."""
    if kind == "text":
        peer = server.peer()
        return peer.transport, peer.ask
    client, number = server.socket(kind), "1 " if kind.endswith("channels") else ""

    def ask(line: str) -> str:
        client.send(TextMessage(data=f"{number}{line}"))
        client.clock.advance(0)
        return " ".join(client.texts()).removeprefix(number)

    return client.below, ask


def nothing(_ask: Ask) -> None:
    """Connect only."""


def chat(ask: Ask) -> None:
    ask("name")
    ask("list_commands")
    ask("nonsense")


def offer(ask: Ask) -> None:
    assert ask(SEEK).startswith("= ")


def play(ask: Ask) -> list[str]:
    game, key = ask(SEEK).split()[1:3]
    assert ask(f"accept {game} bob").startswith("= ")
    return [game, key]


def follow(ask: Ask) -> None:
    assert "position" in ask(f"observe {' '.join(play(ask))}")


def end(ask: Ask) -> None:
    assert ask(f"put {play(ask)[1]} resign").startswith("=")


def watch(ask: Ask) -> None:
    """Watch a game that is not the client's."""
    game = ask(SEEK).split()[1]
    assert "position" in ask(f"observe {game}")


def search(ask: Ask) -> None:
    ask("genmove b")


def attach(ask: Ask) -> None:
    ask("attach bot")


@pytest.mark.parametrize("kind", ["text", "/ws", "/ws/channels"])
@pytest.mark.parametrize(
    ("does", "is_kept"),
    [
        (nothing, False),
        (chat, False),
        (offer, False),
        (watch, False),
        (end, False),
        (play, True),
        (follow, True),
        (search, True),
        (attach, True),
    ],
)
def test_connection_that_costs_no_one_a_game_makes_room_within_15_s(
    server: MemoryDaemon, kind: str, does: Callable[[Ask], object], *, is_kept: bool
) -> None:
    below, ask = connect(server, kind)
    does(ask)
    server.clock.advance(PATIENCE)
    server.peer("203.0.113.1")
    assert ("too many" in server.peer("192.0.2.1").ask()) == is_kept
    assert (below.disconnecting or below.is_aborted()) != is_kept
    assert server.services.connections.cut_off == ({} if is_kept else {"room": 1})


def test_requests_of_use_decide_who_of_a_network_makes_room(server: MemoryDaemon) -> None:
    """A ping, `name` or the health is none: who sends only those was not there for longer."""
    one = server.peer()
    one.ask("showboard")
    other = server.peer("203.0.113.1")
    server.clock.advance(PATIENCE)
    for _ in range(3):
        one.ask("clear_board")
        other.ask("name")
    server.peer("192.0.2.1")
    assert [peer.is_closed() for peer in (one, other)] == [False, True]


def test_http_connection_makes_room_between_two_requests(server: MemoryDaemon) -> None:
    browser = Browser(server.web, FAR)
    browser.send("/healthz")
    server.peer("203.0.113.1")
    for seconds, refused in ((PATIENCE - 1, True), (1, False)):
        server.clock.advance(seconds)
        assert ("too many" in server.peer("192.0.2.1").ask()) == refused
    assert browser.transport.is_aborted()
