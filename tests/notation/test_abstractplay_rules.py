"""The rules agree with Abstract Play's code."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.notation.abstractplay.games import disagreement, judged
from yoddd.kernel import best_position
from yoddd.rules import Position


@pytest.mark.invariant
def test_the_first_hundred_games_are_judged_as_by_abstract_play() -> None:
    assert [
        found for game in islice(judged(), 100) if (found := disagreement(game, Position))
    ] == []


@pytest.mark.invariant
@pytest.mark.whole
def test_a_hundred_thousand_positions_are_judged_as_by_abstract_play() -> None:
    positions = 0
    for game in judged():
        positions += len(game["moves"])
        assert disagreement(game, best_position()) == ""
    assert positions >= 100_000
