"""Random playouts by the kernel."""

from __future__ import annotations

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of
from yoddd.rules import PositionLike


@attrs.frozen
class Playouts:
    """The results of a batch of random playouts.

    Attributes:
        played: how many were run.
        black_wins: how many of them Black won.
        stones: stones dropped in all of them together.
        margins: the score of each, positive where Black won; empty unless asked for.
        ownership: for each cell the share of playouts that ended with a black stone there, and
            the share that ended with a white one; empty unless asked for.
    """

    played: int
    black_wins: int
    stones: int
    margins: tuple[int, ...] = ()
    ownership: tuple[tuple[float, float], ...] = ()


def playouts(
    position: PositionLike,
    count: int,
    seed: int,
    *,
    first: int = 0,
    threads: int = 1,
    margins: bool = False,
    ownership: bool = False,
) -> Playouts:
    """Play ``count`` random games from ``position`` to the end.

    They are numbers ``first`` to ``first + count - 1`` of the sequence that ``seed`` names, and the
    same on every machine, for any number of threads. How they are drawn is specified in
    ``docs/lab/playouts.md``. Other Python threads run meanwhile.

    Raises:
        KernelMissing: there is no native kernel.
    """
    board = board_of(position)
    found = board.playouts(count, seed, first, threads, margins, ownership)
    played = found["playouts"]
    return Playouts(
        played=played,
        black_wins=found["black_wins"],
        stones=found["stones"],
        margins=tuple(found["margins"]),
        ownership=tuple(
            (black / played, (occupied - black) / played)
            for black, occupied in zip(found["ownership"], found["occupied"], strict=True)
        ),
    )


def instruction_sets() -> list[str]:
    """The instruction sets that playouts were compiled for and this machine has, best first."""
    names: list[str] = native().instruction_sets()
    return names
