"""``yoddd table``: files, counts, values and checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import yoddd
from yoddd.cli import main
from yoddd.kernel import backend
from yoddd.kernel.table import Table, Value
from yoddd.pictures import THEMES
from yoddd.rules import Colour

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)


def table(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["table", *map(str, arguments)], prog_name="yoddd")


def test_build_writes_a_file_that_the_other_commands_use(tmp_path: Path) -> None:
    result = table("build", "yodd@hex2", "--out", tmp_path / "new")
    path = tmp_path / "new" / "yodd-hex2.table"
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [f"file {path}", "size 0.0 MB"]
    assert result.stderr == "memory 0.0 MB\n"
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert Table(path.read_bytes()).file.header.program == f"yoddd {yoddd.__version__}"
    path.write_bytes(path.read_bytes().replace(b"[14, 13]", b"[14, 11]"))
    counts = table("counts", "yodd@hex2", "--tables", path.parent)
    assert counts.exit_code == 1
    assert counts.stderr == "Error: the header is damaged: its checksum differs\n"


@pytest.mark.parametrize(
    "words",
    [("odd", "square2", "min_group=2"), ("odd@square2", "--option", "min_group=2")],
    ids=["0.2", "now"],
)
def test_table_names_board_and_options_as_other_commands_and_as_before(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    result = table("build", *words, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["odd-square2-min_group=2.table"]


def test_table_with_two_boards_or_an_unknown_game_is_refused() -> None:
    assert (
        "odd@square2 and square3: name one board"
        in table("counts", "odd@square2", "square3").stderr
    )
    assert "'od': expected one of" in table("counts", "od@square2").stderr
    assert "'frob': expected NAME=VALUE" in table("counts", "odd@square2", "a=b", "frob").stderr


def test_counts_print_one_line_a_layer(tmp_path: Path) -> None:
    result = table("counts", "yodd@hex2", "--tables", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "stones 0 positions 0 won 0",
        "stones 1 positions 14 won 13",
        "stones 2 positions 24 won 12",
    ]
    assert list(tmp_path.iterdir()) == []


def test_probe_prints_the_position_then_every_turn_best_first(tmp_path: Path) -> None:
    result = table("probe", "yodd hex2 2/3/2 b 0 1", "--tables", tmp_path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == ["won 8", "1b2 won 8"]
    assert len(lines) == 15
    assert all(" lost " in line for line in lines[2:])


def test_probe_without_distances_prints_words_only(tmp_path: Path) -> None:
    table("build", "xodd@square2", "--out", tmp_path, "--no-distances")
    result = table("probe", "xodd square2 2/2 b 0 1", "--tables", tmp_path)
    assert result.stdout.splitlines()[0] == "lost"


def test_verify_checks_digests_games_and_every_position(tmp_path: Path) -> None:
    table("build", "odd@square2", "--out", tmp_path)
    result = table("verify", "odd@square2", "--tables", tmp_path, "--sample", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == ["digests right", "positions of 2 games right: 8"]
    assert result.stdout.splitlines()[2].startswith("positions searched right: ")


def test_verify_reports_the_position_of_a_wrong_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "_look_up", lambda *_: Value(won=True, turns=1))
    result = table("verify", "odd@square2", "--tables", tmp_path)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: odd square2 w1/2 w 0 2: won 1, expected lost 2")


def test_file_of_another_game_is_refused(tmp_path: Path) -> None:
    table("build", "xodd@square2", "--out", tmp_path)
    (tmp_path / "xodd-square2.table").rename(tmp_path / "odd-square2.table")
    result = table("counts", "odd@square2", "--tables", tmp_path)
    assert result.exit_code == 1
    assert "odd-square2.table holds make_rules('xodd', 'square2')" in result.stderr


def test_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "xodd-square2.table").touch()
    result = table("counts", "xodd@square2", "--tables", tmp_path)
    assert result.stderr == "Error: no table: the file is too short\n"


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["counts", "yodd", "hex4"], 1, "hex4 has 37 cells: tables end at 25"),
        (["counts", "yodd", "hex99"], 2, "no board hex99"),
        (["counts", "yodd", "hex2", "pie=on"], 2, "Yodd has no option 'pie'"),
        (["probe", "yodd"], 2, "board is missing"),
    ],
)
def test_table_with_bad_arguments_is_refused(
    arguments: list[str], status: int, reason: str
) -> None:
    result = table(*arguments)
    assert result.exit_code == status
    assert reason in result.stderr


def test_build_beyond_the_memory_of_the_machine_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yoddd.cli.table.os.sysconf", lambda _name: 1 << 13)
    result = table("build", "yodd@hex3", "--out", tmp_path)
    assert result.exit_code == 1
    assert re.search(r"a table takes \d+ MiB of memory: the machine has 64", result.stderr)


def test_build_beyond_the_memory_that_is_allowed_is_refused(tmp_path: Path) -> None:
    result = table("build", "yodd@hex3", "--memory", "64", "--out", tmp_path)
    assert result.exit_code == 1
    assert re.search(r"a table takes (\d+) MiB of memory, more than 64: build it", result.stderr)
    square5 = table("build", "xodd", "square5", "own_colour=on", "--out", tmp_path)
    assert re.search(
        r"MiB of memory, more than 8192: build it with --memory 1\d{4}", square5.stderr
    )


@pytest.mark.parametrize("stones", ["0", "9"])
def test_build_with_a_number_of_stones_that_no_table_has_is_refused(stones: str) -> None:
    result = table("build", "xodd@square5", "--stones", stones)
    assert result.exit_code == 2
    assert "1<=x<=8" in result.stderr


def test_longest_prints_turns_and_a_position_that_takes_them(tmp_path: Path) -> None:
    result = table("longest", "yodd@hex2", "--tables", tmp_path)
    assert result.stdout == "won 7: yodd hex2 1b/3/2 b 0 2\n"
    probed = table("probe", "yodd hex2 2/3/b1 b 0 2", "--tables", tmp_path)
    assert probed.stdout.startswith("won 7\n")


def test_longest_of_a_game_of_fixed_length_is_refused(tmp_path: Path) -> None:
    result = table("longest", "product@hex2", "--tables", tmp_path)
    assert result.exit_code == 1
    assert "Product has a fixed length" in result.stderr


def test_picture_tints_the_cells_of_winning_stones(tmp_path: Path) -> None:
    out = tmp_path / "hex2.svg"
    assert table("picture", "yodd hex2 2/3/2 b 0 1", "--out", out).exit_code == 0
    picture = out.read_text(encoding="utf-8")
    light = THEMES["light"]
    tints = [path for path in re.findall(r"<path[^>]*>", picture) if light.win in path]
    assert [path.count("M") for path in tints] == [1]
    assert re.findall(r'<circle[^>]*fill="([^"]*)"', picture) == [light.stones[Colour.BLACK].fill]


def test_picture_with_another_suffix_is_refused(tmp_path: Path) -> None:
    result = table("picture", "yodd hex2 2/3/2 b 0 1", "--out", tmp_path / "hex2.bmp")
    assert result.exit_code == 2
    assert "expected a name that ends in .svg or .png" in result.stderr
