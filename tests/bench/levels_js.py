"""Turns of the levels 1 to 9, which the JavaScript package has to play as well.

``python -m tests.bench.levels_js`` writes ``clients/js/test/levels.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from tests.protocol.peer import Peer
from tests.support.games import won_by_passing
from yoddd.engine import LEVELS, Budget, Levelled, MctsSearcher
from yoddd.kernel.position import NativePosition
from yoddd.notation import format_position, parse_position
from yoddd.rules import Colour, PositionLike, make_rules

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

TRIED: Final = (2, 6, 8)
"""The levels: two that draw their turns, and one that searches."""


ENDGAMES: Final = (
    ("yodd", "hex3", 10),
    ("yodd", "hex3", 6),
    ("xodd", "square4", 9),
    ("odd", "hex3", 8),
    ("yoin", "hex3", 8),
    ("product", "hex3", 6),
)
"""Games and boards, and how many cells are empty, or one fewer: some levels solve that."""


PASSED: Final[tuple[tuple[str, str, dict[str, bool]], ...]] = (
    ("yodd", "hex5", {}),
    ("yodd", "hex3", {"end_on_full": True}),
    ("yodd", "hex3", {"own_colour": True}),
    ("xodd", "square8", {}),
)
"""Games and boards of positions in which a pass answers a pass and wins."""


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
    """The turn of ``yoddd gtp``: it derives the seed of a search from the turn's number, too."""
    peer = Peer(engines={"mcts": MctsSearcher}, engine="mcts")
    for line in (
        f"position {format_position(position)}",
        f"set_param level {level}",
        f"set_param seed {seed}",
    ):
        assert peer.ask(line).startswith("="), line
    return peer.ask("reg_genmove").removeprefix("= ").strip()


def _positions() -> Iterator[PositionLike]:
    """Positions of games between engines of level 3."""
    for game, board, options in GAMES:
        for turns in AFTER:
            position = NativePosition(make_rules(game, board, options))
            while position.number <= turns:
                _play_on(position)
            yield position
    for game, board, empty in ENDGAMES:
        position = NativePosition(make_rules(game, board))
        while position.cells.count(None) > empty:
            _play_on(position)
        yield position
    for game, board, options in PASSED:
        for player in Colour:
            yield won_by_passing(NativePosition, make_rules(game, board, options), player)


def _play_on(position: PositionLike) -> None:
    engine = Levelled(MctsSearcher(), LEVELS[2])
    position.play(engine.search(position, Budget(), position.number - 1, lambda: False).turn)


def samples() -> Iterator[Sample]:
    """All of them."""
    seed = 0
    for position in _positions():
        for level in range(1, len(LEVELS)):
            seed += 1
            if level in TRIED:
                turn = _turn(position, level, seed)
                yield Sample(format_position(position), level, seed, turn)


def main() -> None:
    """Write the file."""
    head = "# Written by python -m tests.bench.levels_js: position ; level ; seed ; turn\n"
    lines = [f"{sample}\n" for sample in samples()]
    FILE.write_text(head + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
