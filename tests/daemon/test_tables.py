"""Small boards in real programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.support.programs import PATIENCE, YODDD
from tests.support.schemas import validator
from yoddd.engine import SmallBoards, values_of
from yoddd.kernel import NativePosition, backend, solve
from yoddd.kernel.square5 import square5
from yoddd.notation import format_position, parse_turn
from yoddd.notation.records import dump_record, load_record, replay
from yoddd.rules import Colour, make_rules

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason="solves boards"),
]


def gtp(script: str, *options: str) -> tuple[list[str], str]:
    """The replies of a ``yoddd gtp``, and its standard error."""
    done = subprocess.run(
        [*YODDD, "gtp", *options],
        input=script,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout.split("\n\n")[:-1], done.stderr


def test_gtp_solves_a_small_board_when_it_is_first_needed() -> None:
    replies, errors = gtp("game yodd hex2\nsolve\ngenmove_analyze\n", "--tables", "/nowhere")
    assert replies[1].startswith("= value won\ndistance 8\nby table\nline 1b2 pass")
    assert "proven won distance 8 order 0 pv 1b2 pass" in replies[2]
    assert errors.startswith("Warning: --tables is gone")


@pytest.mark.parametrize("board", ["hex2", "square3"])
def test_match_adjudicated_by_tables_ends_after_its_first_turn(tmp_path: Path, board: str) -> None:
    game = ["--game", {"hex2": "yodd", "square3": "xodd"}[board], "--board", board]
    words = ["match", "builtin:random", "builtin:mcts", *game, "--adjudicate", "tables"]
    out = tmp_path / "out"
    done = subprocess.run(
        [*YODDD, *words, "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    records = [load_record(line) for line in (out / "games.jsonl").read_text().splitlines()]
    assert [(record.reason, len(record.turns)) for record in records] == [("tables", 1)] * 2
    boards = SmallBoards()
    for record in records:
        position = replay(record)
        best = values_of(boards, position)[0]
        assert record.winner == ("w" if best.wins else "b")
        word = "wins" if best.wins else "loses"
        assert record.detail == f"white to move {word} in {best.distance} turns"
        assert record.blame is None
        validator("game-record").validate(json.loads(dump_record(record)))


def test_gtp_plays_square5_perfectly_before_and_behind_the_table_that_is_shipped() -> None:
    table = square5(make_rules("xodd", "square5"))
    assert table is not None
    position, random = NativePosition(table.rules), Random(3)
    while not position.is_over:
        if position.player is Colour.BLACK:
            position.play(random.choice(list(position.legal_turns())))
            continue
        script = f"position {format_position(position)}\ngenmove\n"
        replies, errors = gtp(script, "--game", "xodd@square5", "--seed", "1")
        assert errors == ""
        token = replies[1].removeprefix("= ")
        position.play(parse_turn(token, table.rules, position.player))
        if table.reaches(position):
            assert not table.turns(position)[0].wins
        elif not position.is_over:
            assert solve(position, memory=1 << 30).winner is Colour.WHITE
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner is Colour.WHITE
