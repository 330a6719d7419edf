"""Random starts: boards filled in part, which an engine judges balanced."""

from __future__ import annotations

import random
from typing import Final

from yoddd.engine.searcher import Budget, Searcher, StopFlag
from yoddd.rules import Colour, IllegalPosition, Position, Rules

MOST: Final = 0.95
"""The largest part of the cells that a start fills."""

CANDIDATES: Final = 32
"""Starts that are judged for one."""

NEAR: Final = 0.01
"""A distance of the winrate from one half that is not improved on."""

PLAYOUTS: Final = 200
"""The playouts of the search that judges a start."""

_DRAWS: Final = 1000
"""Drawings of stones for one start: about half of them have an odd number of groups."""


def draw_start(rules: Rules, fill: float, rng: random.Random) -> Position:
    """A position with stones on random cells, as if one turn after another had been played.

    Where players place both colours each stone has either; else both have as many, Black one more
    of an odd number.

    Args:
        rules: of the game.
        fill: the part of the cells, 0 to `MOST`; rounded to what the rules allow.
        rng: draws cells and colours.

    Raises:
        IllegalPosition: no such position was found that leaves something to play.
    """
    stones = _stones(rules, fill)
    number = stones // 2 + 2 if rules.two_stones and stones else stones + 1
    for _ in range(_DRAWS):
        cells: list[Colour | None] = [None] * rules.geometry.cells
        chosen = rng.sample(range(len(cells)), stones)
        for place, cell in enumerate(chosen):
            cells[cell] = Colour(place % 2) if rules.only_own else rng.choice(list(Colour))
        try:
            position = Position.set_up(rules, cells, Colour((number - 1) % 2), 0, number)
        except IllegalPosition:
            continue
        if not position.is_over:
            return position
    raise IllegalPosition(f"no start with {stones} stones on {rules.geometry.name} was found")


def _stones(rules: Rules, fill: float) -> int:
    """The number of stones: after one, turns that must have two stones leave an odd number."""
    cells = rules.geometry.cells
    stones = min(round(fill * cells), cells - 1)
    if not rules.has_pass and rules.facts.stones[0] > 1 and stones and (cells - stones) % 2:
        stones -= 1
    return stones


def balanced_start(
    rules: Rules, fill: float, seed: int, searcher: Searcher, stop: StopFlag = lambda: False
) -> Position:
    """The most balanced of some random starts; the same for the same arguments.

    Args:
        rules: of the game.
        fill: see `draw_start`.
        seed: of cells, colours and searches.
        searcher: judges them.
        stop: ends the search for a better one.

    Raises:
        IllegalPosition: see `draw_start`.
    """
    rng = random.Random(seed)
    best, least = draw_start(rules, fill, rng), 1.0
    candidate = best
    for _ in range(CANDIDATES):
        found = searcher.search(candidate, Budget(playouts=PLAYOUTS), rng.getrandbits(31), stop)
        bias = 0.5 if found.winrate is None else abs(found.winrate - 0.5)
        if bias < least:
            best, least = candidate, bias
        if least <= NEAR or stop():
            break
        candidate = draw_start(rules, fill, rng)
    return best
