"""Sweeps of an empty board keep one of all symmetric images, and White's values as Black's with the
colours exchanged."""

from __future__ import annotations

import pytest

from tests.kernel.endgames import swept
from tests.support.games import rules_id
from yoddd.kernel import NativePosition
from yoddd.rules import PositionLike, Rules, Turn, make_rules

pytestmark = pytest.mark.whole

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


def values(position: PositionLike) -> dict[Turn, tuple[bool, int | None]]:
    sweep = swept(position, distances=position.cells.count(None) < 16)
    return {value.turn: (value.wins, value.distance) for value in sweep.turns(position)}


@pytest.mark.parametrize("rules", SMALL, ids=rules_id)
def test_sweep_after_each_first_turn_has_the_values_of_the_empty_board(rules: Rules) -> None:
    start = NativePosition(rules)
    whole = swept(start, distances=rules.geometry.cells < 17)
    compared = 0
    for turn in [one for one in start.legal_turns() if len(one.stones) == 1]:
        after = start.copy()
        after.play(turn)
        found = {value.turn: (value.wins, value.distance) for value in whole.turns(after)}
        assert found == values(after), turn
        compared += len(found)
    assert compared
