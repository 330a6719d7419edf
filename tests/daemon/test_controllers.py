"""Games that controllers of Go programs let two of our processes play.

The controllers are re-enacted after their sources: which requests they send, how they read a reply
and when a game is over for them. docs/how-to/use-go-controllers.md has the real programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.programs import YODDD, Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

YOIN = ("--gogui", "--game", "yoin", "--board", "hex3", "--option", "pie=off")


class ControllerError(Exception):
    """A reply that ends the game for the controller."""


class Player(Program):
    """A program of ours that a controller asks."""

    @classmethod
    @contextmanager
    def started(cls, *options: str) -> Iterator[Player]:
        with cls([*YODDD, "gtp", *options], stdin=True) as player:
            yield player
            player.ask("quit")

    def ask(self, line: str) -> str:
        self.stdin.write(line + "\n")
        reply = ""
        while not reply.endswith("\n\n"):
            reply += self.stdout.readline() or "\n\n"
        if not reply.startswith("="):
            raise ControllerError(f"{line}: {reply.strip()}, {self.error_text()}")
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


def play_game(black: Player, white: Player, size: int) -> list[str]:
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


def test_controllers_yoin_games_end_in_passes_with_equal_scores() -> None:
    with (
        Player.started("--engine", "random", *YOIN) as one,
        Player.started("--engine", "random", *YOIN) as two,
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
