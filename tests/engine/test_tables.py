"""Playing by complete tables."""

from __future__ import annotations

import functools
import random

import pytest

from tests.kernel.tables import Made
from tests.support.games import won_by_passing
from yoddd.engine import (
    NO_TABLES,
    Budget,
    Insight,
    InsightCallback,
    NoLegalTurn,
    SearchResult,
    StopFlag,
    Tabled,
    value_of,
    values_of,
)
from yoddd.engine.uniform import UniformSearcher
from yoddd.kernel import backend, best_position
from yoddd.kernel.table import Table
from yoddd.kernel.table_file import TableError
from yoddd.rules import PASS, RESIGN, Colour, PositionLike, Rules, Turn, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="builds tables")


def never() -> bool:
    return False


@functools.cache
def made(game: str, board: str) -> Made:
    return Made(make_rules(game, board))


def play(position: PositionLike, searchers: tuple[Tabled, Tabled], seed: int) -> int:
    """Play to the end of the game; the number of turns."""
    turns = 0
    while not position.is_over:
        found = searchers[position.player].search(position, Budget(), seed + turns, never)
        position.play(found.turn)
        turns += 1
    return turns


@pytest.mark.parametrize(
    ("game", "board"),
    [
        ("yodd", "hex2"),
        ("xodd", "square3"),
        ("odd", "square3"),
        ("yoin", "hex2"),
        ("product", "hex2"),
    ],
)
def test_tabled_against_random_play_keeps_every_won_position(game: str, board: str) -> None:
    tables, rng = made(game, board), random.Random(3)
    perfect, weak = Tabled(UniformSearcher(), tables), Tabled(UniformSearcher(), NO_TABLES)
    won = 0
    for seed in range(20):
        position = best_position()(tables.rules)
        for _ in range(rng.randrange(3)):
            position.play(rng.choice(list(position.legal_turns())))
        if position.is_over or not tables.table.value(position).won or position.rules.pie:
            continue
        winner = position.player
        play(position, (perfect, weak) if winner == 0 else (weak, perfect), seed)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner is winner
        won += 1
    assert won or tables.rules.pie


def test_tabled_on_both_sides_ends_after_the_distance() -> None:
    tables = made("yodd", "hex2")
    perfect = Tabled(UniformSearcher(), tables)
    position = best_position()(tables.rules)
    distance = tables.table.value(position).turns
    assert play(position, (perfect, perfect), 0) == distance


def test_tabled_analysis_reports_every_turn_as_proven_with_its_distance() -> None:
    tables = made("xodd", "square3")
    position = best_position()(tables.rules)
    reports: list[Insight] = []
    found = Tabled(UniformSearcher(), tables).analyze(position, Budget(), 0, never, reports.append)
    (insight,) = reports
    turns = tables.table.turns(position)
    assert [(one.turn, one.winrate, one.distance) for one in insight.candidates] == [
        (turn, float(value.won), value.turns) for turn, value in turns
    ]
    best = insight.candidates[0]
    assert len(best.line) == best.distance
    after = position.copy()
    for turn in best.line:
        after.play(turn)
    assert after.is_over
    assert (found.turn, found.winrate) == (turns[0][0], 1.0)


class Counting(UniformSearcher):
    """Plays at random and counts its searches."""

    searches = 0

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        self.searches += 1
        return super().search(position, budget, seed, stop)


def test_tabled_without_a_table_of_the_rules_searches() -> None:
    counting = Counting()
    position = best_position()(make_rules("yodd", "hex3"))
    ignore: InsightCallback = lambda _insight: None  # noqa: E731 — typed
    tabled = Tabled(counting, made("yodd", "hex2"))
    tabled.search(position, Budget(), 0, never)
    tabled.analyze(position, Budget(), 0, never, ignore)
    assert (counting.searches, tabled.name) == (2, counting.name)


def test_tabled_in_a_finished_game_has_no_turn() -> None:
    position = best_position()(make_rules("yodd", "hex2"))
    position.play(RESIGN)
    with pytest.raises(NoLegalTurn):
        Tabled(UniformSearcher(), made("yodd", "hex2")).search(position, Budget(), 0, never)


class Damaged(Made):
    """A set whose table turns out to be damaged when it is read."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.discarded: list[str] = []

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        found = None if self.discarded else super().find(rules, stop)
        if found is not None:
            data = bytearray(self.data)
            begin = len(data) * 5 // 8  # behind the sets, which are read at once
            data[begin:] = bytes(len(data) - begin)
            return Table(bytes(data))
        return found

    def discard(self, rules: Rules, error: TableError) -> None:
        self.discarded.append(f"{rules.geometry.name}: {error}")


def test_damaged_table_is_discarded_and_not_played_from() -> None:
    tables = Damaged(make_rules("xodd", "square3"))
    position = best_position()(tables.rules)
    counting = Counting()
    found = Tabled(counting, tables).search(position, Budget(), 0, never)
    assert position.is_legal(found.turn)
    assert counting.searches == 1
    (text,) = tables.discarded
    assert "square3: section" in text
    assert values_of(tables, position) == ()
    assert value_of(tables, position) is None


@pytest.mark.parametrize(("seconds", "waits"), [(None, True), (10.0, True), (0.1, False)])
def test_tabled_waits_for_a_build_only_with_enough_time(seconds: float | None, waits: bool) -> None:
    asked: list[StopFlag | None] = []

    class Asked(Made):
        def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
            asked.append(stop)
            return super().find(rules, stop)

    position = best_position()(make_rules("yodd", "hex2"))
    Tabled(UniformSearcher(), Asked(position.rules)).search(
        position, Budget(seconds=seconds), 0, never
    )
    assert [stop is not None for stop in asked] == [waits]


def test_values_of_are_those_of_every_legal_turn() -> None:
    tables = made("product", "hex2")
    position = best_position()(tables.rules)
    turns: list[Turn] = [turn for turn, _ in values_of(tables, position)]
    assert set(turns) == set(position.legal_turns())


def test_a_table_without_distances_answers_a_pass_by_a_pass_that_wins() -> None:
    rules = make_rules("yodd", "hex2")
    table = Made(rules, distances=False)
    for player in Colour:
        position = won_by_passing(best_position(), rules, player)
        insights: list[Insight] = []
        tabled = Tabled(UniformSearcher(), table)
        found = tabled.analyze(position, Budget(), 1, never, insights.append)
        assert found.turn == insights[-1].candidates[0].turn == PASS
        assert tabled.search(position, Budget(), 1, never).turn == PASS
