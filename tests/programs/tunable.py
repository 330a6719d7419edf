"""The test engine with a parameter that decides how well it plays.

Run from the repository's root: ``python -m tests.programs.tunable``.
"""

from __future__ import annotations

import argparse
import sys

from tests.programs.engine import Engine, colour_of, parse_options, write_stdout

SAMPLES = 12
"""Turns among which the best is sought."""


class Tunable(Engine):
    """The test engine, which plays the best of some random turns in ``greed`` per cent of turns."""

    COMMANDS = (*Engine.COMMANDS, "get_param", "list_params")

    def __init__(self, options: argparse.Namespace) -> None:
        """Serve on standard streams."""
        super().__init__(options, sys.stdin.buffer, write_stdout)
        self.greed = 0

    def do_list_params(self) -> str:
        return (
            f"greed {self.greed} int 0..100/10 per cent of the turns that are chosen with care\n"
            "seed 1 int 0..2147483647 of its random turns"
        )

    def do_get_param(self, name: str) -> str:
        return {"greed": str(self.greed), "seed": "1"}[name]

    def do_set_param(self, name: str, value: str) -> str:
        if name != "greed":
            return super().do_set_param(name, value)
        if not 0 <= int(value) <= 100:
            raise ValueError(value)
        self.greed = int(value)
        return ""

    def do_genmove(self, player: str) -> str:
        if self.rng.random() * 100 >= self.greed:
            return super().do_genmove(player)
        colour = colour_of(player)
        tokens = [self.board.choose(colour, self.rng) for _ in range(SAMPLES)]
        token = min(tokens, key=lambda one: self.lead(colour, one))
        self.board.play(colour, token)
        return token

    def lead(self, colour: str, token: str) -> int:
        """A colour's groups less the other's after a turn; the fewer, the better in Yodd."""
        before = dict(self.board.cells)
        if token not in ("pass", "resign"):
            self.board.cells.update({stone[1:]: stone[0] for stone in token.split(",")})
        own = self.count(colour)
        other = self.board.groups() - own
        self.board.cells = before
        return own - other

    def count(self, colour: str) -> int:
        """The number of groups of one colour."""
        whole = self.board.cells
        self.board.cells = {label: c if c == colour else None for label, c in whole.items()}
        count = self.board.groups()
        self.board.cells = whole
        return count


def main() -> None:
    """Serve on stdin and stdout."""
    Tunable(parse_options(["--name", "Tunable"])).run()


if __name__ == "__main__":
    main()
