"""No request of any kind keeps other clients waiting for long."""

from __future__ import annotations

import http.client
import time

import pytest

from tests.bench.waits import GAMES, TARGET, daemon_with_games, longest_wait, measure
from tests.daemon.conftest import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.stress, pytest.mark.process]

BOUND = 15 * TARGET
"""Seconds, for a machine that runs other tests too; the bench compares with the target itself."""


def test_every_path_and_command_leaves_others_their_answers() -> None:
    with daemon_with_games() as (daemon, record):
        waits = measure(daemon, record, BOUND)
    assert len(waits) > 90  # paths, commands, queries
    assert [wait for wait in waits if wait.seconds > BOUND] == []


def test_games_as_sgf_are_converted_beside_other_clients() -> None:
    with daemon_with_games() as (daemon, _):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.ports[1], timeout=3 * PATIENCE)
        games: list[bytes] = []

        def download() -> None:
            connection.request("GET", f"/api/games?as=sgf&limit={GAMES}")
            games.append(connection.getresponse().read())

        waited = longest_wait(daemon, download)
        connection.close()
    assert games[0].count(b"\nPB[") == GAMES
    assert waited < BOUND


def test_games_as_sgf_are_charged_to_their_address() -> None:
    with daemon_with_games("--set", "limits.exempt=127.0.0.2/32") as (daemon, _):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.ports[1], timeout=3 * PATIENCE)
        begun = time.monotonic()
        connection.request("GET", "/api/games?as=sgf&limit=5")
        connection.getresponse().read()
        connection.close()
    assert time.monotonic() - begun > 2
