"""No request of any kind keeps other clients waiting for long."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator

import pytest

from tests.bench.waits import TARGET, daemon_with_games, measure
from tests.daemon.conftest import PATIENCE, Daemon
from yoddd.notation import GameRecord

pytestmark = [pytest.mark.process, pytest.mark.whole]

BOUND = 15 * TARGET
"""Seconds, for a machine that runs other tests too; the bench compares with the target itself."""


COUNT = 50
"""Games in the store: the bench has more, and a wait does not depend on their number."""


@pytest.fixture(scope="module")
def filled() -> Iterator[tuple[Daemon, GameRecord]]:
    with daemon_with_games(count=COUNT) as filled:
        yield filled


def test_every_path_and_command_leaves_others_their_answers(
    filled: tuple[Daemon, GameRecord],
) -> None:
    waits = measure(*filled, BOUND)
    assert len(waits) > 90  # paths, commands, queries
    assert [wait for wait in waits if wait.seconds > BOUND] == []


def download(daemon: Daemon, count: int) -> bytes:
    """The games as SGF, at most so many."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.ports[1], timeout=PATIENCE)
    connection.request("GET", f"/api/games?as=sgf&limit={count}")
    text = connection.getresponse().read()
    connection.close()
    return text


def test_games_as_sgf_are_complete(filled: tuple[Daemon, GameRecord]) -> None:
    assert download(filled[0], COUNT).count(b"\nPB[") == COUNT


def test_games_as_sgf_are_charged_to_their_address() -> None:
    with daemon_with_games("--set", "limits.exempt=127.0.0.2/32", count=5) as (daemon, _):
        begun = time.monotonic()
        download(daemon, 5)
    assert time.monotonic() - begun > 2
