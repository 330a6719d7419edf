"""Positions that the side to move wins, each with all of its winning turns, for tests of engines.

    python -m tests.bench.won > protocol/vectors/engine/won.txt

The positions come from seeded random games, a few turns deep to late: as many cells are empty as a
sweep of the kernel solves at once. At most a third of the turns win.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

import attrs

from yoddd.kernel import NativePosition, make_sweep
from yoddd.kernel.backend import native
from yoddd.kernel.position import turn_of
from yoddd.notation import format_position, format_turn
from yoddd.rules import Rules, Turn, make_rules

BOARDS: Final = (
    ("yodd", "hex3"),
    ("yodd", "hex4"),
    ("xodd", "square4"),
    ("odd", "hex3"),
    ("odd", "square4"),
    ("odd", "hex4"),
    ("yoin", "hex3"),
    ("yoin", "hex4"),
    ("product", "hex3"),
    ("product", "hex4"),
)
EACH: Final = 30
"""Positions of each game and board."""

FEWEST, MOST_EMPTY = 4, 18
"""Numbers of empty cells."""

STONES: Final = 3
"""The fewest stones, so that no turn can be a swap."""

SHARE: Final = 3
"""At most one in so many turns wins."""

MOST: Final = 64
"""The most turns that win."""

HEAD: Final = """\
# Positions that the side to move wins, by sweeps over all fillings of the empty cells: position,
# the turns that lead to it from the empty board, all turns that keep the win, in canonical order.
# Made by: python -m tests.bench.won"""


@attrs.frozen
class Won:
    """A position with its turns that win.

    Attributes:
        position: the position.
        turns: those that lead to it.
        winning: those that win, in canonical order.
    """

    position: NativePosition
    turns: tuple[Turn, ...]
    winning: tuple[Turn, ...]

    def __str__(self) -> str:
        rules = self.position.rules
        turns, winning = (
            " ".join(format_turn(turn, rules) for turn in some)
            for some in (self.turns, self.winning)
        )
        return f"{format_position(self.position)} ; {turns} ; {winning}"


def random_position(rules: Rules, seed: int, empty: int) -> tuple[NativePosition, list[Turn]]:
    """A position of a random game with ``empty`` empty cells, or one fewer, and its turns."""
    position, rng = NativePosition(rules), native().Rng(seed)
    turns: list[Turn] = []
    while position.cells.count(None) > empty and not position.is_over:
        turns.append(turn_of(rules, position.board.sample_turn(rng)))
        position.play(turns[-1])
    return position, turns


def winning_turns(position: NativePosition) -> tuple[Turn, ...]:
    """All turns that win, in canonical order."""
    sweep = make_sweep(position)
    assert sweep is not None
    won = {value.turn for value in sweep.turns(position) if value.wins}
    return tuple(turn for turn in position.legal_turns() if turn in won)


def won(rules: Rules, empty: int, seed: int) -> Won | None:
    """A random position if it is won by few enough turns."""
    position, turns = random_position(rules, seed, empty)
    if position.is_over:
        return None
    winning = winning_turns(position)
    if not 0 < len(winning) <= min(position.count_turns() // SHARE, MOST):
        return None
    return Won(position, tuple(turns), winning)


def suite(rules: Rules, wanted: int) -> Iterator[Won]:
    """So many positions of one game and board, all numbers of empty cells in turn."""
    most = min(MOST_EMPTY, rules.geometry.cells - STONES)
    found = 0
    for seed in count():
        empty = FEWEST + (most - FEWEST + 1) * found // wanted
        position = won(rules, empty, seed)
        if position is not None:
            yield position
            found += 1
            if found == wanted:
                return


def main() -> None:
    """Print the file."""
    print(HEAD)
    for game, board in BOARDS:
        for position in suite(make_rules(game, board), EACH):
            print(position, flush=True)


if __name__ == "__main__":
    main()
