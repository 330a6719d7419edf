"""Puzzles: endgames in which exactly one turn wins, up to symmetry, and the proof of it.

Those that are shipped were made and graded by ``yoddd puzzles make``, last at commit a0039f09.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Final

import attrs
import cattrs

from yoddd.kernel import Sweep, best_position, make_sweep
from yoddd.library.symmetry import key_of, sole_win
from yoddd.notation import NotationError, format_turn, parse_position, parse_turn
from yoddd.rules import PositionLike, Turn

EMPTY: Final = range(6, 21)
"""How many empty cells the position of a puzzle has."""


class PuzzleError(ValueError):
    """A text that is no puzzle, or a puzzle that is wrong."""


@attrs.frozen
class Puzzle:
    """A position in which exactly one turn wins, up to symmetry.

    Attributes:
        id: the game, the board, the options that are not by default and the seed, as in
            ``yodd-hex4-17``.
        position: the position line.
        turns: the turn that wins and its images under the symmetries of the position, canonical.
        distance: turns to the end of the game by best play, the one that is looked for included.
        legal: how many turns are legal.
        level: the lowest level of the engine that finds the turn; None if none does.
        nodes: those that the proof search visits; None if it ends without a proof at its limit.
    """

    id: str
    position: str
    turns: tuple[str, ...]
    distance: int
    legal: int
    level: int | None
    nodes: int | None

    def start(self) -> PositionLike:
        """The position to solve."""
        return parse_position(self.position, best_position())

    def is_solved_by(self, turn: Turn) -> bool:
        """Whether a turn is one of those that win."""
        start = self.start()
        return turn in {parse_turn(text, start.rules, start.player) for text in self.turns}


def shipped() -> str:
    """The text of the file of puzzles that comes with the program."""
    return files("yoddd.library").joinpath("puzzles.jsonl").read_text(encoding="utf-8")


def parse_puzzles(lines: Iterable[str]) -> Iterator[Puzzle]:
    """The puzzles of a file; keys that are not known are ignored.

    Raises:
        PuzzleError: a line is no puzzle.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield cattrs.structure(json.loads(line), Puzzle)
        except (ValueError, TypeError, cattrs.BaseValidationError) as error:
            raise PuzzleError(f"line {number} is no puzzle: {error}") from None


# -- proof ----------------------------------------------------------------------------------


def check(puzzle: Puzzle) -> Sweep:
    """Prove a puzzle by a sweep over all that can follow.

    Returns:
        The sweep.

    Raises:
        PuzzleError: the puzzle is wrong; its grades are not checked.
        KernelMissing: there is no native kernel.
    """
    try:
        start = puzzle.start()
    except NotationError as error:
        raise PuzzleError(f"{puzzle.id}: {error}") from None
    if start.is_over or start.cells.count(None) not in EMPTY:
        raise PuzzleError(f"{puzzle.id}: {start.cells.count(None)} empty cells")
    sweep = make_sweep(start)
    assert sweep is not None  # noqa: S101 — it has no limit
    values = sweep.turns(start)
    wins = sole_win(start, values)
    if not wins:
        raise PuzzleError(f"{puzzle.id}: not exactly one turn wins")
    found = tuple(sorted(format_turn(value.turn, start.rules) for value in wins))
    if (found, wins[0].distance, len(values)) != (puzzle.turns, puzzle.distance, puzzle.legal):
        raise PuzzleError(
            f"{puzzle.id}: of {len(values)} turns {' '.join(found)} wins in {wins[0].distance}"
        )
    return sweep


def repeated(puzzles: Iterable[Puzzle]) -> list[str]:
    """The ids of puzzles whose id or position, up to symmetry, is that of an earlier one."""
    ids: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    found = []
    for puzzle in puzzles:
        key = key_of(puzzle.start())
        if ids[puzzle.id] or keys[key]:
            found.append(puzzle.id)
        ids[puzzle.id] += 1
        keys[key] += 1
    return found
