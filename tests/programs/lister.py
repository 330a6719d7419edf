"""The test engine with `legal`, `perft` and `undo`, and with one rule misread on cue.

Run from the repository's root: ``python -m tests.programs.lister --wrong parity --offers perft``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import BinaryIO, Final

from tests.programs.engine import Engine, Turn, colour_of, parse_options, write_stdout

WRONG: Final = ("parity", "second-stone", "pass", "first-turn", "orthogonality")
"""The rules that can be misread."""

OFFERS: Final = {
    "legal": ("legal",),
    "perft": ("perft", "undo"),
    "both": ("legal", "perft", "undo"),
    "play": ("undo",),
}
"""The commands that are listed besides the mandatory ones."""


class Lister(Engine):
    """The test engine, which refuses turns that are illegal by its rules."""

    def __init__(
        self, options: argparse.Namespace, requests: BinaryIO, write: Callable[[bytes], None]
    ) -> None:
        """Serve as `Engine` does."""
        super().__init__(options, requests, write)
        self.wrong: str = options.wrong
        self.COMMANDS = (*Engine.COMMANDS, *OFFERS[options.offers])
        self.played: list[tuple[str, str]] = []

    def new_board(self) -> None:
        """Forget the turns; apply the misread neighbours."""
        self.played.clear()
        if self.wrong == "orthogonality" and self.board.shape == "squ":
            for label, near in self.board.neighbours.items():
                column, row = ord(label[0]), int(label[1:])
                corners = [f"{chr(column + x)}{row + y}" for x in (-1, 1) for y in (-1, 1)]
                near += [corner for corner in corners if corner in self.board.neighbours]

    def turns(self, colour: str) -> Iterator[str]:
        """The turns of a player that these rules allow."""
        board = self.board
        passes = len(board.tokens) - len([*_without_last_passes(board.tokens)])
        if passes == 2 or (not board.odd and None not in board.cells.values()):
            return
        for turn in self.drops(colour):
            if self.is_allowed(turn):
                yield ",".join(turn)
        odd = board.groups() % 2 == 1
        if board.odd and odd and self.wrong != "pass":
            yield "pass"
        if board.can_swap and board.turns == 1 and colour == "2":
            yield "swap"

    def drops(self, colour: str) -> Iterator[Turn]:
        """One or two stones on empty cells, as many as these rules allow."""
        board = self.board
        empty = [label for label, content in board.cells.items() if content is None]
        stones = [
            digit + label for digit in (colour if board.own_colour else "12") for label in empty
        ]
        single = board.turns == 0 and self.wrong != "first-turn"
        if board.turns == 0 or board.fewest == 1:
            yield from ((stone,) for stone in stones)
        if (board.odd or board.fewest == 2) and not single:
            yield from (pair for pair in combinations(stones, 2) if pair[0][1:] != pair[1][1:])

    def is_allowed(self, turn: Turn) -> bool:
        """Whether the number of groups allows a drop."""
        if not self.board.odd or self.wrong == "parity":
            return True
        if self.wrong == "second-stone" and self.board.groups(turn[:1]) % 2 == 0:
            return False
        return self.board.groups(turn) % 2 == 1

    def perft(self, colour: str, depth: int) -> int:
        """The number of sequences of so many turns."""
        if depth == 0:
            return 1
        turns = list(self.turns(colour))
        if depth == 1:
            return len(turns)
        total = 0
        for token in turns:
            self.do_play(colour, token)
            total += self.perft(self.mover(), depth - 1)
            self.do_undo()
        return total

    def mover(self) -> str:
        """The digit of the colour to move."""
        swaps = sum(turn == "swap" for _, turn in self.played)
        return "12"[(len(self.played) - swaps) % 2]

    def do_game(self, game: str, board: str, *options: str) -> str:
        super().do_game(game, board, *options)
        self.new_board()
        return ""

    def do_clear_board(self) -> str:
        self.played.clear()
        return super().do_clear_board()

    def do_play(self, player: str, token: str) -> str:
        colour = player if player in "12" else colour_of(player)
        wanted = _spelled(token, colour)
        if wanted not in map(_sorted, self.turns(colour)):
            raise ValueError(token)
        self.board.play(colour, token)
        self.played.append((colour, token))
        return ""

    def do_genmove(self, player: str) -> str:
        token = super().do_genmove(player)
        self.played.append((colour_of(player), token))
        return token

    def do_undo(self) -> str:
        *before, _ = self.played
        self.board.clear()
        for colour, token in before:
            self.board.play(colour, token)
        self.played = before
        return ""

    def do_perft(self, depth: str) -> str:
        return str(self.perft(self.mover(), int(depth)))

    def do_legal(self, what: str, *pages: str) -> str:
        turns = list(self.turns(self.mover()))
        if what == "count":
            return str(len(turns))
        page = dict(word.split("=") for word in pages)
        first, limit = int(page.get("from", 0)), int(page.get("limit", 1000))
        return "\n".join([f"total {len(turns)}", *turns[first : first + limit]])


def _without_last_passes(tokens: list[str]) -> list[str]:
    kept = list(tokens)
    while kept and kept[-1] == "pass":
        kept.pop()
    return kept


def _spelled(token: str, colour: str) -> str:
    if token in ("pass", "swap"):
        return token
    return _sorted(",".join(s if s[0] in "12" else colour + s for s in token.split(",")))


def _sorted(token: str) -> str:
    return ",".join(sorted(token.split(",")))


def main() -> None:
    """Serve on stdin and stdout."""
    parser = argparse.ArgumentParser(description="An engine that misreads one rule on cue.")
    parser.add_argument("--wrong", choices=WRONG, default="")
    parser.add_argument("--offers", choices=OFFERS, default="both")
    defaults = parse_options(["--name", "Lister"])
    Lister(parser.parse_args(namespace=defaults), sys.stdin.buffer, write_stdout).run()


if __name__ == "__main__":
    main()
