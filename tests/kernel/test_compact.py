"""Compact sweeps, and the search above them, against exhaustive search and the full sweep."""

from __future__ import annotations

import functools

import pytest

from tests.kernel.endgames import cost_of, random_endgame, swept
from tests.kernel.test_sweep import LARGE, OPTIONS
from tests.support.games import outcome_of, rules_id
from yoddd.kernel import solve
from yoddd.kernel.solver import SolverLimits, leaf_cells
from yoddd.rules import PositionLike, Rules, make_rules

GAMES = [*OPTIONS, *LARGE]


def check(position: PositionLike, follow: int, threads: int = 1) -> None:
    """Compare with the full sweep, for some positions that follow as well."""
    if position.is_over:
        return
    compact, full = swept(position, threads, distances=False), swept(position)
    assert compact.wins is full.turns(position)[0].wins
    after = position.copy()
    for step in range(follow + 1):
        assert compact.covers(after)
        found = {outcome.turn: outcome.wins for outcome in compact.turns(after)}
        assert found == {value.turn: value.wins for value in full.turns(after)}
        turns = list(after.legal_turns())
        if not turns:
            return
        after.play(turns[7919 * (step + 1) % len(turns)])


@pytest.mark.parametrize("rules", GAMES, ids=rules_id)
@pytest.mark.parametrize("empty", range(1, 10))
def test_compact_sweep_agrees_with_the_full_one(rules: Rules, empty: int) -> None:
    check(random_endgame(rules, 3 * empty, empty), follow=4, threads=1 + empty % 2)


def test_compact_sweep_takes_less_memory() -> None:
    rules = make_rules("yodd", "hex4")
    full, compact = (cost_of(rules, 19, distances=distances) for distances in (True, False))
    assert 7 * compact.memory < full.memory
    assert 7 * compact.seconds > full.seconds > compact.seconds


@pytest.mark.parametrize("rules", GAMES, ids=rules_id)
def test_solver_makes_a_compact_sweep_where_memory_forbids_a_full_one(rules: Rules) -> None:
    position = random_endgame(rules, 2, 9)
    memory = cost_of(rules, position.cells.count(None), distances=False).memory + 1
    solution = solve(position, method="compact", memory=memory)
    full = solve(position, method="sweep")
    assert solution.winner is full.winner
    assert (solution.distance is None) is rules.has_pass
    for turn in solution.line:
        position.play(turn)
    assert rules.pie or outcome_of(position).winner is solution.winner
    with pytest.raises(ValueError, match="do not allow"):
        solve(random_endgame(rules, 2, 9), method="compact", memory=1)


@pytest.mark.parametrize("rules", GAMES, ids=rules_id)
@pytest.mark.parametrize(
    ("leaf", "threads"),
    [
        pytest.param(0, 1, marks=pytest.mark.whole),
        pytest.param(0, 2, marks=pytest.mark.whole),
        (4, 1),
        (6, 2),
        (7, 1),
    ],
)
def test_search_has_the_winner_of_the_sweep(rules: Rules, leaf: int, threads: int) -> None:
    for seed in range(2):
        position = random_endgame(rules, seed, 8)
        found = solve(position, method="search", leaf=leaf, threads=threads)
        assert found.winner is solve(position, method="sweep").winner
        assert position.is_over or (found.sweeps > 0) is (leaf > 0)
        for turn in found.line:
            position.play(turn)
        assert rules.pie or outcome_of(position).winner is found.winner


@pytest.mark.whole
@pytest.mark.parametrize("game", ["yodd", "odd", "yoin"])
def test_search_that_a_tree_search_guides_has_the_winner_of_the_sweep(game: str) -> None:
    for seed in range(4):
        position = random_endgame(make_rules(game, "hex4"), seed, 17)
        found = solve(position, method="search", leaf=15, memory=64 << 20)
        assert found.winner is solve(position, method="compact", memory=64 << 20).winner
        assert found.nodes > found.sweeps > 0


def test_search_keeps_its_sweeps_within_the_memory() -> None:
    rules = make_rules("yodd", "hex4")
    position = random_endgame(rules, 1, 24)
    cells = {}
    for memory in (1 << 20, 64 << 20, 1 << 30):
        cells[memory] = leaf_cells(position, SolverLimits(0, 0, memory, 2))
        assert cost_of(rules, cells[memory], distances=False).memory <= memory
    assert cells[1 << 20] < cells[64 << 20] < cells[1 << 30]
    assert leaf_cells(position, SolverLimits(64 * 3**5, 0, 1 << 30, 2)) == 5
    small = random_endgame(rules, 1, 12)
    assert leaf_cells(small, SolverLimits(0, 0, 64 << 20, 2)) == small.cells.count(None)


@pytest.mark.parametrize("threads", [1, 2])
def test_search_with_sweeps_ends_when_it_is_asked_to(threads: int) -> None:
    position = random_endgame(make_rules("yodd", "hex4"), 1, 24)
    search = functools.partial(solve, position, method="search", threads=threads)
    assert search(stop=lambda: True).winner is None
    assert search(seconds=0.05).winner is None
