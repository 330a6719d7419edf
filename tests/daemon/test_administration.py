"""The commands of an administrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.daemon.memory import FAR, MemoryDaemon, Talk
from yoddd.daemon.administration import Administration

pytestmark = pytest.mark.gate

OFFER = ("ann: seek ann board=hex2 seat=b", "= $game $black")


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    return Talk(daemons({}))


def order(talk: Talk, word: str, rest: str = "") -> dict[str, Any]:
    """The answer to an order of an administrator."""
    daemon = talk.daemon
    commands = Administration(daemon.services.connections, daemon.games).commands
    return dict(commands[word](rest))


def test_list_describes_connections_engines_and_games(talk: Talk) -> None:
    talk("bot: attach bot", "", *OFFER, "ann: name", "= *", "ann: foo", "? *")
    answer = order(talk, "list")
    assert answer["pairing"] == "open"
    assert answer["engines"] == ["bot"]
    assert [line.split()[0] for line in answer["games"]] == [talk.words["game"]]
    bot, ann = answer["connections"]
    assert [bot[name] for name in ("number", "kind", "host", "engine")] == [1, "tcp", FAR, "bot"]
    assert (ann["engine"], ann["requests"], ann["errors"]) == (None, 3, 1)


def test_kick_disconnects_a_connection_by_number(talk: Talk) -> None:
    talk("ann: name", "= *")
    (ann,) = order(talk, "list")["connections"]
    assert order(talk, "kick", str(ann["number"])) == {"kicked": ann["number"]}
    assert talk.peers["ann"].is_closed()
    for number in ("99", "x", ""):
        with pytest.raises(ValueError, match="no connection"):
            order(talk, "kick", number)


@pytest.mark.parametrize("word", ["pause", "resume"])
def test_pairing_cannot_change_while_the_daemon_stops(talk: Talk, word: str) -> None:
    talk.daemon.services.connections.is_closing = True
    with pytest.raises(ValueError, match="going down"):
        order(talk, word)


def test_broadcast_sends_one_line_to_every_spectator(talk: Talk) -> None:
    talk(*OFFER, "eve: observe $game", "= *")
    assert order(talk, "broadcast", "we go\tdown") == {"told": 1}
    talk("eve:", "notice we go*")
    with pytest.raises(ValueError, match="expected a text"):
        order(talk, "broadcast", "")
