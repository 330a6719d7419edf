"""No request of any kind keeps other clients waiting for long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bench.waits import TARGET, daemon_with_games, measure
from tests.daemon.conftest import Daemon
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
