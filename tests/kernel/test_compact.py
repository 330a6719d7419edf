"""Compact sweeps, and the search above them, against exhaustive search and the full sweep."""

from __future__ import annotations

import functools

import pytest

from tests.kernel.endgames import random_endgame
from tests.kernel.test_sweep import LARGE, OPTIONS
from tests.support.games import rules_id
from yoddd.kernel import NativePosition, Sweep, backend, make_sweep, solve, sweep_cost
from yoddd.kernel.solver import SolverLimits, leaf_cells
from yoddd.notation import parse_position
from yoddd.rules import PositionLike, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

GAMES = [*OPTIONS, *LARGE]


def swept(position: PositionLike, *, threads: int = 1) -> Sweep:
    sweep = make_sweep(position, distances=False, threads=threads)
    assert sweep is not None
    return sweep


def check(position: PositionLike, follow: int, threads: int = 1) -> None:
    """Compare with the full sweep, for some positions that follow as well."""
    if position.is_over:
        return
    compact, full = swept(position, threads=threads), make_sweep(position)
    assert full is not None
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


@pytest.mark.parametrize(
    "line",
    [
        "yodd hex2 2/3/2 b 0 1",
        "yodd hex2 b1/3/2 w 0 2",
        "yodd hex2 2/3/2 b 0 1 own_colour=on",
        "xodd square2 2/2 b 0 1",
        "odd hex2 2/3/2 b 0 1",
        "product hex2 2/3/2 b 0 1",
        "product hex2 b1/3/2 w 0 2",
        "yoin hex2 2/3/2 b 0 1 pie=off",
    ],
)
def test_first_turns_have_the_outcomes_of_the_full_sweep(line: str) -> None:
    check(parse_position(line, NativePosition), follow=3)


def test_compact_sweep_takes_less_memory() -> None:
    rules = make_rules("yodd", "hex4")
    full, compact = (sweep_cost(rules, 19, distances=distances) for distances in (True, False))
    assert full is not None
    assert compact is not None
    assert 7 * compact.memory < full.memory
    assert 7 * compact.seconds > full.seconds > compact.seconds


@pytest.mark.parametrize("rules", GAMES, ids=rules_id)
def test_solver_makes_a_compact_sweep_where_memory_forbids_a_full_one(rules: Rules) -> None:
    position = random_endgame(rules, 2, 9)
    cost = sweep_cost(rules, position.cells.count(None), distances=False)
    assert cost is not None
    memory = cost.memory + 1
    solution = solve(position, method="compact", memory=memory)
    full = solve(position, method="sweep")
    assert solution.winner is full.winner
    assert (solution.distance is None) is rules.has_pass
    for turn in solution.line:
        position.play(turn)
    outcome = position.outcome()
    assert outcome is not None
    if not rules.pie:
        assert outcome.winner is solution.winner
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
        outcome = position.outcome()
        assert outcome is not None
        assert rules.pie or outcome.winner is found.winner


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
        cost = sweep_cost(rules, cells[memory], distances=False)
        assert cost is not None
        assert cost.memory <= memory
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
