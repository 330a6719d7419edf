"""Ladders: ranks, anchors, the choice of the next pair."""

from __future__ import annotations

from collections import Counter

import pytest

from yoddd.referee.ladder import Result, Strength, next_pair, rank
from yoddd.referee.stats.ratings import Bout, rate_anchored, rate_entrants


def test_rank_sorts_by_rating_and_counts_both_colours() -> None:
    ranks = rank([Result("ann", "bob", 6, 2), Result("bob", "ann", 3, 5)], {})
    assert [(one.name, one.games, one.won) for one in ranks] == [("ann", 16, 11), ("bob", 16, 5)]
    assert ranks[0].elo == pytest.approx(-ranks[1].elo)
    assert ranks[0].error > 0
    assert rank([], {"ann": 0.0}) == rank([Result("ann", "bob", 0, 0)], {}) == []


def test_rank_anchors_are_fixed_and_others_between_them() -> None:
    results = [Result("mid", "low", 30, 10), Result("mid", "high", 10, 30)]
    ranks = {one.name: one for one in rank(results, {"low": 0.0, "high": 400.0, "absent": 9.0})}
    assert (ranks["low"].elo, ranks["low"].error, ranks["low"].is_anchor) == (0.0, 0.0, True)
    assert ranks["high"].elo == 400.0
    # Sources: the model itself, 10:30 against 400 and 30:10 against 0 balance at 200.
    assert ranks["mid"].elo == pytest.approx(200.0, abs=1.0)


def test_rank_one_anchor_shifts_the_free_fit() -> None:
    bouts = [Bout(0, 1, 70, 30), Bout(1, 2, 60, 40), Bout(2, 0, 35, 65)]
    free = rate_entrants(3, bouts, prior=1e6)
    anchored = rate_anchored(3, bouts, {1: 1500.0}, prior=1e6)
    shift = 1500.0 - free.elo[1]
    assert anchored.elo == pytest.approx([elo + shift for elo in free.elo], abs=0.1)
    assert anchored.first == pytest.approx(free.first, abs=0.1)
    assert anchored.covariance[1][1] == 0.0


def test_rank_distant_anchors_and_clean_score_converge() -> None:
    ranks = rank(
        [Result("new", "a", 50, 0), Result("b", "new", 50, 0)], {"a": -3000.0, "b": 3000.0}
    )
    assert -3000.0 < next(one.elo for one in ranks if one.name == "new") < 3000.0


def test_next_pair_prefers_uncertain_and_even_pairs() -> None:
    strengths = {
        "sure": Strength(0.0, 20.0),
        "also": Strength(10.0, 20.0),
        "far": Strength(2500.0, 300.0),
        "near": Strength(0.0, 300.0),
    }
    none = Counter[tuple[str, str]]()

    def begun(one: str, other: str) -> int:
        return none[one, other]

    assert set(next_pair(strengths, strengths, begun) or ()) & {"near"}
    assert "far" not in (next_pair(strengths, strengths, begun) or ())
    assert set(next_pair(["sure", "also", "fresh"], strengths, begun) or ()) > {"fresh"}
    assert next_pair(["sure"], strengths, begun) is None


def test_next_pair_alternates_colours_and_pairs() -> None:
    begun = Counter[tuple[str, str]]()
    for _ in range(12):
        pair = next_pair(["a", "b", "c"], {}, lambda one, other: begun[one, other])
        assert pair is not None
        begun[pair] += 1
    assert sorted(begun.values()) == [2] * 6
