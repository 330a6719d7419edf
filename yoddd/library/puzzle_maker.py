"""Makes puzzles from self-play and grades them; the same seed makes the same puzzle."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from yoddd.engine import LEVELS, Budget, Levelled, MctsSearcher, Searcher
from yoddd.engine.uniform import UniformSearcher
from yoddd.kernel import Sweep, TurnValue, best_position, make_sweep, solve
from yoddd.library.puzzles import EMPTY, Puzzle
from yoddd.library.symmetry import sole_win
from yoddd.notation import format_position, format_turn
from yoddd.rules import PositionLike, Rules, Turn
from yoddd.rules.shared import SWAP_TURN

NODES: Final = 300_000
"""The most nodes of the proof search that grades."""

PLAYOUTS: Final = 10_000
"""The playouts of the highest level, which has no limit of its own."""

TRIALS: Final = 3
"""Searches of a level, of which most have to find the turn."""

_STRENGTHS: Final = (30, 60, 120)
"""The playouts a turn of which self-play has one for each game."""

_RANDOM_TURNS: Final = (2, 8)
"""The least and the most random turns at the beginning of a game."""

_WALKS: Final = 8
"""How often the end of each game is played."""

_BLUNDER: Final = 0.4
"""The probability of a random turn at the end, which is played perfectly otherwise."""

_SHORTEST: Final = 3
"""Shorter ways to the end are no puzzles."""

_FEWEST: Final = 8
"""Positions with fewer legal turns are no puzzles."""

_SEEDS: Final = 1 << 31


def make_puzzle(rules: Rules, seed: int) -> Puzzle | None:
    """The puzzle from one game of self-play; None if that game has none.

    Args:
        rules: the game, the board and the options.
        seed: of the game.

    Raises:
        KernelMissing: there is no native kernel.
    """
    rng = random.Random(f"{name_of(rules)} {seed}")
    start = _play_until_swept(rules, rng)
    if start is None:
        return None
    sweep = make_sweep(start)
    assert sweep is not None  # noqa: S101 — it has no limit
    found = [one for _ in range(_WALKS) for one in _walk(start.copy(), sweep, rng)]
    if not found:
        return None
    position, values = rng.choice(found)
    return _grade(position, values, f"{name_of(rules)}-{seed}", rng.randrange(_SEEDS))


def name_of(rules: Rules) -> str:
    """The beginning of the ids of puzzles under these rules."""
    options = [f"{name}={text}" for name, text in rules.chosen_options().items()]
    return "-".join([rules.game.name, rules.geometry.name, *options])


def _play_until_swept(rules: Rules, rng: random.Random) -> PositionLike | None:
    """The first position of a game with few empty cells; None if the game ends before."""
    position = best_position()(rules)
    engine: Searcher = MctsSearcher()
    budget = Budget(playouts=rng.choice(_STRENGTHS))
    opening = rng.randint(*_RANDOM_TURNS)
    while position.cells.count(None) >= EMPTY.stop:
        player = UniformSearcher() if position.number <= opening else engine
        seed = rng.randrange(_SEEDS)
        position.play(player.search(position, budget, seed, _no_stop).turn)
        if position.is_over:
            return None
    return position


def _walk(
    position: PositionLike, sweep: Sweep, rng: random.Random
) -> Iterator[tuple[PositionLike, tuple[TurnValue, ...]]]:
    """The puzzles on the way to the end, with the values of their turns."""
    while not position.is_over and position.cells.count(None) in EMPTY:
        values = sweep.turns(position)
        if _is_puzzle(position, values):
            yield position.copy(), values
        position.play(_next_turn(values, rng))


def _is_puzzle(position: PositionLike, values: tuple[TurnValue, ...]) -> bool:
    if position.passes or position.number <= SWAP_TURN or len(values) < _FEWEST:
        return False
    if (values[0].distance or 0) < _SHORTEST:
        return False
    return bool(sole_win(position, values))


def _next_turn(values: tuple[TurnValue, ...], rng: random.Random) -> Turn:
    wins = [value for value in values if value.wins]
    blunder = not wins or rng.random() < _BLUNDER
    return rng.choice(values if blunder else wins).turn


# -- grades ---------------------------------------------------------------------------------


def _grade(position: PositionLike, values: tuple[TurnValue, ...], name: str, seed: int) -> Puzzle:
    # Engines and the solver see the position without its game, as solvers of puzzles do.
    bare = best_position().set_up(
        position.rules, position.cells, position.player, position.passes, position.number
    )
    wins = sole_win(position, values)
    turns = frozenset(value.turn for value in wins)
    solution = solve(bare, nodes=NODES, method="search", leaf=0)
    return Puzzle(
        id=name,
        position=format_position(bare),
        turns=tuple(sorted(format_turn(turn, bare.rules) for turn in turns)),
        distance=wins[0].distance or 0,
        legal=len(values),
        level=_level(bare, turns, seed),
        nodes=None if solution.winner is None else solution.nodes,
    )


def _level(position: PositionLike, turns: frozenset[Turn], seed: int) -> int | None:
    """The lowest level that finds one of ``turns`` in most of its searches."""
    for number, level in enumerate(LEVELS, 1):
        found = 0
        for trial in range(TRIALS):
            engine = Levelled(MctsSearcher(), level)
            budget = Budget(playouts=PLAYOUTS)
            found += engine.search(position, budget, seed + trial, _no_stop).turn in turns
        if 2 * found > TRIALS:
            return number
    return None


def _no_stop() -> bool:
    return False
