"""Sweeps of an empty board keep one of all symmetric images, and White's values as Black's with the
colours exchanged. Sweeps of endgames keep all: they give each image a value of its own."""

from __future__ import annotations

import pytest

from tests.kernel.endgames import random_endgame
from tests.support.games import rules_id
from yoddd.kernel import NativePosition, backend, make_sweep
from yoddd.rules import Colour, PositionLike, Rules, Stone, Turn, TurnKind, make_rules

pytestmark = [
    pytest.mark.skipif(not backend().is_native, reason="needs the native kernel"),
    pytest.mark.whole,
]

SMALL = [
    make_rules("xodd", "square4"),
    make_rules("xodd", "square4", {"own_colour": "on"}),
    make_rules("xodd", "square4", {"end_on_full": "on"}),
    make_rules("odd", "square4", {"min_group": 3}),
    make_rules("yodd", "hex3"),
    make_rules("odd", "hex3"),
    make_rules("yoin", "hex3"),
    make_rules("product", "hex3"),
]
LARGE = [make_rules("xodd", "square5"), make_rules("odd", "square5")]


def values(position: PositionLike) -> dict[Turn, tuple[bool, int | None]]:
    sweep = make_sweep(position, distances=position.cells.count(None) < 16)
    assert sweep is not None
    return {value.turn: (value.wins, value.distance) for value in sweep.turns(position)}


def mirrored(position: PositionLike, symmetry: tuple[int, ...]) -> NativePosition:
    cells: list[Colour | None] = [None] * len(position.cells)
    for cell, content in enumerate(position.cells):
        cells[symmetry[cell]] = content
    return NativePosition.set_up(
        position.rules, tuple(cells), position.player, position.passes, position.number
    )


def image(turn: Turn, symmetry: tuple[int, ...]) -> Turn:
    if turn.kind is not TurnKind.DROP:
        return turn
    return Turn.drop(*(Stone(colour, symmetry[cell]) for colour, cell in turn.stones))


@pytest.mark.parametrize("rules", SMALL, ids=rules_id)
def test_sweep_after_each_first_turn_has_the_values_of_the_empty_board(rules: Rules) -> None:
    start = NativePosition(rules)
    whole = make_sweep(start, distances=rules.geometry.cells < 17)
    assert whole is not None
    compared = 0
    for turn in [one for one in start.legal_turns() if len(one.stones) == 1]:
        after = start.copy()
        after.play(turn)
        found = {value.turn: (value.wins, value.distance) for value in whole.turns(after)}
        assert found == values(after), turn
        compared += len(found)
    assert compared


@pytest.mark.parametrize("rules", LARGE, ids=rules_id)
def test_images_of_a_position_of_square5_swept_one_by_one_have_its_values(rules: Rules) -> None:
    symmetries = rules.geometry.symmetries
    for seed in range(4):
        position = random_endgame(rules, seed, 17)
        known = values(position)
        for symmetry in symmetries:
            found = values(mirrored(position, symmetry))
            assert found == {image(turn, symmetry): value for turn, value in known.items()}
