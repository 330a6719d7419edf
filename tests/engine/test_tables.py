"""Playing by the values of small boards."""

from __future__ import annotations

import functools
import random

import attrs
import pytest

from tests.kernel.tables import Made
from tests.support.engines import Answering, reported
from tests.support.games import never, outcome_of, won_by_passing
from yoddd.engine import (
    NO_TABLES,
    Budget,
    Insight,
    SmallBoards,
    StopFlag,
    Tabled,
    tables,
    values_of,
)
from yoddd.engine.uniform import UniformSearcher
from yoddd.kernel import NativePosition, TurnValue, backend
from yoddd.rules import PASS, Colour, PositionLike, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="solves boards")

SQUARE3 = make_rules("xodd", "square3")


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
        position = NativePosition(tables.rules)
        for _ in range(rng.randrange(3)):
            position.play(rng.choice(list(position.legal_turns())))
        values = values_of(tables, position)
        if not values or not values[0].wins or position.rules.pie:
            continue
        winner = position.player
        play(position, (perfect, weak) if winner == 0 else (weak, perfect), seed)
        assert outcome_of(position).winner is winner
        won += 1
    assert won or tables.rules.pie


def test_tabled_analysis_reports_every_turn_as_proven_with_its_distance() -> None:
    tables = made("xodd", "square3")
    position = NativePosition(tables.rules)
    reports: list[Insight] = []
    found = Tabled(UniformSearcher(), tables).analyze(position, Budget(), 0, never, reports.append)
    (insight,) = reports
    values = values_of(tables, position)
    assert [(one.turn, one.winrate, one.distance) for one in insight.candidates] == [
        (one.turn, float(one.wins), one.distance) for one in values
    ]
    best = insight.candidates[0]
    assert len(best.line) == best.distance
    after = position.copy()
    for turn in best.line:
        after.play(turn)
    assert after.is_over
    assert (found.turn, found.winrate) == (values[0].turn, 1.0)


def test_tabled_without_a_table_of_the_rules_searches() -> None:
    asked = Answering()
    position = NativePosition(make_rules("yodd", "hex3"))
    tabled = Tabled(asked, made("yodd", "hex2"))
    tabled.search(position, Budget(), 0, never)
    reported(tabled, position, Budget())
    assert (len(asked.budgets), tabled.name) == (2, asked.name)


@pytest.mark.parametrize(("seconds", "waits"), [(None, True), (10.0, True), (0.1, False)])
def test_tabled_waits_for_a_sweep_only_with_enough_time(seconds: float | None, waits: bool) -> None:
    asked: list[StopFlag | None] = []

    class Asked(SmallBoards):
        def find(self, rules: Rules, stop: StopFlag | None = None) -> tables.Table | None:
            asked.append(stop)
            return super().find(rules, stop)

    position = NativePosition(make_rules("yodd", "hex2"))
    Tabled(UniformSearcher(), Asked()).search(position, Budget(seconds=seconds), 0, never)
    assert [stop is not None for stop in asked] == [waits]


def test_small_board_is_solved_when_first_needed_and_kept() -> None:
    boards = SmallBoards()
    assert boards.find(SQUARE3) is boards.find(SQUARE3) is not None
    assert boards.find(make_rules("yodd", "hex4"), never) is None
    assert boards.find(make_rules("xodd", "square5")) is not None
    assert boards.find(make_rules("xodd", "square5", {"own_colour": "on"}), never) is None


def test_small_board_for_a_request_that_does_not_wait_takes_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boards = SmallBoards()
    monkeypatch.setattr(tables, "AT_ONCE", 0)
    assert boards.find(SQUARE3) is None
    assert boards.find(SQUARE3, never) is not None
    assert boards.find(SQUARE3) is not None


def test_small_boards_are_bounded_and_the_oldest_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boards = SmallBoards()
    monkeypatch.setattr(tables, "MOST_SOLVED", 2)
    square2, hex2 = make_rules("xodd", "square2"), make_rules("yodd", "hex2")
    first, second = boards.find(SQUARE3), boards.find(square2)
    assert boards.find(SQUARE3) is first
    boards.find(hex2)
    assert boards.find(SQUARE3) is first
    assert boards.find(square2) is not second


def test_small_boards_with_group_sizes_beyond_the_board_are_one() -> None:
    boards = SmallBoards()
    found = [boards.find(make_rules("odd", "square2", {"min_group": n})) for n in (5, 6, 900)]
    assert found[0] is not None
    assert found[0] is found[1] is found[2]


class Bare(Made):
    """A table without distances."""

    def reaches(self, position: PositionLike) -> bool:
        return self.table.reaches(position)

    def turns(self, position: PositionLike) -> list[TurnValue]:
        return [attrs.evolve(one, distance=None) for one in self.table.turns(position)]

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Bare:  # type: ignore[override]
        del rules, stop
        return self


def test_a_table_without_distances_answers_a_pass_by_a_pass_that_wins() -> None:
    rules = make_rules("yodd", "hex2")
    for player in Colour:
        position = won_by_passing(NativePosition, rules, player)
        insights: list[Insight] = []
        tabled = Tabled(UniformSearcher(), Bare(rules))
        found = tabled.analyze(position, Budget(), 1, never, insights.append)
        assert found.turn == insights[-1].candidates[0].turn == PASS
        assert tabled.search(position, Budget(), 1, never).turn == PASS
