"""Puzzles: endgames in which exactly one turn wins, up to symmetry, and the proof of it.

Those that are shipped were made and graded by ``yoddd puzzles make``, last at commit a0039f09.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Final

import attrs
import cattrs

from yoddd.kernel import Sweep, TurnValue, best_position, make_sweep
from yoddd.notation import NotationError, format_turn, parse_position, parse_turn
from yoddd.rules import Colour, PositionLike, Stone, Turn

_EXCHANGE: Final = {None: None, Colour.BLACK: Colour.WHITE, Colour.WHITE: Colour.BLACK}
_DIGITS: Final = {None: ".", Colour.BLACK: "X", Colour.WHITE: "O"}


def key_of(position: PositionLike) -> str:
    """Return a text that is equal for positions up to symmetry and the number of the turn.

    Exchanging the colours may be a symmetry too, together with the players or alone as in Odd.
    """
    rules, cells = position.rules, position.cells
    contents = [cells]
    player = position.player
    if rules.facts.is_blind:
        contents.append(_exchange(cells))
    elif rules.facts.is_fair and player is Colour.WHITE:
        player, contents = Colour.BLACK, [_exchange(cells)]
    least = min(
        "".join(_DIGITS[content[cell]] for cell in symmetry)
        for content in contents
        for symmetry in rules.geometry.symmetries
    )
    options = rules.chosen_options()
    words = [rules.game.name, rules.geometry.name, *(f"{k}={v}" for k, v in options.items())]
    return " ".join([*words, least, player.letter, str(position.passes)])


def _exchange(cells: Sequence[Colour | None]) -> tuple[Colour | None, ...]:
    return tuple(_EXCHANGE[content] for content in cells)


def images_of(turn: Turn, position: PositionLike) -> set[Turn]:
    """The images of a turn, itself included, under the symmetries that change no stone."""
    cells = position.cells
    targets = [(cells, False)]
    if position.rules.facts.is_blind:
        targets.append((_exchange(cells), True))
    return {
        _image(turn, symmetry, exchanged=exchanged)
        for symmetry in position.rules.geometry.symmetries
        for target, exchanged in targets
        if all(target[image] is cells[cell] for cell, image in enumerate(symmetry))
    }


def _image(turn: Turn, symmetry: Sequence[int], *, exchanged: bool) -> Turn:
    if not turn.stones:
        return turn
    return Turn.drop(
        *(
            Stone(colour.opponent if exchanged else colour, symmetry[cell])
            for colour, cell in turn.stones
        )
    )


def sole_win(position: PositionLike, values: Sequence[TurnValue]) -> tuple[TurnValue, ...]:
    """The values of the turns that win if they are images of one; else none.

    Args:
        position: the position.
        values: of all its turns, best first.
    """
    wins = tuple(value for value in values if value.wins)
    if not wins or images_of(wins[0].turn, position) != {value.turn for value in wins}:
        return ()
    return wins


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
