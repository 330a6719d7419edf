"""Makes puzzles from self-play and grades them; the same seed makes the same puzzle."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from yoddd.engine import LEVELS, Budget, Levelled, MctsSearcher, Searcher
from yoddd.engine.uniform import UniformSearcher
from yoddd.kernel import Sweep, TurnValue, best_position, make_sweep, solve
from yoddd.library.puzzles import EMPTY, Puzzle
from yoddd.library.symmetry import key_of, sole_win
from yoddd.notation import format_position, format_turn
from yoddd.rules import Colour, PositionLike, Rules, Turn
from yoddd.rules.shared import SWAP_TURN

NODES: Final = 300_000
"""The most nodes of the proof search that grades."""

PLAYOUTS: Final = 10_000
"""The playouts of the highest level, which has no limit of its own."""

TRIALS: Final = 3
"""The number of searches of a level, the majority of which must find the turn."""

_STRENGTHS: Final = (30, 60, 120)
"""Playouts a turn in self-play; each game takes one of these numbers."""

_RANDOM_TURNS: Final = (2, 8)
"""The least and the most random turns at the beginning of a game."""

_WALKS: Final = 100
"""How often at most the end of a game is played for each puzzle."""

_BLUNDER: Final = 0.4
"""The probability of a random turn at the end, which is played perfectly otherwise."""

_COUNTED: Final = 14
"""With more empty cells the sweep below the walks is one without distances, which takes a fifth of
the time, and no proof search grades."""

_SEEDS: Final = 1 << 31


@attrs.frozen
class Demand:
    """The positions that are puzzles, and how many of them a game gives.

    Attributes:
        empty: the numbers of empty cells.
        distance: the least number of turns to the end.
        legal: the least number of legal turns.
        level: the lowest level that may find the turn.
        each: the most puzzles from one game; so many seeds in a row share it, and its sweep.
    """

    empty: range = range(EMPTY.start, _COUNTED + 1)
    distance: int = 3
    legal: int = 8
    level: int = 1
    each: int = 1


def make_puzzle(rules: Rules, demand: Demand, seed: int) -> Puzzle | None:
    """A puzzle from a game of self-play; None if that game has none, or no further one.

    Args:
        rules: the game, the board and the options.
        demand: the positions that are puzzles.
        seed: of the game and of the puzzle.

    Raises:
        KernelMissing: there is no native kernel.
    """
    game, at = divmod(seed, demand.each)
    found = _puzzles_of(rules, demand, game)
    if at >= len(found):
        return None
    graded = found[at]
    distance = graded.distance or _distance(graded.position)
    if distance < demand.distance:
        return None
    return Puzzle(
        id=f"{name_of(rules)}-{seed}",
        position=format_position(graded.position),
        turns=tuple(sorted(format_turn(turn, rules) for turn in graded.turns)),
        distance=distance,
        legal=graded.legal,
        level=graded.level,
        nodes=_nodes(graded.position),
    )


def name_of(rules: Rules) -> str:
    """The beginning of the ids of puzzles under these rules."""
    options = [f"{name}={text}" for name, text in rules.chosen_options().items()]
    return "-".join([rules.game.name, rules.geometry.name, *options])


@attrs.frozen
class _Graded:
    """A position that is a puzzle.

    Attributes:
        position: without its game, as engines and those who solve puzzles see it.
        turns: those that win.
        legal: the number of legal turns.
        distance: turns to the end of the game; None if the sweep has not counted them.
        level: the lowest level that finds one of the turns; None if none does.
    """

    position: PositionLike
    turns: frozenset[Turn]
    legal: int
    distance: int | None
    level: int | None


@functools.lru_cache(maxsize=1)
def _puzzles_of(rules: Rules, demand: Demand, game: int) -> tuple[_Graded, ...]:
    """The positions of a game that are puzzles, one of each of the ways to its end."""
    rng = random.Random(f"{name_of(rules)} {game}")
    start = _play_until_swept(rules, demand.empty, rng)
    if start is None:
        return ()
    sweep = _swept(start, distances=start.cells.count(None) <= _COUNTED)
    found: list[_Graded] = []
    seen: set[str] = set()
    known: _Known = {}
    for _ in range(_WALKS * demand.each):
        walk = list(_walk(start.copy(), sweep, demand, known, rng))
        if not walk:
            continue
        position = rng.choice(walk)
        key = key_of(position)
        if key in seen:
            continue
        seen.add(key)
        graded = _grade(position, sweep.turns(position), rng.randrange(_SEEDS))
        if graded.level is None or graded.level >= demand.level:
            found.append(graded)
        if len(found) == demand.each:
            break
    return tuple(found)


def _swept(position: PositionLike, *, distances: bool) -> Sweep:
    sweep = make_sweep(position, distances=distances)
    assert sweep is not None  # noqa: S101 — it has no limit
    return sweep


def _distance(position: PositionLike) -> int:
    return _swept(position, distances=True).turns(position)[0].distance or 0


def _play_until_swept(rules: Rules, empty: range, rng: random.Random) -> PositionLike | None:
    """The first position of a game with few empty cells; None if the game ends before."""
    position = best_position()(rules)
    engine: Searcher = MctsSearcher()
    budget = Budget(playouts=rng.choice(_STRENGTHS))
    opening = rng.randint(*_RANDOM_TURNS)
    while position.cells.count(None) >= empty.stop:
        player = UniformSearcher() if position.number <= opening else engine
        seed = rng.randrange(_SEEDS)
        position.play(player.search(position, budget, seed, _no_stop).turn)
        if position.is_over:
            return None
    return position


_Key = tuple[Sequence[Colour | None], Colour, int]
_Known = dict[_Key, tuple[tuple[TurnValue, ...], bool]]
"""The values of the turns of positions that walks have met, and whether each is a puzzle."""


def _walk(
    position: PositionLike, sweep: Sweep, demand: Demand, known: _Known, rng: random.Random
) -> Iterator[PositionLike]:
    """The puzzles on the way to the end."""
    while not position.is_over and position.cells.count(None) in demand.empty:
        key = position.cells, position.player, position.passes
        if key not in known:
            values = sweep.turns(position)
            known[key] = values, _is_puzzle(position, values, demand)
        values, is_puzzle = known[key]
        if is_puzzle:
            yield position.copy()
        position.play(_next_turn(values, rng))


def _is_puzzle(position: PositionLike, values: tuple[TurnValue, ...], demand: Demand) -> bool:
    if position.passes or position.number <= SWAP_TURN or len(values) < demand.legal:
        return False
    distance = values[0].distance
    if distance is not None and distance < demand.distance:
        return False
    return bool(sole_win(position, values))


def _next_turn(values: tuple[TurnValue, ...], rng: random.Random) -> Turn:
    wins = [value for value in values if value.wins]
    blunder = not wins or rng.random() < _BLUNDER
    return rng.choice(values if blunder else wins).turn


# -- grades ---------------------------------------------------------------------------------


def _grade(position: PositionLike, values: tuple[TurnValue, ...], seed: int) -> _Graded:
    bare = best_position().set_up(
        position.rules, position.cells, position.player, position.passes, position.number
    )
    wins = sole_win(position, values)
    turns = frozenset(value.turn for value in wins)
    return _Graded(bare, turns, len(values), wins[0].distance, _level(bare, turns, seed))


def _nodes(position: PositionLike) -> int | None:
    """The nodes of the proof search; None without a proof, or if it is not tried."""
    if position.cells.count(None) > _COUNTED:
        return None
    solution = solve(position, nodes=NODES, method="search", leaf=0)
    return None if solution.winner is None else solution.nodes


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
