"""The table of square5 against itself, the solver and its images."""

from __future__ import annotations

import random

import pytest

from tests.kernel.endgames import swept
from tests.support.games import outcome_of
from yoddd.kernel import NativePosition
from yoddd.kernel.square5 import Square5, square5
from yoddd.notation import format_position
from yoddd.rules import PASS, PositionLike, make_rules

GAMES = ["xodd", "odd"]


def held(game: str) -> Square5:
    found = square5(make_rules(game, "square5"))
    assert found is not None
    return found


def lines(game: str, count: int, seed: int) -> list[PositionLike]:
    """The positions of random games as far as the table reaches."""
    table, rng = held(game), random.Random(seed)
    found: list[PositionLike] = []
    for _ in range(count):
        position = NativePosition(table.rules)
        while table.reaches(position) and not position.is_over:
            found.append(position.copy())
            position.play(rng.choice(list(position.legal_turns())))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_square5_value_of_a_turn_is_the_opponents_best_after_it(game: str) -> None:
    table, rng, compared = held(game), random.Random(2), 0
    for position in lines(game, 6, 1):
        values = table.turns(position)
        assert {one.turn for one in values} == set(position.legal_turns())
        for one in rng.sample(values, min(20, len(values))):
            after = position.copy()
            after.play(one.turn)
            if table.reaches(after) and not after.is_over:
                assert one.wins is not table.turns(after)[0].wins, format_position(after)
                compared += 1
    assert compared > 60


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_square5_last_values_are_those_of_a_sweep(game: str) -> None:
    table = held(game)
    last = [one for one in lines(game, 40, 3) if one.cells.count(None) == 20][:6]
    assert len(last) > 3
    for position in last:
        sweep = swept(position, threads=2, distances=False)
        values = {one.turn: one.wins for one in table.turns(position)}
        assert values == {one.turn: one.wins for one in sweep.turns(position)}


def test_square5_pass_that_ends_the_game_is_its_outcome() -> None:
    table = held("xodd")
    position = NativePosition.set_up(table.rules, [0, *[None] * 24], 1, 1, 3)  # type: ignore[arg-type,list-item]
    (value,) = [one for one in table.turns(position) if one.turn == PASS]
    position.play(PASS)
    assert (value.wins, value.distance) == (outcome_of(position).winner == 1, 1)


@pytest.mark.parametrize(
    ("game", "board", "options"),
    [("xodd", "square4", {}), ("xodd", "square5", {"own_colour": "on"}), ("yodd", "hex4", {})],
)
def test_square5_holds_no_other_rules(game: str, board: str, options: dict[str, str]) -> None:
    assert square5(make_rules(game, board, options)) is None
    assert not held("odd").reaches(NativePosition(make_rules(game, board, options)))
