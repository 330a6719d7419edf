"""Ladders: ranks, anchors, the choice of the next pair."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import pytest

from yoddd.referee.stats.elo import Z95
from yoddd.referee.stats.ratings import SCALE, Bout, rate_anchored, rate_entrants
from yoddd.referee.tournament.ladder import Rank, Result, next_pair, rank


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


def nothing(_one: str, _other: str) -> int:
    return 0


def test_next_pair_prefers_uncertain_and_even_pairs() -> None:
    sure = [Result("sure", "also", 200, 200), Result("also", "sure", 200, 200)]
    results = [*sure, Result("sure", "near", 2, 2)]
    assert "near" in (next_pair(["sure", "also", "near"], results, {}, nothing) or ())
    assert "fresh" in (next_pair(["sure", "also", "fresh"], results, {}, nothing) or ())
    anchors = {"sure": 0.0, "far": 1000.0}
    assert next_pair(["far", "near", "sure"], results, anchors, nothing) == ("near", "sure")
    assert next_pair(["sure"], results, {}, nothing) is None


def test_next_pair_needs_the_anchor_where_the_difference_is_known() -> None:
    met = [Result("a", "b", 100, 100), Result("b", "a", 100, 100), Result("a", "anchor", 1, 1)]
    pair = next_pair(["a", "b", "anchor"], met, {"anchor": 0.0}, nothing)
    assert "anchor" in (pair or ())


def test_next_pair_alternates_colours_and_pairs() -> None:
    begun = Counter[tuple[str, str]]()
    for _ in range(12):
        results = [Result(*pair, won, won) for pair, won in begun.items()]
        pair = next_pair(["a", "b", "c"], results, {}, lambda one, other: begun[one, other])
        assert pair is not None
        begun[pair] += 1
    for one, other in combinations("abc", 2):
        assert 3 <= begun[one, other] + begun[other, one] <= 5
        assert abs(begun[one, other] - begun[other, one]) <= 1


STRENGTHS = {"anchor": 0.0, "one": 60.0, "two": -80.0, "three": 120.0}


def simulate(
    games: int, seed: int, strengths: Mapping[str, float] = STRENGTHS
) -> tuple[dict[str, Rank], Counter[str]]:
    """A ladder of an anchor and other engines; Black's advantage is 40 Elo."""
    rng = random.Random(seed)
    begun = Counter[tuple[str, str]]()
    won = Counter[tuple[str, str]]()
    for _ in range(games):
        pair = next_pair(
            strengths,
            [Result(*key, won[key], begun[key] - won[key]) for key in begun],
            {"anchor": 0.0},
            lambda one, other: begun[one, other],
        )
        assert pair is not None
        begun[pair] += 1
        gap = strengths[pair[0]] - strengths[pair[1]] + 40
        won[pair] += rng.random() < 1 / (1 + 10 ** (-gap / 400))
    results = [Result(*key, won[key], begun[key] - won[key]) for key in begun]
    ranks = {one.name: one for one in rank(results, {"anchor": 0.0})}
    counts = Counter[str]()
    for pair, number in begun.items():
        counts.update(dict.fromkeys(pair, number))
    return ranks, counts


def test_ladder_with_an_anchor_converges_near_the_bound_of_information() -> None:
    ranks, counts = simulate(250, 3)
    # Of n even games each of three engines has n / 3 with the anchor, 0.25 / SCALE**2 each.
    bound = Z95 * SCALE / math.sqrt(0.25 * 250 / 3)
    worst = max(one.error for one in ranks.values())
    assert 0.9 * bound < worst < 1.1 * bound  # the prior tells a little as well
    assert counts["anchor"] > 250 / 4
    for name, elo in STRENGTHS.items():
        assert abs(ranks[name].elo - elo) <= 1.6 * bound
    assert not any(one.is_provisional for one in ranks.values())


@pytest.mark.parametrize("seed", [1, 2])
def test_ladder_with_a_hopeless_engine_spends_few_games_on_it(seed: int) -> None:
    ranks, counts = simulate(110, seed, STRENGTHS | {"hopeless": -3000.0})
    assert counts["hopeless"] <= 35
    assert max(ranks[name].error for name in STRENGTHS) < 150


def test_rank_of_few_games_is_provisional() -> None:
    ranks, _ = simulate(30, 3)
    assert ranks.keys() == STRENGTHS.keys()
    assert {name for name in ranks if not ranks[name].is_provisional} == {"anchor"}
