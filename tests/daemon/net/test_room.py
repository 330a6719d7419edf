"""Which connections are closed to make room for others, over every transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import attrs
import pytest
from twisted.internet.testing import MemoryReactorClock
from wsproto.events import TextMessage

from tests.daemon.doubles import FakePool
from tests.daemon.net.doubles import MemoryTransport
from tests.daemon.net.websocket.test_transport import Client
from yoddd.daemon.base.admission.places import PATIENCE
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.composition import compose
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.site import site

SEEK = "seek ann game=odd board=square5"


class Setup:
    """A daemon with two places, and the keys of a game of its own."""

    def __init__(self) -> None:
        self.clock = MemoryReactorClock()
        limits = Limits(
            connections=2, reserved=0, per_network=1, silence=60, game_silence=60, login=60
        )
        world = World(cast("Reactor", self.clock))
        built = compose(world, CurrentSettings(Settings(limits=limits)))
        self.services: Services = attrs.evolve(built.services, pool=cast("Any", FakePool()))
        self.site = site(self.services, Origins())

    def text(self, host: str) -> tuple[MemoryTransport, Callable[[str], str]]:
        protocol, below = ClientFactory(self.services).buildProtocol(None), MemoryTransport(host)
        protocol.makeConnection(below)

        def ask(line: str) -> str:
            below.clear()
            protocol.dataReceived(f"{line}\n".encode())
            self.clock.advance(0)
            return str(below.value(), "utf-8")

        return below, ask

    def web(self, host: str, target: str) -> tuple[MemoryTransport, Callable[[str], str]]:
        client = Client(self.clock, self.services, target, self.site, host)
        client.take()
        number = "1 " if target.endswith("channels") else ""

        def ask(line: str) -> str:
            client.send(TextMessage(data=f"{number}{line}"))
            self.clock.advance(0)
            return " ".join(client.texts()).removeprefix(number)

        return client.below, ask


def nothing(_ask: Callable[[str], str]) -> None:
    """Connect only."""


def chat(ask: Callable[[str], str]) -> None:
    ask("name")
    ask("list_commands")
    ask("nonsense")


def offer(ask: Callable[[str], str]) -> None:
    assert ask(SEEK).startswith("= ")


def play(ask: Callable[[str], str]) -> list[str]:
    game, key = ask(SEEK).split()[1:3]
    assert ask(f"accept {game} bob").startswith("= ")
    return [game, key]


def follow(ask: Callable[[str], str]) -> None:
    assert "position" in ask(f"observe {' '.join(play(ask))}")


def end(ask: Callable[[str], str]) -> None:
    assert ask(f"put {play(ask)[1]} resign").startswith("=")


def watch(ask: Callable[[str], str]) -> None:
    """Watch a game that is not the client's."""
    game = ask(SEEK).split()[1]
    assert "position" in ask(f"observe {game}")


def search(ask: Callable[[str], str]) -> None:
    ask("genmove b")


def attach(ask: Callable[[str], str]) -> None:
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
    kind: str, does: Callable[[Callable[[str], str]], object], *, is_kept: bool
) -> None:
    setup = Setup()
    below, ask = setup.text("198.51.100.7") if kind == "text" else setup.web("198.51.100.7", kind)
    does(ask)
    setup.clock.advance(PATIENCE)
    setup.text("203.0.113.1")
    first, _ = setup.text("192.0.2.1")
    assert ("too many" in first.value().decode()) == is_kept
    assert (below.disconnecting or below.is_aborted()) != is_kept
    assert setup.services.connections.cut_off == ({} if is_kept else {"room": 1})


def test_requests_of_use_decide_who_of_a_network_makes_room() -> None:
    """A ping, `name` or the health is none: who sends only those was not there for longer."""
    setup = Setup()
    below, ask = setup.text("198.51.100.7")
    ask("showboard")
    other, ask_other = setup.text("203.0.113.1")
    setup.clock.advance(PATIENCE)
    for _ in range(3):
        ask("clear_board")
        ask_other("name")
    setup.text("192.0.2.1")
    assert [one.disconnecting for one in (below, other)] == [False, True]


def test_http_connection_makes_room_between_two_requests() -> None:
    setup = Setup()
    channel, below = setup.site.buildProtocol(None), MemoryTransport("198.51.100.7")
    channel.makeConnection(below)
    channel.dataReceived(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    setup.text("203.0.113.1")
    for seconds, refused in ((PATIENCE - 1, True), (1, False)):
        setup.clock.advance(seconds)
        assert ("too many" in setup.text("192.0.2.1")[0].value().decode()) == refused
    assert below.is_aborted()
