"""Rated games in a real store, without threads: what is kept, and when ratings are computed."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from tests.daemon.fake_time import ended
from tests.daemon.lobby.journals import DirectJournal
from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.users import Users
from yoddd.referee import Finished, GameSetup, Reason, Seat, forfeit, parse_clock, void
from yoddd.referee.hosted.events import Beginning, Drop, Holder, Terms
from yoddd.referee.hosted.game import HostedGame
from yoddd.rules import make_rules
from yoddd.store.values import NewGame

RULES = make_rules("yodd", "hex2")
NAMES = ("ann", "bob")


def make_offer(black: str, white: str | None) -> NewGame:
    return NewGame("yodd", "hex2", "none", black, white, wall())


GAME = HostedGame("r1", RULES, "none", (Holder("ann"), Holder("bob")), Terms(is_rated=True))

BEGINNING = Beginning((Holder("ann"), Holder("bob")))


def finished(winner: Seat | None) -> Finished:
    setup = GameSetup(id="r1", rules=RULES, names=NAMES, clock=parse_clock("none"))
    found = void("test") if winner is None else forfeit(winner.other, Reason.TIME, "test")
    return ended(setup, found)


@attrs.define
class Setup:
    """A ledger with the answers of its users."""

    journal: DirectJournal
    ledger: Ledger = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        journal = cast("Any", self.journal)
        users = Users(journal, EngineRegistry(Clock().seconds), CurrentSettings())
        self.ledger = Ledger(journal, users)

    def begin(self) -> int:
        """The number of a game of ann against bob that has begun."""
        number = cast("int", self.ledger.offer(make_offer(*NAMES)).result)
        self.ledger.keeper(number)(GAME, BEGINNING)
        return number

    def end(self, number: int, winner: Seat | None) -> None:
        self.ledger.keeper(number)(GAME, finished(winner))


@pytest.fixture
def world(journal: DirectJournal) -> Setup:
    return Setup(journal)


def test_ledger_rates_results_during_a_rating_once_more_at_its_end(world: Setup) -> None:
    numbers = [world.begin() for _ in range(3)]
    world.journal.held = True
    for number in numbers:
        world.end(number, Seat.BLACK)
    ratings = [world.journal.release() for _ in range(3)]
    assert ratings == [1, 1, 0]  # that of the first result, one for both others, no more
    world.journal.held = False
    answers: list[Any] = []
    world.ledger.users.leaderboard("yodd", "hex2", answers.append)
    assert [line.split()[4] for line in answers[0]] == ["3", "3"]


def test_ledger_loads_the_games_in_play_and_forgets_offers(world: Setup) -> None:
    number = world.begin()
    world.ledger.offer(make_offer("ann", None))
    loaded = Deferred.fromCoroutine(world.ledger.load())
    assert [row.number for row in cast("list[Any]", loaded.result)] == [number]
    world.ledger.keeper(number)(GAME, Drop(None))
    world.journal.held = True
    world.end(world.begin(), None)
    assert world.journal.release() == 0  # no rating of a void game


def test_ledger_logs_in_one_line_that_ratings_are_not_computed(world: Setup) -> None:
    number = world.begin()
    world.journal.held = True
    world.end(number, Seat.BLACK)
    world.journal.is_away = True
    with capturedLogs() as logged:
        world.journal.release()
    assert [event["error"] for event in logged] == ["away"]
