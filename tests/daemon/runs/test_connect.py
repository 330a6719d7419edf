"""`yoddd connect`: an engine that dials in, again if need be."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.daemon.conftest import ENGINE_COMMAND, Daemon, Peer
from tests.support.games import match_line
from tests.support.programs import PATIENCE, YODDD, Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

RANDOM = [*YODDD, "gtp", "--engine", "random"]


@contextmanager
def connected(address: str, name: str, *command: str) -> Iterator[Program]:
    with Program([*YODDD, "connect", address, "--as", name, "--", *command]) as process:
        yield process
        process.terminate()  # it writes its coverage
        process.wait(PATIENCE)


@contextmanager
def by_hand(name: str, *command: str) -> Iterator[tuple[socket.socket, Program]]:
    """A port that the test answers, and a program that connects there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with connected(address, name, *command) as process:
            yield server, process


def match(peer: Peer, first: str, second: str, **settings: object) -> list[str]:
    line = match_line(first, second, board="hex3", wait=PATIENCE, **settings)
    peer.send(f"{line}\n")
    assert peer.line() == "= "
    return list(iter(peer.line, ""))


def test_connected_engines_play_a_match_at_the_daemon(daemon: Daemon, peer: Peer) -> None:
    with connected(daemon.address, "a", *RANDOM), connected(daemon.address, "b", *RANDOM):
        news = match(peer, "a", "b", games=2, seed=3)
        again = match(peer, "a", "b", games=2, seed=3)
    kinds = [line.split()[0] for line in news]
    assert kinds[0] == "game"
    assert kinds.count("record") == 2
    assert kinds[-1] == "record"

    def turns(lines: list[str]) -> list[str]:
        return [line.split()[3] for line in lines if line.startswith("turn ")]

    assert turns(news) == turns(again)


@pytest.mark.gate
def test_connect_reports_an_engine_that_ends() -> None:
    with by_hand("brief", "true", "--open") as (_, process):
        assert process.wait(PATIENCE) == 1
    assert "the engine ended: exit status 0; --open was passed on" in process.error_text()


@pytest.mark.gate
def test_connect_reconnects_after_a_lost_connection() -> None:
    with by_hand("phoenix", *ENGINE_COMMAND) as (server, _):
        for _ in range(2):
            line, _ = server.accept()
            with line, line.makefile("rb") as lines:
                assert lines.readline().startswith(b"attach phoenix secret=")
                line.sendall(b"= \n\n1 name\n")
                assert lines.readline() == b"=1 Test engine\n"


def test_connect_says_that_it_is_attached_once_the_daemon_says_so() -> None:
    with by_hand("calm", *ENGINE_COMMAND) as (server, process):
        line, _ = server.accept()
        with line, line.makefile("rb") as lines:
            assert re.fullmatch(rb"attach calm secret=\S+ reply=on\n", lines.readline())
            line.sendall(b"= ")
            time.sleep(0.3)
            assert process.error_text() == ""
            line.sendall(b"\n\n7 name\n")
            assert lines.readline() == b"=7 Test engine\n"
            assert next(process.error_lines()).endswith(" as calm\n")
