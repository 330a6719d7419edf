"""Turns whose first stone has been placed already."""

from __future__ import annotations

import pytest

from tests.support.engines import Answering
from tests.support.games import never, outcome_of
from yoddd.engine import ENGINES, Budget, Completion, SearchResult
from yoddd.notation import format_turn, parse_position, parse_turn
from yoddd.rules import PositionLike, Stone, Turn


def valued(winrate: float | None) -> Answering:
    """An engine that gives every position the same value; None for none."""
    return Answering(
        lambda position, budget: SearchResult(
            next(position.legal_turns()), budget.playouts or 0, winrate
        )
    )


def completions(position: PositionLike, first: Stone) -> list[Turn]:
    return [turn for turn in position.legal_turns() if first in turn.stones]


@pytest.mark.parametrize("line", ["yodd hex3 3/4/2b2/4/3 w 0 2", "product hex3 3/4/2b2/4/3 w 0 2"])
def test_completion_tries_every_turn_with_the_stone(line: str) -> None:
    position = parse_position(line)
    (first,) = parse_turn("1a1", position.rules, position.player).stones
    engine = valued(None)
    found = Completion(engine, first).search(position, Budget(playouts=1000), 1, never)
    legal = completions(position, first)
    assert found.turn in legal
    assert len(engine.budgets) == len(legal)
    assert {budget.playouts for budget in engine.budgets} == {1000 // len(legal)}
    assert position.history == ()


def test_completion_takes_the_turn_that_wins_at_once() -> None:
    """Odd with two empty cells left of one: the last stone decides."""
    position = parse_position("odd hex2 bw/b1w/bw b 0 7 min_group=2")
    for colour in "12":
        (first,) = parse_turn(f"{colour}b2", position.rules, position.player).stones
        found = Completion(valued(0.5), first).search(position, Budget(), 1, never)
        assert format_turn(found.turn, position.rules) == f"{colour}b2"
        child = position.copy()
        child.play(found.turn)
        assert found.winrate == float(outcome_of(child).winner is position.player)


def test_completion_prefers_what_leaves_the_opponent_least() -> None:
    position = parse_position("yodd hex3 3/4/2b2/4/3 w 0 2")
    (first,) = parse_turn("1a1", position.rules, position.player).stones
    legal = completions(position, first)

    def find(position: PositionLike, _budget: Budget) -> SearchResult:
        winrate = 0.1 if len(judge.budgets) == 3 else 0.7
        return SearchResult(next(position.legal_turns()), 1, winrate)

    judge = Answering(find)
    found = Completion(judge, first).search(position, Budget(), 1, never)
    assert found.turn == legal[2]
    assert found.winrate == pytest.approx(0.9)
    assert found.playouts == len(legal)


def test_completion_stops_with_the_best_so_far() -> None:
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    (first,) = parse_turn("2a1", position.rules, position.player).stones
    engine = valued(0.5)
    found = Completion(engine, first).search(position, Budget(seconds=1.0), 1, lambda: True)
    assert first in found.turn.stones
    assert len(engine.budgets) == 1
    assert engine.budgets[0].seconds is not None
    assert engine.budgets[0].seconds < 0.1


def test_completion_of_a_real_engine_is_legal() -> None:
    position = parse_position("yodd hex3 3/4/2b2/4/3 w 0 2")
    (first,) = parse_turn("2b2", position.rules, position.player).stones
    found = Completion(ENGINES["uct"](), first).search(position, Budget(playouts=200), 1, never)
    assert position.is_legal(found.turn)
    assert first in found.turn.stones
    assert found.winrate is not None
