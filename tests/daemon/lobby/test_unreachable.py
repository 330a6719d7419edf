"""A participant behind a dead network, as the other one sees it: all of the daemon, in memory."""

from __future__ import annotations

import re
from collections.abc import Callable

from wsproto.events import Ping, Pong, TextMessage

from tests.daemon.memory import MemoryDaemon
from tests.daemon.net.websocket.test_transport import Client

SHOWN = 10.0
"""Seconds after which a participant who is unreachable is shown as away."""


class Page:
    """A page with a seat in a game, which it observes."""

    def __init__(self, daemon: MemoryDaemon) -> None:
        self.client: Client = daemon.socket("/ws/channels")
        self.heard: list[str] = []
        # Whether its network delivers nothing, in either direction.
        self.is_unreachable = False
        # Whether the daemon has noticed the end of the connection.
        self._is_lost = False

    def listen(self) -> None:
        """Take what has arrived, and answer pings as a browser does."""
        if self.client.below.is_aborted() and not self._is_lost:
            self._is_lost = True
            self.client.channel.connectionLost()
        if self.is_unreachable:
            return
        for event in self.client.take():
            if isinstance(event, Ping):
                self.client.send(Pong())
            elif isinstance(event, TextMessage):
                self.heard.append(event.data)

    def ask(self, line: str) -> str:
        self.client.send(TextMessage(data=f"1 {line}"))
        self.client.clock.advance(0)
        self.listen()
        return self.heard[-1].removeprefix("1 = ")

    def presence(self) -> str:
        """The latest report on a participant who is away or here."""
        found = [line for line in self.heard if "presence" in line]
        return found[-1].partition("presence ")[2] if found else ""


def test_participant_behind_a_dead_network_is_shown_as_away_within_ten_seconds(
    daemons: Callable[..., MemoryDaemon],
) -> None:
    daemon = daemons({})
    ann, bob = Page(daemon), Page(daemon)

    def run(seconds: float) -> float | None:
        """Let time pass; return when Bob was first told that Ann is away, if he was."""
        for step in range(round(seconds * 4)):
            daemon.clock.advance(0.25)
            for page in (ann, bob):
                page.listen()
            if bob.presence().startswith("b away"):
                return (step + 1) / 4
        return None

    for pause in (0.25, 1.0, 2.5, 2.75, 3.0, 6.5):
        game, black = ann.ask("seek ann seat=b board=hex3 clock=600+5").split()
        white = bob.ask(f"accept {game} bob")
        for page, key in ((ann, black), (bob, white)):
            page.client.send(TextMessage(data=f"2 observe {game} {key}"))
        assert run(20 + pause) is None
        ann.is_unreachable = True
        told = run(30)
        assert told is not None
        assert told <= SHOWN
        assert re.fullmatch(r"b away 3 29\d", bob.presence())
        ann = Page(daemon)
        bob.heard.clear()
        ann.client.send(TextMessage(data=f"2 observe {game} {black}"))
        assert run(1) is None
        assert bob.presence() == "b here"
        ann.ask(f"put {black} resign")
        ann.client.send(TextMessage(data="2"))
        bob.client.send(TextMessage(data="2"))
        assert run(1) is None
