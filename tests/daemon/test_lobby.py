"""Games of humans and attached engines over real sockets, and their spectators."""

from __future__ import annotations

import json

import pytest

from tests.daemon.conftest import Daemon, Peer, until

pytestmark = [pytest.mark.process, pytest.mark.whole]


def offer(peer: Peer, settings: str = "game=yodd board=hex2 seat=b") -> tuple[str, str]:
    reply = peer.ask(f"seek ann {settings}")
    assert reply.startswith("= "), reply
    game_id, key = reply.removeprefix("= ").split()
    return game_id, key


def put(peer: Peer, key: str, turn: str) -> None:
    # The game begins a moment after the acceptance.
    replies: list[str] = []

    def has_begun() -> bool:
        replies.append(peer.ask(f"put {key} {turn}"))
        return replies[-1] != "? illegal move: the game has not begun"

    until(has_begun)
    assert replies[-1] == "= "


@pytest.mark.gate
def test_lobby_game_of_two_humans_is_seen_by_a_spectator_from_the_start(
    daemon: Daemon, peer: Peer
) -> None:
    game_id, black = offer(peer)
    spectator = daemon.peer()
    spectator.send(f"observe {game_id}\n")
    assert spectator.line() == "= "
    assert spectator.line() == "position yodd hex2 2/3/2 b 0 1"
    white = peer.ask(f"accept {game_id} bob").removeprefix("= ")
    assert spectator.line() == f"game {game_id} ann bob none"
    put(peer, black, "1a1")
    put(peer, white, "pass")
    put(peer, black, "pass")
    seen = [spectator.line() for _ in range(4)]
    assert [line.rsplit(" ", 1)[0] for line in seen[:3]] == [
        "turn b 1a1",
        "turn w pass",
        "turn b pass",
    ]
    record = json.loads(seen[3].removeprefix("record "))
    assert (record["winner"], record["reason"], record["score"]) == ("w", "groups", "W+1")
    assert spectator.line() == ""
    late = daemon.peer()
    late.send(f"observe {game_id}\n")
    assert len(late.reply().splitlines()) == 7
    assert f"{game_id} over yodd hex2 ann bob 3 clock=none" in peer.ask("games")


@pytest.mark.gate
def test_lobby_game_of_a_human_against_an_attached_engine(daemon: Daemon, peer: Peer) -> None:
    bot = daemon.peer()
    bot.send("attach bot\n")
    answers = {
        "protocol_version": "2",
        "list_commands": "name\nversion\nprotocol_version\nlist_commands\nboardsize\n"
        "clear_board\nplay\ngenmove\nquit",
        "genmove": "pass",
    }
    until(lambda: "bot" in peer.ask("attached").split())
    _, key = offer(peer, "board=hex2 seat=b against=bot")
    played = False
    while not played:
        number, command, *_ = bot.line().split()
        bot.send(f"={number} {answers.get(command, '')}\n\n")
        if command == "clear_board":
            put(peer, key, "1a1")
        played = command == "genmove"
    put(peer, key, "pass")
    assert "over yodd hex2 ann bot 3" in peer.ask("games")
