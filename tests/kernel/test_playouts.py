"""Playouts against their specification, draw for draw."""

import itertools
import random

import pytest

from tests.kernel.playout_spec import Pcg32, play_out
from tests.support.games import SMALL_RULES, again, outcome_of, play_random, rules_id
from tests.support.trees import by_every_instruction_set
from yoddd.engine.uniform import random_turn
from yoddd.kernel import NativePosition
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of
from yoddd.rules import (
    Colour,
    IllegalPosition,
    Position,
    PositionLike,
    Rules,
    make_rules,
)

BIGGER_RULES = [
    make_rules("yodd", "hex5"),
    make_rules("yodd", "hex10"),
    make_rules("yodd", "hex13"),
    make_rules("yodd", "hex4", {"own_colour": "on"}),
    make_rules("xodd", "square5", {"own_colour": "on"}),
    make_rules("xodd", "square9"),
    make_rules("xodd", "square16"),
    make_rules("xodd", "square23"),
    make_rules("odd", "hex9"),
    make_rules("odd", "square16"),
    make_rules("product", "hex9"),
    make_rules("odd", "square24", {"min_group": "3"}),
    make_rules("yoin", "hex10"),
]


def compare(position: PositionLike, seed: int, index: int) -> None:
    expected, dropped = play_out(position, Pcg32.stream(seed, index))
    outcome = outcome_of(expected)
    board = board_of(position)
    rng = native().Rng(seed, index)
    winner, score, black, white, stones, cells = board.playout(rng)
    assert [None if cell < 0 else Colour(cell) for cell in cells] == list(expected.cells)
    assert (winner, score, stones) == (outcome.winner, outcome.score, dropped)
    assert (black, white) == expected.count()
    assert board.playouts(1, seed, index) == (outcome.winner is Colour.BLACK, dropped)


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_playouts_follow_their_specification(rules: Rules) -> None:
    for index in range(40):
        compare(play_random(Position, rules, index, index % 8), 5, index)


@pytest.mark.whole
@pytest.mark.parametrize("rules", BIGGER_RULES, ids=rules_id)
def test_playouts_follow_their_specification_on_bigger_boards(rules: Rules) -> None:
    position, rng = NativePosition(rules), random.Random(1)
    for _ in range(0 if rules.geometry.cells < 200 else rules.geometry.cells - 120):
        # Fill most of the board, so that the plain side has less to do.
        position.play(random_turn(position, rng))
        if position.cells.count(None) < 60:
            break
    for index in range(3):
        compare(again(Position, position), 6, index)


def test_set_ups_for_turn_one_start_with_a_single_legal_stone() -> None:
    rules = make_rules("yodd", "hex3")
    tried = 0
    for seed in range(60):
        source = play_random(Position, rules, seed, 4)
        try:
            position = Position.set_up(rules, source.cells, Colour.BLACK, 0, 1)
        except IllegalPosition:
            continue
        tried += 1
        compare(position, 7, seed)
    assert tried > 20


def test_groups_that_wind_up_and_down_are_counted_whole() -> None:
    rules = make_rules("odd", "square9")
    cells: list[Colour | None] = []
    for row, column in itertools.product(range(9), repeat=2):
        is_turn = row == 8 * (column // 2 % 2)
        cells.append(Colour.BLACK if column % 2 == 0 or is_turn else Colour.WHITE)
    cells[30:36] = [None] * 6
    position = Position.set_up(rules, cells, Colour.BLACK, 0, 76)
    for index in range(5):
        compare(position, 8, index)


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_a_batch_is_the_same_however_it_is_run(rules: Rules) -> None:
    board = NativePosition(rules).board
    for parts in ([300], [100] * 3, [1] * 300):
        found = [board.playouts(count, 9, count * i) for i, count in enumerate(parts)]
        assert tuple(map(sum, zip(*found, strict=True))) == board.playouts(300, 9)


@pytest.mark.parametrize(
    "rules",
    [
        make_rules("yodd", f"hex{size}", {"own_colour": own})
        for size in (3, 6, 7, 8, 10, 13)
        for own in ("on", "off")
    ]
    + [make_rules("xodd", f"square{size}") for size in (4, 12, 14, 19, 25)],
    ids=rules_id,
)
def test_every_instruction_set_gives_the_same(rules: Rules) -> None:
    def run() -> list[object]:
        rng = native().Rng(3)
        return [board.playout(rng) for _ in range(60)]

    board = NativePosition(rules).board
    found = by_every_instruction_set(run)
    assert all(batch == found[0] for batch in found)
    with pytest.raises(ValueError, match="no instruction set"):
        native().use_instruction_set("abacus")


def test_a_finished_game_counts_as_it_stands() -> None:
    position = play_random(NativePosition, make_rules("yodd", "hex3"), 1)
    won = outcome_of(position).winner is Colour.BLACK
    assert board_of(position).playouts(5, 1) == (5 * won, 0)
