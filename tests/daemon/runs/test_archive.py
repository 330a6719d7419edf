"""The archive of a run: nothing torn, nothing half written."""

from __future__ import annotations

import json
import resource
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from tests.support.games import SAMPLE
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import (
    GameArchive,
    RunError,
    cut_torn_line,
    read_games,
    set_aside,
    sgf_path,
)
from yoddd.notation import GameRecord, NotationError, dump_record

LINE = dump_record(SAMPLE) + "\n"


def test_append_on_a_full_disk_leaves_the_archive_as_it_was(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(GameArchive(tmp_path)) as archive:
        archive.append([SAMPLE])
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(LINE) + 100, before[1]))
        try:
            with pytest.raises(RunError, match=r"games.jsonl: File too large"):
                archive.append([SAMPLE])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert games.read_text() == LINE
        archive.append([SAMPLE])
    assert games.read_text() == 2 * LINE


def test_derive_writes_the_sgf_and_the_files_of_a_fault(tmp_path: Path) -> None:
    record = attrs.evolve(SAMPLE, id="m2030-01-31T12:00/1")
    with closing(GameArchive(tmp_path)) as archive:
        archive.derive(PlayedGame(record, {"fault.json": "{}", "stderr-b.txt": "oh"}))
    assert sgf_path(tmp_path, record) == tmp_path / "m2030-01-31T1200-1.sgf"
    assert sgf_path(tmp_path, record).read_text().startswith("(;")
    folder = tmp_path / "faults" / "m2030-01-31T1200-1"
    assert {path.name for path in folder.iterdir()} == {"fault.json", "stderr-b.txt"}


def test_derive_where_a_file_is_in_the_way_reports_it(tmp_path: Path) -> None:
    (tmp_path / "faults").touch()
    with (
        closing(GameArchive(tmp_path)) as archive,
        pytest.raises(RunError, match=r"Not a directory|File exists"),
    ):
        archive.derive(PlayedGame(SAMPLE, {"fault.json": "{}"}))


def test_read_games_skips_a_torn_last_line_and_empty_ones(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    with pytest.raises(RunError, match="No such file"):
        list(read_games(games))
    games.write_text(f"{LINE}\n{LINE[:-20]}")
    assert list(read_games(games)) == [SAMPLE]


def test_lines_that_are_no_records_cost_only_their_games_and_are_set_aside(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    good = LINE.encode()
    other = good.replace(SAMPLE.id.encode(), b"another")
    bad = [b"{}\n", b'{"id":"\xe9"}\n', good]
    games.write_bytes(good + bad[0] + other + bad[1] + bad[2])
    found = list(read_games(games))
    assert [one.id for one in found if isinstance(one, GameRecord)] == [SAMPLE.id, "another"]
    errors = [str(one) for one in found if isinstance(one, NotationError)]
    assert errors[1:] == [
        "line 4, column 8: byte 0xe9 is not UTF-8",
        "line 5, column 1: equals an earlier line",
    ]
    set_aside(games, {2, 4, 5})
    assert games.read_bytes() == good + other
    assert (tmp_path / "games.unread").read_bytes() == b"".join(bad)


@pytest.mark.parametrize(
    ("whole", "torn"),
    [
        ("", ""),
        (LINE, ""),
        ("", '{"id": "r1'),
        ("", "[1]\n"),
        (LINE, '{"id": "r1\n'),
        (LINE, "\0" * 999),
        (2 * LINE, json.dumps({"id": "x" * 100_000})[:-1]),
    ],
)
def test_cut_torn_line_keeps_whole_lines(tmp_path: Path, whole: str, torn: str) -> None:
    games = tmp_path / "games.jsonl"
    assert cut_torn_line(games) == 0
    games.write_text(whole + torn)
    assert cut_torn_line(games) == len(torn)
    assert games.read_text() == whole
