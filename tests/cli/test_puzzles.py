"""``yoddd puzzles``: proving and solving."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from tests.cli.conftest import yoddd
from yoddd.kernel import backend
from yoddd.library.puzzles import Puzzle, parse_puzzles, shipped
from yoddd.notation import format_turn

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

PUZZLES = list(parse_puzzles(shipped().splitlines()))
PUZZLE = next(puzzle for puzzle in PUZZLES if puzzle.id.startswith("xodd-square4"))


def write(path: Path, *written: Puzzle) -> Path:
    path.write_text("".join(f"{json.dumps(attrs.asdict(puzzle))}\n" for puzzle in written))
    return path


def losing_turn(puzzle: Puzzle) -> str:
    start = puzzle.start()
    texts = (format_turn(turn, start.rules) for turn in start.legal_turns())
    return next(text for text in texts if text not in puzzle.turns)


# -- verify ---------------------------------------------------------------------------------


def test_verify_counts_what_it_proves(tmp_path: Path) -> None:
    result = yoddd("puzzles", "verify", write(tmp_path / "file.jsonl", PUZZLE))
    assert result.exit_code == 0
    assert result.stdout == "xodd square4 1\nproven 1\n"


def test_verify_names_what_is_wrong(tmp_path: Path) -> None:
    wrong = attrs.evolve(PUZZLE, turns=("pass",))
    result = yoddd("puzzles", "verify", write(tmp_path / "file.jsonl", wrong, PUZZLES[0]))
    assert result.exit_code == 1
    assert f"{PUZZLE.id}: of {PUZZLE.legal} turns" in result.stderr
    assert result.stdout.endswith("proven 1\n")
    assert "wrong 1" in result.stderr


# -- solve ----------------------------------------------------------------------------------


def test_solve_takes_answers_from_standard_input() -> None:
    answers = f"nonsense\n\n{losing_turn(PUZZLE)}\nresign\n{PUZZLE.turns[0]}\n"
    result = yoddd("puzzles", "solve", "--puzzle", PUZZLE.id, given=answers)
    assert result.exit_code == 0
    assert f"Puzzle 1 of 1: {PUZZLE.id}, level" in result.stdout
    player, other = PUZZLE.start().player, PUZZLE.start().player.opponent
    assert f"Xodd: {player.title} to play and win" in result.stdout
    assert "Not a turn here: " in result.stdout
    assert f"Wrong: {other.title} wins.\nBest play: " in result.stdout
    assert "There is a turn that wins." in result.stdout
    assert f"Right: {player.title} wins in {PUZZLE.distance} turns." in result.stdout
    assert result.stdout.endswith("solved 1 of 1\n")


def test_solve_gives_hints_and_the_solution() -> None:
    result = yoddd("puzzles", "solve", "--puzzle", PUZZLE.id, given="hint\nhint\nsolution\n")
    stones = PUZZLE.turns[0].count(",") + 1
    assert f"The turn places {stones} stone" in result.stdout
    stone = PUZZLE.turns[0].partition(",")[0]
    colour = "Black" if stone[0] == "1" else "White"
    assert f"{colour} on {stone[1:]}." in result.stdout
    assert f"Best play: {PUZZLE.turns[0]} " in result.stdout
    assert result.stdout.endswith("solved 0 of 1\n")


def test_solve_next_and_quit_leave_the_puzzle() -> None:
    result = yoddd("puzzles", "solve", "--game", "product", "--level", "1:10", given="next\nquit\n")
    assert "Puzzle 2 of " in result.stdout
    assert result.stdout.endswith("solved 0 of 2\n")


def test_solve_with_a_seed_has_its_order() -> None:
    shown = [yoddd("puzzles", "solve", "--seed", seed).stdout.splitlines()[1] for seed in "112"]
    assert shown[0] == shown[1] != shown[2]


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--board", "hex9"], 1, "no such puzzle"),
        (["--game", "yodd@hex9"], 1, "no such puzzle"),
        (["--game", "yodd@hex4", "--board", "hex3"], 2, "name one board"),
        *((["--level", level], 2, "expected A:B") for level in ("x", "3:", ":3", "-1:4", "0:1:2")),
        (["--puzzle", "yodd"], 1, "no such puzzle"),
    ],
)
def test_solve_with_bad_choice_is_refused(arguments: list[str], status: int, reason: str) -> None:
    result = yoddd("puzzles", "solve", *arguments)
    assert result.exit_code == status
    assert reason in result.stderr
