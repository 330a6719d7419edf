"""The laboratory: its match is resumed, and its row is written once."""

from __future__ import annotations

import datetime as dt
import shlex
import sys
from pathlib import Path

import attrs
import pytest

from tests.bench.laboratory import (
    EVEN,
    Experiment,
    balanced_openings,
    enter,
    play,
    random_openings,
    read,
    row,
)
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.searcher import Budget
from yoddd.referee.openings import begin, read_openings
from yoddd.rules import make_rules

RULES = make_rules("yodd", "hex3")
NOTEBOOK = "# Against the frozen program\n\n| date | hypothesis |\n|---|---|\n"
DAY = dt.date(2026, 11, 22)


def line(number: int, day: str = "22 November 2026") -> str:
    return f"| {day} | It helps | `x` | Yodd: {number} of 60 (0.10–0.20) | open |\n"  # noqa: RUF001


def test_enter_row_follows_the_others() -> None:
    once = enter(NOTEBOOK, line(1))
    assert once == NOTEBOOK + line(1)
    assert enter(once, line(2)) == once + line(2)


def test_enter_same_result_is_written_once() -> None:
    once = enter(NOTEBOOK, line(1))
    assert enter(once, line(1, "23 November 2026")) == once


def test_random_openings_are_legal_and_the_same_for_the_same_seed() -> None:
    text = random_openings(RULES, 20, 1)
    assert text == random_openings(RULES, 20, 1) != random_openings(RULES, 20, 2)
    found = read_openings(text, "openings.txt", RULES)
    assert len(found) == 20
    assert all(len(opening.turns) == 2 for opening in found)


def test_balanced_openings_are_even_random_ones() -> None:
    rules, playouts = make_rules("product", "hex4"), 200
    text = balanced_openings(rules, 2, 1, playouts)
    assert text == balanced_openings(rules, 2, 1, playouts)
    found = read_openings(text, "openings.txt", rules)
    assert [len(opening.turns) for opening in found] == [2, 2]
    for opening in found:
        position = begin(rules, opening)
        judged = MctsSearcher().search(position, Budget(playouts=playouts), 7, lambda: False)
        assert judged.winrate == pytest.approx(0.5, abs=2 * EVEN)


def test_experiment_of_another_program_is_another_run() -> None:
    one = read(["It helps", "--board", "hex3", "--set", "tune.exploration=0.1"])
    assert one.version
    assert one.settings == ("tune.exploration=0.1",)
    assert (
        read(["In other words", "--board", "hex3", "--set", "tune.exploration=0.1"]).key == one.key
    )
    assert attrs.evolve(one, version="another").key != one.key
    assert read(["It helps", "--candidate", "./it"]).version == ""


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    """A folder like the worktree of the frozen program, with this program in it."""
    program = tmp_path / "frozen" / ".venv" / "bin" / "yoddd"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m yoddd "$@"\n')
    program.chmod(0o755)
    return tmp_path / "frozen"


@pytest.mark.slow
@pytest.mark.process
def test_play_match_is_resumed_and_becomes_a_row(frozen: Path, tmp_path: Path) -> None:
    words = ["Searching helps", "--board", "hex3", "--playouts", "50", "--pairs", "2", "--sprt", ""]
    experiment: Experiment = read([*words, "--set", "engine=random", "--concurrency", "1"])
    report = play(experiment, frozen, tmp_path)
    games = tmp_path / "runs" / experiment.key / "games.jsonl"
    played = games.read_bytes()
    assert played.count(b"\n") == 4
    games.write_bytes(b"".join(played.splitlines(keepends=True)[:2]))
    play(attrs.evolve(experiment, concurrency=2), frozen, tmp_path)
    assert games.read_bytes().count(b"\n") == 4
    text = row(experiment, report, "python -m it", DAY)
    won = report.summary.entrants["candidate"].won
    assert text.startswith("| 22 November 2026 | Searching helps | `python -m it` | Yodd hex3, ")
    assert f": {won} of 4 (" in text
    assert text.rstrip().endswith("open |") or won == 0
