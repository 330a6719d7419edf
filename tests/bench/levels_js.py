"""Turns of the levels 1 to 9, which the JavaScript package has to play as well.

``python -m tests.bench.levels_js`` renews the turns of ``clients/js/test/levels.txt``, whose
positions are those of games between engines of level 3.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs

from tests.protocol.peer import Peer
from yoddd.engine import MctsSearcher

FILE: Final = Path(__file__).parents[2] / "clients/js/test/levels.txt"


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
    peer = Peer(engines={"mcts": MctsSearcher}, engine="mcts")
    for line in (
        f"position {sample.position}",
        f"set_param level {sample.level}",
        f"set_param seed {sample.seed}",
    ):
        assert peer.ask(line).startswith("="), line
    return peer.ask("reg_genmove").removeprefix("= ").strip()


def samples() -> list[Sample]:
    """The lines of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Sample.parse(line) for line in lines if line and not line.startswith("#")]


def main() -> None:
    """Write the file again, with the turns that the levels play now."""
    head = "# Written by python -m tests.bench.levels_js: position ; level ; seed ; turn\n"
    lines = [f"{attrs.evolve(sample, turn=played(sample))}\n" for sample in samples()]
    FILE.write_text(head + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
