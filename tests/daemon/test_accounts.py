"""Accounts over real sockets: log-ins, names, rated games and the JSON interface."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, serving, until
from tests.daemon.stores import TOKENS, make_store
from yoddd.cli import main

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the store, and of the UNIX socket of the pages."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def daemon(folder: Path) -> Iterator[Daemon]:
    options = ("--store", str(make_store(folder / "s")), "--set", "limits.errors=1000")
    with serving(*options, "--http", f"unix:{folder}/web") as daemon:
        yield daemon


@pytest.mark.gate
def test_engine_attaches_to_its_account_with_the_token(daemon: Daemon, peer: Peer) -> None:
    engine = daemon.peer()
    engine.send(f"attach bot token={TOKENS['bot']}\n")
    until(lambda: "bot engine" in peer.ask("who").removeprefix("= ").splitlines())
    assert peer.ask("attached") == "= bot"


@pytest.mark.gate
def test_rated_game_is_played_kept_and_rated(daemon: Daemon, peer: Peer) -> None:
    bob = daemon.peer()
    peer.ask(f"login ann {TOKENS['ann']}")
    bob.ask(f"login bob {TOKENS['bob']}")
    game_id, black = peer.ask("seek ann rated=yes board=hex3 seat=b").removeprefix("= ").split()
    white = bob.ask(f"accept {game_id} bob").removeprefix("= ")
    assert peer.ask(f"put {black} 1a1") == "= "
    assert bob.ask(f"put {white} 2a1") == "? illegal move: a1 is occupied"
    assert bob.ask(f"put {white} pass") == "= "
    fresh = peer.ask(f"resume {game_id}").removeprefix("= ")
    assert peer.ask(f"put {black} pass") == "? syntax error: no game has this key"
    assert peer.ask(f"put {fresh} pass") == "= "
    until(lambda: peer.ask("leaderboard yodd hex3") != "= ")
    lines = peer.ask("leaderboard yodd hex3").removeprefix("= ").splitlines()
    assert [line.split()[:2] for line in lines] == [["1", "bob"], ["2", "ann"]]
    assert [line.split()[4:] for line in lines] == [
        ["1", "1", "provisional"],
        ["1", "0", "provisional"],
    ]


def test_login_attempts_at_once_count_before_they_are_looked_up(daemon: Daemon) -> None:
    peers = [daemon.peer("127.0.0.3") for _ in range(20)]
    for peer in peers:
        peer.send("login ann guess\n")
    replies = [peer.reply() for peer in peers]
    assert replies.count("? not permitted: wrong name or token") == 3
    assert sum("too many failed log-ins" in reply for reply in replies) == 17


def test_daemon_that_requires_a_log_in_serves_nothing_else(tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    with serving("--store", str(path), "--login") as daemon:
        peer, engine = daemon.peer(), daemon.peer()
        assert peer.ask("games") == "? login required: games"
        engine.send("attach stranger\n")
        assert engine.rest() == b"? login required: attach needs a token\n\n"
        assert peer.ask(f"login ann {TOKENS['ann']}") == "= "
        assert peer.ask("games") == "= "
        daemon.hang_up()


@pytest.mark.gate
def test_daemon_without_a_usable_store_reports_it_and_ends(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("no database " * 100)
    for options, said in (
        (("--store", str(tmp_path / "s")), b"file is not a database"),
        (("--login",), b"`login` needs a `store`"),
    ):
        command = [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", *options]
        ended = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
        assert ended.returncode == 1
        assert said in ended.stderr
        assert b"Traceback" not in ended.stderr


def fetch(where: Path, path: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("localhost", timeout=PATIENCE)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(PATIENCE)
    connection.sock.connect(str(where))
    connection.request("GET", path)
    response = connection.getresponse()
    found = response.status, json.loads(response.read())
    connection.close()
    return found


@pytest.mark.gate
def test_ladder_is_served_over_a_unix_socket(daemon: Daemon, folder: Path) -> None:
    daemon.check_alive()
    status, values = fetch(folder / "web", "/api/ladder?game=odd")
    assert (status, values) == (200, {"ladders": []})


def test_account_that_is_disabled_or_revoked_loses_its_sessions_offers_and_games(
    tmp_path: Path,
) -> None:
    path = make_store(tmp_path / "s")
    with serving("--store", str(path)) as daemon:
        for name, command in (("ann", ("token", "ann", "--revoke")), ("cid", ("disable", "cid"))):
            user, bob, engine = (daemon.peer() for _ in range(3))
            engine.send(f"attach {name.title()} token={TOKENS[name]}\n")
            until(lambda: bob.ask("attached") == f"= {name}")  # noqa: B023 — at once
            assert user.ask(f"login {name} {TOKENS[name]}") == "= "
            assert bob.ask(f"login bob {TOKENS['bob']}") == "= "
            assert user.ask(f"seek {name} board=hex3").startswith("= t")
            game, key = user.ask(f"seek {name} board=hex2 seat=b rated=yes").split()[1:]
            bob.ask(f"accept {game} bob")
            assert user.ask(f"put {key} 1a1") == "= "
            words = ["user", *command, "--store", str(path)]
            assert CliRunner().invoke(main, words).exit_code == 0
            assert user.rest() == b""
            engine.rest()
            assert bob.ask("attached") == "= "
            assert " open " not in bob.ask("games")
            bob.send(f"observe {game}\n")
            *_, last = bob.reply().splitlines()
            record = json.loads(last.removeprefix("record "))
            assert (record["winner"], record["reason"]) == (None, "void")
            assert f"account {name}" in record["detail"]
            again = daemon.peer()
            refusal = "? not permitted: wrong name or token"
            assert again.ask(f"login {name} {TOKENS[name]}") == refusal
        daemon.hang_up()
