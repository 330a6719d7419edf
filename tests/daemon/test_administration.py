"""The commands of an administrator."""

from __future__ import annotations

from typing import Any, cast

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import FakeTransport, make_services
from yoddd.daemon.administration import Administration
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.world import World
from yoddd.daemon.composition import compose
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply
from yoddd.referee.hosted.state import Phase

pytestmark = pytest.mark.gate


class Running:
    """The services of a daemon without a network, and a client."""

    def __init__(self) -> None:
        self.clock = MemoryReactorClock()
        built = compose(World(cast("Reactor", self.clock)), CurrentSettings())
        self.games, self.lobby = built.games, built.lobby
        self.services = make_services(
            self.clock,
            None,
            SessionConfig(services=SessionServices(attach=True)),
            engines=built.services.engines,
        )
        self.transport = FakeTransport()
        self.client = PeerConnection(self.services, self.transport, "10.0.0.1")
        self.commands = Administration(self.services.connections, self.games).commands

    def order(self, word: str, rest: str = "") -> dict[str, Any]:
        return dict(self.commands[word](rest))

    def offer(self) -> str:
        """The id of a new game in the lobby."""
        later = self.lobby.seek(Origin(), "ann", {"game": "yodd", "board": "hex2"})
        assert isinstance(later, DeferredReply)
        replies: list[object] = []
        later.start(cast("Any", None), replies.append)
        return str(replies[0]).split()[0]


@pytest.fixture
def running() -> Running:
    return Running()


def test_list_describes_connections_engines_and_games(running: Running) -> None:
    running.client.received(b"attach bot\n")
    second = PeerConnection(running.services, FakeTransport("unix"), None)
    second.received(b"name\nfoo\n")
    game = running.offer()
    answer = running.order("list")
    assert answer["pairing"] == "open"
    assert answer["engines"] == ["bot"]
    assert [line.split()[0] for line in answer["games"]] == [game]
    first, other = answer["connections"]
    found = [first[name] for name in ("number", "kind", "host", "engine")]
    assert found == [1, "tcp", "10.0.0.1", "bot"]
    assert (other["engine"], other["requests"], other["errors"]) == (None, 2, 1)
    second.lost("bye")
    running.client.lost("bye")


def test_kick_disconnects_a_connection_by_number(running: Running) -> None:
    assert running.order("kick", "1") == {"kicked": 1}
    assert running.transport.is_closed()
    for number in ("2", "x", ""):
        with pytest.raises(ValueError, match="no connection"):
            running.order("kick", number)


def test_pause_closes_the_gate_until_resume(running: Running) -> None:
    reason = running.order("pause")["pairing"]
    assert running.games.start_gate.reason == reason
    assert running.order("list")["pairing"] == reason
    assert running.order("resume") == {"pairing": "open"}
    running.games.start_gate.check()


@pytest.mark.parametrize("word", ["pause", "resume"])
def test_pairing_cannot_change_while_the_daemon_stops(running: Running, word: str) -> None:
    running.services.connections.is_closing = True
    with pytest.raises(ValueError, match="going down"):
        running.order(word)


def test_abort_needs_a_game_that_is_played(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = running.offer()
    with pytest.raises(ValueError, match="is not being played"):
        running.order("abort", game)
    with pytest.raises(ValueError, match="no game"):
        running.order("abort", "t99")
    runner, aborted = running.games.find(game), list[str]()
    runner.game.phase = Phase.PLAYING
    monkeypatch.setattr(type(runner), "abort", lambda _self, text: aborted.append(text))
    assert running.order("abort", game) == {"aborted": game}
    assert aborted == ["aborted by the administrator"]


def test_broadcast_sends_one_line_to_every_spectator(running: Running) -> None:
    lines: list[str] = []
    watch = running.lobby.observe((running.offer(),), lines.append, lambda _error: None)
    assert running.order("broadcast", "we go\tdown") == {"told": 1}
    assert lines[-1].startswith("notice we go")
    watch.stop()
    with pytest.raises(ValueError, match="expected a text"):
        running.order("broadcast", "")
