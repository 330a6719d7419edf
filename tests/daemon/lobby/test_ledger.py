"""Rated games in a real store, without threads: what is kept, and when ratings are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs

from tests.daemon.memory import MemoryDaemon, Talk
from yoddd.daemon.lobby.ledger import Ledger


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    """A dialogue in which Ann and Bob have begun three rated games."""
    talk = Talk(daemons({"store": "games.db"}))
    talk("ann: login ann token-of-ann", "=", "bob: login bob token-of-bob", "=")
    for number in (1, 2, 3):
        talk(
            "ann: seek ann board=hex2 seat=b rated=yes",
            f"= r{number} $black{number}",
            f"bob: accept r{number} bob",
            "= *",
        )
    return talk


def test_ledger_rates_results_during_a_rating_once_more_at_its_end(talk: Talk) -> None:
    journal = talk.daemon.journal
    journal.held = True
    for number in (1, 2, 3):
        talk(f"ann: put $black{number} resign", "=")
    ratings = [journal.release() for _ in range(3)]
    assert ratings == [1, 1, 0]  # that of the first result, one for both others, no more
    journal.held = False
    talk("ann: leaderboard yodd hex2", "= 1 bob * 3 3*\n2 ann * 3 0*")


def test_ledger_loads_the_games_in_play_and_neither_offers_nor_void_ones(talk: Talk) -> None:
    talk("ann: seek ann board=hex2", "= t4 *")
    journal = talk.daemon.journal
    journal.held = True
    first = talk.daemon.games.find("r1")
    first.abort("void")
    assert journal.release() == 0  # no rating
    journal.held = False
    loaded = Deferred.fromCoroutine(Ledger(cast("Any", journal), cast("Any", None)).load())
    assert len(cast("list[Any]", loaded.result)) == 2


def test_ledger_logs_in_one_line_that_ratings_are_not_computed(talk: Talk) -> None:
    journal = talk.daemon.journal
    journal.held = True
    talk("ann: put $black1 resign", "=")
    journal.is_away = True
    with capturedLogs() as logged:
        journal.release()
    assert [event["error"] for event in logged] == ["away"]
    journal.is_away = False
