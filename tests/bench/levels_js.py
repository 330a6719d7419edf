"""Turns of the levels 1 to 9, which the JavaScript package has to play as well.

``python -m tests.bench.levels_js`` writes ``clients/js/test/levels.txt``. The positions have too
many empty cells for an endgame to be solved.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from yoddd.engine import LEVELS, Budget, Levelled, MctsSearcher
from yoddd.kernel.position import NativePosition
from yoddd.notation import format_position, format_turn, parse_position
from yoddd.rules import PositionLike, make_rules

FILE: Final = Path(__file__).parents[2] / "clients/js/test/levels.txt"

GAMES: Final[tuple[tuple[str, str, dict[str, bool]], ...]] = (
    ("yodd", "hex5", {}),
    ("yodd", "hex8", {}),
    ("yodd", "hex5", {"own_colour": True}),
    ("xodd", "square8", {}),
    ("odd", "hex5", {}),
    ("yoin", "hex6", {}),
    ("yoin", "hex5", {"pie": True}),
    ("product", "hex5", {}),
)

AFTER: Final = (0, 1, 6)
"""How many turns were played before."""


@attrs.frozen
class Sample:
    """A turn of a level."""

    position: str
    level: int
    seed: int
    turn: str

    @classmethod
    def parse(cls, line: str) -> Sample:
        """Read a line of the file."""
        position, level, seed, turn = line.split(" ; ")
        return cls(position, int(level), int(seed), turn)

    def __str__(self) -> str:
        return f"{self.position} ; {self.level} ; {self.seed} ; {self.turn}"


def played(sample: Sample) -> str:
    """The turn that the level plays."""
    position = parse_position(sample.position, on=NativePosition)
    return _turn(position, sample.level, sample.seed)


def _turn(position: PositionLike, level: int, seed: int) -> str:
    engine = Levelled(MctsSearcher(), LEVELS[level - 1])
    found = engine.search(position, Budget(), seed, lambda: False)
    return format_turn(found.turn, position.rules)


def samples() -> Iterator[Sample]:
    """All of them."""
    seed = 0
    for game, board, options in GAMES:
        for turns in AFTER:
            position = NativePosition(make_rules(game, board, options))
            for number in range(turns):
                found = Levelled(MctsSearcher(), LEVELS[2]).search(
                    position, Budget(), number, lambda: False
                )
                position.play(found.turn)
            for level in range(1, len(LEVELS)):
                seed += 1
                turn = _turn(position, level, seed)
                yield Sample(format_position(position), level, seed, turn)


def main() -> None:
    """Write the file."""
    head = "# Written by python -m tests.bench.levels_js: position ; level ; seed ; turn\n"
    lines = [f"{sample}\n" for sample in samples()]
    FILE.write_text(head + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
