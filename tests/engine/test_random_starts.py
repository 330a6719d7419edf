"""Random starts fill the wanted part, obey the rules, and are the more balanced of several."""

from __future__ import annotations

import random

import pytest

from tests.support.engines import Answering
from tests.support.games import SMALL_RULES, rules_id
from yoddd.engine import Budget, SearchResult, balanced_start, draw_start
from yoddd.engine.mcts import UctSearcher
from yoddd.engine.random_starts import CANDIDATES
from yoddd.notation import format_position, parse_position
from yoddd.rules import Colour, PositionLike, Rules, make_rules

ODD = make_rules("odd", "hex5")


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
@pytest.mark.parametrize("fill", [0.0, 0.3, 0.5, 0.8])
def test_draw_start_is_a_position_of_the_game_with_so_many_stones(
    rules: Rules, fill: float
) -> None:
    position = draw_start(rules, fill, random.Random(5))
    line = format_position(position)
    assert format_position(parse_position(line)) == line
    assert not position.is_over
    stones = len(position.cells) - position.cells.count(None)
    assert abs(stones - fill * rules.geometry.cells) <= 1.5
    if rules.only_own:
        counts = [position.cells.count(colour) for colour in Colour]
        assert counts[0] - counts[1] in (0, 1)


def test_balanced_start_is_the_most_balanced_of_those_judged() -> None:
    judged: list[float] = []

    def find(position: PositionLike, _budget: Budget) -> SearchResult:
        """Give Black, the more stones lie in the first row, the better a chance."""
        judged.append(abs(position.cells.index(Colour.BLACK) / 10 - 0.43))
        return SearchResult(next(position.legal_turns()), winrate=0.5 + judged[-1])

    found = balanced_start(ODD, 0.5, 3, Answering(find))
    assert len(judged) == CANDIDATES
    assert abs(found.cells.index(Colour.BLACK) / 10 - 0.43) == min(judged)
    assert min(judged) < judged[0]


def test_balanced_start_follows_from_the_seed_and_ends_when_stopped() -> None:
    first, again, other = (
        balanced_start(ODD, 0.5, seed, UctSearcher(), lambda: True) for seed in (1, 1, 2)
    )
    assert format_position(first) == format_position(again) != format_position(other)
    assert first.number == 31
    assert first.player is Colour.BLACK
