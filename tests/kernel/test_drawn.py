"""Drawn descriptions: solver, sweeps, playouts and search against a reading by itself."""

from __future__ import annotations

import random
from functools import cache

import pytest

from tests.rules.test_drawn import reading_of, turn_of
from tests.support.descriptions import random_rules, seeds_of
from tests.support.games import never
from tests.support.reading import Reading, State
from yoddd.engine import Budget, MctsSearcher
from yoddd.kernel import NativePosition, make_sweep, solve, sweep_cost
from yoddd.kernel.backend import native
from yoddd.kernel.solver import Method
from yoddd.rules import SWAP, Rules

pytestmark = pytest.mark.invariant

_BOARDS = ["hex2", "square2", "square3"]
_MOST = {"hex2": 7, "square2": 4, "square3": 6}
"""The empty cells that a search through all turns can afford."""


def endgame(rules: Rules, reading: Reading, seed: int) -> tuple[State, NativePosition] | None:
    """A position with few empty cells, or the first one of a small board; None if it is over."""
    rng, position = random.Random(seed), NativePosition(rules)
    state = State((None,) * rules.geometry.cells)
    most = _MOST[rules.geometry.name] - rng.randrange(3)
    while state.cells.count(None) > most and not reading.is_over(state):
        turns = reading.turns(state)
        turn = rng.choice([turn for turn in turns if turn != "pass"] or turns)
        state = reading.play(state, turn)
        position.play(turn_of(turn))
    return None if reading.is_over(state) else (state, position)


def check_exact(rules: Rules, seed: int) -> None:
    """Winners, distances and values of all turns, by colours."""
    reading = reading_of(rules)
    begun = endgame(rules, reading, seed)
    if begun is None:
        return
    state, position = begun

    @cache
    def value(at: State) -> tuple[int, int]:
        """The winner, and the number of turns to the end."""
        if reading.is_over(at):
            found = reading.outcome(at.cells)
            assert found is not None
            return found[0], 0
        after = [value(reading.play(at, turn)) for turn in reading.turns(at) if turn != "swap"]
        winner, distance = max(
            after, key=lambda one: (one[0] == at.player, -one[1] if one[0] == at.player else one[1])
        )
        return winner, distance + 1

    winner, distance = value(state)
    ways: list[tuple[Method, int | None]] = [("auto", None), ("search", None), ("search", 0)]
    for method, leaf in ways:
        found = solve(position, method=method, leaf=leaf, memory=16 << 20)
        assert found.winner == winner
        assert found.distance in {None, distance}
        if not rules.pie:
            line = position.copy()
            for turn in found.line:
                line.play(turn)
            assert line.outcome() is not None
    if sweep_cost(rules, state.cells.count(None)) is None:
        return
    for distances in (False, True):
        sweep = make_sweep(position, distances=distances)
        assert sweep is not None
        values = {one.turn: one for one in sweep.turns(position) if one.turn != SWAP}
        turns = {turn_of(turn): turn for turn in reading.turns(state) if turn != "swap"}
        assert set(values) == set(turns)
        for turn, one in values.items():
            wins, left = value(reading.play(state, turns[turn]))
            assert one.wins is (wins == state.player)
            assert one.distance in {None, left + 1}


def check_playouts(rules: Rules, seed: int) -> None:
    """They end where a game may end, and with its outcome."""
    reading = reading_of(rules)
    begun = endgame(rules, reading, seed)
    if begun is None:
        return
    state, position = begun
    for number in range(10):
        drawn = position.board.playout(native().Rng(seed, number))
        winner, score, black, white, stones, contents = drawn
        cells = tuple(None if content < 0 else content for content in contents)
        assert (winner, score) == reading.outcome(cells)
        assert (black, white) == tuple(map(len, reading.groups(cells)))
        assert all(old in {None, new} for old, new in zip(state.cells, cells, strict=True))
        assert cells.count(None) + stones == state.cells.count(None)
        assert reading.fits(cells)
        if not rules.has_pass:
            assert None not in cells


def check_search(rules: Rules, seed: int) -> None:
    """The engine plays legal turns to the end."""
    position, engine = NativePosition(rules), MctsSearcher()
    while not position.is_over:
        position.play(engine.search(position, Budget(playouts=40), seed, never).turn)


@pytest.mark.parametrize("seed", range(100))
def test_drawn_endgames_are_valued_and_played_out_as_by_the_reading(seed: int) -> None:
    rules = random_rules(seed, _BOARDS)
    check_exact(rules, seed)
    check_playouts(rules, seed)


def test_engine_plays_drawn_games_to_their_ends() -> None:
    for seed in range(60):
        check_search(random_rules(seed, ["hex3", "hex4", "square4", "square5"]), seed)


@pytest.mark.whole
@pytest.mark.parametrize("part", range(20))
def test_many_drawn_endgames_are_valued_and_played_out_as_by_the_reading(part: int) -> None:
    for seed in seeds_of(part):
        rules = random_rules(seed, _BOARDS)
        check_exact(rules, seed)
        check_playouts(rules, seed)
