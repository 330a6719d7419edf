"""`yoddd connect`: an engine that dials in, again if need be."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.daemon.conftest import ENGINE_COMMAND, Daemon, Peer, resign_once
from tests.support.programs import PATIENCE, YODDD, Program

pytestmark = [pytest.mark.process, pytest.mark.whole]


@contextmanager
def connected(address: str, name: str, *command: str) -> Iterator[Program]:
    with Program([*YODDD, "connect", address, "--as", name, "--", *command]) as process:
        yield process
        process.terminate()  # it writes its coverage
        process.wait(PATIENCE)


@contextmanager
def daemon_by_hand() -> Iterator[socket.socket]:
    """A port that the test answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        yield server


def address_of(server: socket.socket) -> str:
    return f"127.0.0.1:{server.getsockname()[1]}"


def engine() -> list[str]:
    return [*YODDD, "gtp", "--engine", "random"]


def match(peer: Peer, first: str, second: str, **settings: object) -> list[str]:
    words = [f"{name}={value}" for name, value in settings.items()]
    peer.send(f"match {first} {second} board=hex3 wait={PATIENCE:.0f} {' '.join(words)}\n")
    assert peer.line() == "= "
    return list(iter(peer.line, ""))


def records(news: list[str]) -> list[dict[str, Any]]:
    """Of the games of a match that are over."""
    return [json.loads(line.split(" ", 2)[2]) for line in news if line.startswith("record ")]


def test_connected_engines_play_a_match_at_the_daemon(daemon: Daemon, peer: Peer) -> None:
    with connected(daemon.address, "a", *engine()), connected(daemon.address, "b", *engine()):
        news = match(peer, "a", "b", games=2, seed=3)
        again = match(peer, "a", "b", games=2, seed=3)
    kinds = [line.split()[0] for line in news]
    assert kinds[0] == "game"
    assert kinds.count("record") == 2
    assert kinds[-1] == "record"

    def turns(lines: list[str]) -> list[str]:
        return [line.split()[3] for line in lines if line.startswith("turn ")]

    assert turns(news) == turns(again)


def test_match_without_its_engines_names_them(peer: Peer) -> None:
    peer.send("match absent missing wait=0\n")
    assert peer.line() == "= "
    assert peer.line() == "error not attached: absent, missing (attached: none)"
    assert peer.line() == ""


@pytest.mark.parametrize("settings", ["", "a b pie=on", "a b openings=1a1,1a2", "a b openings=;"])
def test_match_with_invalid_settings_is_refused(peer: Peer, settings: str) -> None:
    assert peer.ask(f"match {settings}").startswith("? syntax error")


def test_match_has_openings_odds_parameters_and_adjudication(daemon: Daemon, peer: Peer) -> None:
    settings = {
        "pairs": 1,
        "openings": "1c3/1a1,2b1;2c3",
        "max_turns": 5,
        "clock": "none",
        "first.clock": "50+1",
        "each.param.playouts": 3,
    }
    with connected(daemon.address, "p", *engine()), connected(daemon.address, "q", *engine()):
        news = match(peer, "p", "q", **settings)
    begins = [line.split()[-2:] for line in news if line.startswith("game ")]
    assert begins == [["1c3", "1a1,2b1"]] * 2
    assert [record["clock"] for record in records(news)] == ["50+1 vs none", "none vs 50+1"]
    for record in records(news):
        assert record["turns"][:2] == ["1c3", "1a1,2b1"]
        assert record["opening"] == 2
        # The limit of 5 turns scores the board, unless both have the same groups just then.
        assert record["reason"] in ("adjudicated", "groups")
        seen = [line.split()[3] for line in news if line.startswith(f"turn {record['id'][-1]} ")]
        assert seen == record["turns"][2:]


def test_engine_that_disconnects_between_games_loses_after_the_limit(
    daemon: Daemon, peer: Peer
) -> None:
    fake = daemon.peer()
    fake.send("attach quitter\n")
    with connected(daemon.address, "stayer", *engine()):
        peer.send(f"match quitter stayer board=hex3 wait={PATIENCE:.0f} games=9 absence=1\n")
        resign_once(fake)
        assert peer.line() == "= "
        news = list(iter(peer.line, ""))
    over = records(news)
    assert [(one["reason"], one["winner"], one["blame"]) for one in over] == [
        ("resign", "w", None),
        ("disconnect", "b", "w"),
    ]
    assert over[1]["detail"] == "left between two games and not back within 1 s"
    assert news[-1] == "error not attached: quitter (attached: stayer)"


