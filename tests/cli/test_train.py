"""``yoddd train``: rounds, the weight file, and going on after an interruption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.conftest import yoddd
from tests.support.clusters import working_here
from yoddd.engine.weights import parse_weights
from yoddd.kernel import backend

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

OPTIONS = ("--boards", "hex2:6,hex3:6", "--playouts", "20", "--rounds", "2", "--matches", "2")


def train(out: Path, *options: str) -> Result:
    return yoddd("train", "yodd", *options, "--out", out)


@pytest.mark.whole
def test_train_writes_weights_and_says_how_good_they_are(tmp_path: Path) -> None:
    out = tmp_path / "yodd.json"
    result = train(out, *OPTIONS)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == ["round 1"] * 2 + ["round 2"] * 2
    assert lines[3].endswith(" of 2 against no weights")
    assert lines[4] == f"weights {out}"
    weights = parse_weights(out.read_text(encoding="utf-8"))
    assert weights.game == "yodd"
    assert weights.provenance["games"] == "12"


@pytest.mark.whole
def test_train_goes_on_after_an_interruption_to_the_same_weights(tmp_path: Path) -> None:
    out = tmp_path / "yodd.json"
    journal = tmp_path / "yodd.games.jsonl"
    assert train(out, *OPTIONS).exit_code == 0
    expected, games = parse_weights(out.read_text(encoding="utf-8")), journal.read_bytes()
    out.unlink()
    journal.write_bytes(games[: len(games) // 2])  # in the middle of a line
    assert train(out, *OPTIONS).exit_code == 0
    assert parse_weights(out.read_text(encoding="utf-8")).knots == expected.knots
    assert journal.read_bytes() == games


@pytest.mark.process
@pytest.mark.whole
def test_train_on_a_cluster_gives_the_same_weights(tmp_path: Path) -> None:
    files = [tmp_path / name / "yodd.json" for name in ("here", "there")]
    options = ("--boards", "hex3:24", "--playouts", "400", "--rounds", "1", "--matches", "2")
    with working_here() as address:
        for file, more in zip(files, ((), ("--cluster", address)), strict=True):
            file.parent.mkdir()
            result = train(file, *options, *more)
            assert result.exit_code == 0, result.output
    one, two = (parse_weights(file.read_text(encoding="utf-8")) for file in files)
    assert one.knots == two.knots
    here, there = (file.with_name("yodd.games.jsonl").read_bytes() for file in files)
    assert here == there


def test_train_on_the_board_of_the_game_plays_so_many_games(tmp_path: Path) -> None:
    out = tmp_path / "yodd.json"
    words = ["train", "yodd@hex2", "--games", "6", "--playouts", "5", "--rounds", "1"]
    result = yoddd(*words, "--matches", "0", "--out", out)
    assert result.exit_code == 0, result.output
    journal = (tmp_path / "yodd.games.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["of"][:2] for line in journal] == [["yodd", "hex2"]] * 6
    twice = yoddd(*words, "--boards", "hex3:4", "--out", out)
    assert twice.stderr.splitlines()[-1] == "Error: yodd@hex2 and --boards: name the boards once"
    other = train(out, "--boards", "square3:4")
    assert (other.exit_code, "Yodd is played on hex boards" in other.stderr) == (2, True)
