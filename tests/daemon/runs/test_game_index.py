"""The index of an archive by game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import random_record
from yoddd.daemon.pages.run_pages import GameIndex
from yoddd.daemon.runs.archive import GAMES, RunError
from yoddd.notation import dump_record


def line(game: str, seed: int) -> str:
    return dump_record(random_record(game, "ann", "bob", seed)) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / GAMES
    file.write_text(line("g1", 1) + line("g2", 2))
    return file


def test_index_follows_an_archive_that_grows_without_its_torn_line(path: Path) -> None:
    index = GameIndex(path)
    for number, game in enumerate(("g1", "g2"), 1):
        assert index.find(game) == random_record(game, "ann", "bob", number)
    assert index.find("g3") is None
    whole = line("g3", 3)
    with path.open("a") as file:
        file.write(whole[:30])
    assert index.find("g3") is None
    with path.open("a") as file:
        file.write(whole[30:])
    assert index.find("g3") == random_record("g3", "ann", "bob", 3)


def test_index_of_a_file_that_was_replaced_is_made_again(path: Path) -> None:
    index = GameIndex(path)
    assert index.find("g2") is not None
    path.write_text(line("g9", 9))
    assert index.find("g2") is None
    assert index.find("g9") is not None


def test_index_reads_no_line_twice(path: Path) -> None:
    index = GameIndex(path)
    assert index.find("g1") is not None
    size = path.stat().st_size
    with path.open("r+") as file:
        file.write(" " * (len(line("g1", 1)) - 1))
    assert path.stat().st_size == size
    assert index.find("g2") is not None
    with pytest.raises(RunError):
        index.find("g1")


def test_index_finds_ids_that_are_escaped_or_not_first(path: Path) -> None:
    record = dump_record(random_record("g1", "ann", "bob", 4))
    path.write_text(
        record.replace('{"id":', '{"more": 1, "id":', 1).replace('"g1"', '"g\\u0034"') + "\n"
    )
    assert GameIndex(path).find("g4") is not None


def test_index_skips_lines_that_are_no_records(path: Path) -> None:
    record = dump_record(random_record("g1", "ann", "bob", 4))
    lines = [b"nonsense", b"[]", b"{}", b'{"id":"g0\xff"}', record.encode(), b""]
    path.write_bytes(b"\n".join(lines))
    index = GameIndex(path)
    assert index.find("g0") is None
    assert index.find("g1") is not None