def test_engine_with_a_taken_name_is_refused(daemon: Daemon) -> None:
    with connected(daemon.address, "twin", *engine()) as first:
        assert "attached" in next(first.error_lines())
        with connected(daemon.address, "twin", *engine()) as second:
            assert second.wait(PATIENCE) == 1
        (line,) = second.error_text().splitlines()  # and none that it is attached
        assert "the name twin is taken" in line


@pytest.mark.gate
def test_connect_reports_an_engine_that_ends() -> None:
    with daemon_by_hand() as server, connected(address_of(server), "brief", "true") as process:
        assert process.wait(PATIENCE) == 1
    assert "the engine ended: exit status 0" in process.error_text()


@pytest.mark.gate
def test_connect_reconnects_after_a_lost_connection() -> None:
    with daemon_by_hand() as server, connected(address_of(server), "phoenix", *ENGINE_COMMAND):
        for _ in range(2):
            line, _ = server.accept()
            with line, line.makefile("rb") as lines:
                assert lines.readline().startswith(b"attach phoenix secret=")
                line.sendall(b"= \n\n1 name\n")
                assert lines.readline() == b"=1 Test engine\n"


def test_connect_says_that_it_is_attached_once_the_daemon_says_so() -> None:
    with (
        daemon_by_hand() as server,
        connected(address_of(server), "calm", *ENGINE_COMMAND) as process,
    ):
        line, _ = server.accept()
        with line, line.makefile("rb") as lines:
            assert re.fullmatch(rb"attach calm secret=\S+ reply=on\n", lines.readline())
            line.sendall(b"= ")
            time.sleep(0.3)
            assert process.error_text() == ""
            line.sendall(b"\n\n7 name\n")
            assert lines.readline() == b"=7 Test engine\n"
            assert next(process.error_lines()) == f"attached to {address_of(server)} as calm\n"


def test_attach_with_a_reply_is_answered_before_the_first_request(
    daemon: Daemon, peer: Peer
) -> None:
    peer.send(f"match prompt absent board=hex3 wait={PATIENCE:.0f}\n")
    assert peer.line() == "= "
    engine = daemon.peer()
    engine.send("attach prompt reply=on\n")
    assert [engine.line(), engine.line()] == ["= ", ""]


def test_connect_retries_at_a_busy_daemon() -> None:
    with daemon_by_hand() as server, connected(address_of(server), "patient", *ENGINE_COMMAND):
        line, _ = server.accept()
        with line:
            line.sendall(b"? busy: too many connections\n\n")
        line, _ = server.accept()
        with line, line.makefile("rb") as lines:
            assert lines.readline().startswith(b"attach patient secret=")


def test_engine_that_disconnects_in_a_game_loses_it(daemon: Daemon, peer: Peer) -> None:
    fake = daemon.peer()
    fake.send("attach ghost\n")
    with connected(daemon.address, "steady", *engine()):
        peer.send(f"match ghost steady board=hex3 wait={PATIENCE:.0f}\n")
        fake.line()
        fake.close()
        peer.line()
        news = list(iter(peer.line, ""))
    (record,) = records(news)
    assert (record["reason"], record["blame"]) == ("disconnect", "b")


def test_match_ends_with_the_connection_that_asked_for_it(daemon: Daemon, peer: Peer) -> None:
    with connected(daemon.address, "c", *engine()), connected(daemon.address, "d", *engine()):
        other = daemon.peer()
        other.send(f"match c d board=hex3 games=1000 wait={PATIENCE:.0f}\n")
        other.line()
        other.line()
        words = peer.ask("matches").split()
        assert words[2:6] == ["c", "d", "yodd", "hex3"]
        assert words[9:] == ["1000", "clock=none"]
        other.close()
        assert match(peer, "c", "d", games=1)[-1].startswith("record 1 ")
        assert peer.ask("matches") == "= "


def test_attached_engine_with_unrequested_output_is_disconnected(daemon: Daemon) -> None:
    for _ in range(2):
        chatty = daemon.peer()
        chatty.send("attach chatty\nhello, anybody there?\n")
        assert chatty.rest() == b""


def test_connect_reports_a_daemon_that_it_cannot_reach_and_retries() -> None:
    with connected("127.0.0.1:1", "early", "true") as process:
        line = next(process.error_lines())
        assert line.startswith("cannot reach 127.0.0.1:1 (")
        assert line.endswith("retrying\n")
        assert process.poll() is None
