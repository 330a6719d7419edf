"""Games that controllers of Go programs let two of our processes play.

The controllers are re-enacted after their sources: which requests they send, how they read a reply
and when a game is over for them. docs/how-to/use-go-controllers.md has the real programs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import pytest

from tests.daemon.conftest import YODDD

pytestmark = pytest.mark.process

YOIN = ("--gogui", "--game", "yoin", "--board", "hex3", "--option", "pie=off")


class ControllerError(Exception):
    """A reply that ends the game for the controller."""


@attrs.frozen
class Program:
    """A process behind pipes."""

    process: subprocess.Popen[str]

    @classmethod
    @contextmanager
    def started(cls, *options: str) -> Iterator[Program]:
        pipe = subprocess.PIPE
        command = [*YODDD, "gtp", *options]
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
            program = cls(process)
            yield program
            program.ask("quit")

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        reply = "".join(iter(self.process.stdout.readline, "\n")).rstrip("\n")
        if not reply.startswith("="):
            raise ControllerError(f"{line}: {reply}")
        return reply.removeprefix("=").strip()


def read_vertex(text: str, size: int) -> str | None:
    """A vertex as gomill's `move_from_vertex` and GoGui's `GoPoint.parsePoint` read it."""
    if text.lower() == "pass":
        return None
    match = re.fullmatch(r"([A-HJ-Za-hj-z])([0-9]+)", text)
    columns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size]
    if match is None or match[1].upper() not in columns or not 1 <= int(match[2]) <= size:
        raise ControllerError(f"ill-formed move {text}")
    return text.upper()


def play_game(black: Program, white: Program, size: int) -> list[str]:
    """A game of gomill's `Gtp_game`, or of GoGui's `TwoGtp`: over after two passes."""
    for program in (black, white):
        for request in (f"boardsize {size}", "clear_board", "komi 0"):
            program.ask(request)
    moves: list[str] = []
    while moves[-2:] != ["pass", "pass"]:
        name, mover, watcher = ("b", black, white) if len(moves) % 2 == 0 else ("w", white, black)
        vertex = read_vertex(mover.ask(f"genmove {name}"), size) or "pass"
        watcher.ask(f"play {name} {vertex}")
        moves.append(vertex)
    return moves


@pytest.mark.slow
def test_controllers_yoin_games_end_in_passes_with_equal_scores() -> None:
    with (
        Program.started("--engine", "random", *YOIN) as one,
        Program.started("--engine", "random", *YOIN) as two,
    ):
        games = []
        for number in range(4):
            black, white = (one, two) if number % 2 == 0 else (two, one)
            games.append(play_game(black, white, 5))
            score = one.ask("final_score")
            assert re.fullmatch(r"[BW]\+[1-9]\d*", score)
            assert two.ask("final_score") == score
    assert {len(game) for game in games} == {21}
    assert len({tuple(game) for game in games}) == 4


def test_controllers_cpu_time_is_read_as_seconds() -> None:
    with Program.started("--engine", "random", *YOIN) as program:
        before = float(program.ask("cputime"))
        program.ask("genmove b")
        assert float(program.ask("cputime")) >= before > 0
