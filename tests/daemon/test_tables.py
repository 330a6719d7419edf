"""Small boards in real programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE, YODDD
from yoddd.engine import SmallBoards, values_of
from yoddd.kernel import backend
from yoddd.notation.records import load_record, replay

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason="solves boards"),
]


def run(*words: str, given: str = "") -> tuple[str, str]:
    """The output of a ``yoddd``, and its standard error."""
    command = [*YODDD, *words]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    return done.stdout, done.stderr


def test_gtp_solves_a_small_board_when_it_is_first_needed() -> None:
    asked = "game yodd hex2\nsolve\ngenmove_analyze\n"
    said, errors = run("gtp", "--tables", "/nowhere", given=asked)
    replies = said.split("\n\n")
    assert replies[1].startswith("= value won\ndistance 8\nby table\nline 1b2 pass")
    assert "proven won distance 8 order 0 pv 1b2 pass" in replies[2]
    assert errors.startswith("Warning: --tables is gone")


def test_match_adjudicated_by_tables_ends_after_its_first_turn(tmp_path: Path) -> None:
    words = ["match", "builtin:random", "builtin:mcts", "--board", "hex2", "--adjudicate", "tables"]
    run(*words, "--out", str(tmp_path / "out"))
    text = (tmp_path / "out" / "games.jsonl").read_text()
    records = [load_record(line) for line in text.splitlines()]
    assert [(record.reason, len(record.turns)) for record in records] == [("tables", 1)] * 2
    for record in records:
        best = values_of(SmallBoards(), replay(record))[0]
        assert record.winner == ("w" if best.wins else "b")
        word = "wins" if best.wins else "loses"
        assert record.detail == f"white to move {word} in {best.distance} turns"
