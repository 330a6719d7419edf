"""The folder of a run: its plan, its lock, and its archive, in which nothing is torn."""

from __future__ import annotations

import errno
import json
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import DeferredList

from tests.support.games import SAMPLE
from tests.support.poor_files import ERRORS, make_poor
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs import run_folder
from yoddd.daemon.runs.archive import (
    ArchiveWriter,
    GameArchive,
    RunError,
    cut_torn_line,
    read_games,
    set_aside,
    sgf_path,
)
from yoddd.daemon.runs.control import ControlPort
from yoddd.daemon.runs.run_folder import FolderBusy, RunFolder, is_running, read_plan
from yoddd.notation import GameRecord, NotationError, dump_record
from yoddd.referee.tournament.config import TournamentConfig
from yoddd.store.lock import StoreLock


def test_run_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run in it"):
        RunFolder(tmp_path)
    (tmp_path / "games.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match="games without a plan"):
        RunFolder(tmp_path, TournamentConfig())
    with pytest.raises(RunError, match="No such file"):
        RunFolder(tmp_path / "nowhere")


def test_run_folder_holds_its_lock_until_it_is_closed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", TournamentConfig())
    with pytest.raises(FolderBusy):
        RunFolder(tmp_path / "run")
    assert is_running(tmp_path / "run")
    folder.close()
    again = RunFolder(tmp_path / "run")
    assert again.config == TournamentConfig()
    again.close()
    assert not is_running(tmp_path / "run")
    assert not is_running(tmp_path / "nowhere")


LACKS = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(numbers) for name, numbers in ERRORS.items()}
).map(lambda found: {name: getattr(errno, number) for name, number in found.items()})


@pytest.mark.filterwarnings("ignore:.* has no locks")
@given(LACKS)
def test_run_folder_on_a_file_system_without_locks_or_synced_folders_is_locked_all_the_same(
    lacks: dict[str, int],
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        make_poor(patch, lacks)
        path = Path(name, "run")
        for _ in range(2):
            folder = RunFolder(path, TournamentConfig())
            with pytest.raises(FolderBusy, match="another run is in this folder"):
                RunFolder(path)
            assert is_running(path)
            folder.close()
            assert not is_running(path)
        # The daemon's other socket and the store's lock say what they lack.
        for what, call in (
            ("sockets", lambda: ControlPort(cast("Reactor", installed), path / "s", {})),
            ("locks", lambda: StoreLock(path / "store")),
        ):
            if what in lacks:
                with pytest.raises(OSError, match=os.strerror(lacks[what])) as found:
                    call()
                assert found.value.filename


@pytest.mark.parametrize("number", ERRORS["locks"])
def test_run_folder_that_nothing_can_lock_is_refused_before_a_plan_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: str
) -> None:
    make_poor(monkeypatch, {"locks": getattr(errno, number)})
    monkeypatch.setattr(run_folder, "lock_by_name", lambda _handle: os.open("/nowhere", 0))
    with pytest.raises(RunError, match=r"^[^\n]*/r has no locks, [^\n]*$"):
        RunFolder(tmp_path / "r", TournamentConfig())
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["lock"]


def test_run_folder_replaces_a_plan_until_a_game_is_played(tmp_path: Path) -> None:
    RunFolder(tmp_path, TournamentConfig()).close()
    RunFolder(tmp_path, TournamentConfig(seed=1)).close()
    assert read_plan(tmp_path).seed == 1
    (tmp_path / "games.jsonl").write_text("{}\n")
    reason = "holds another run; .* They differ in seed: 1 there, 2 here"
    with pytest.raises(RunError, match=reason):
        RunFolder(tmp_path, TournamentConfig(seed=2))
    RunFolder(tmp_path, TournamentConfig(seed=1, games=8, concurrency=4)).close()
    assert (read_plan(tmp_path).games, read_plan(tmp_path).concurrency) == (8, 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{", "plan.json: not JSON"), (b"\xff", "plan.json: line 1, column 1: byte 0xff")],
)
def test_read_plan_refuses_what_is_no_plan(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(RunError, match=reason):
        read_plan(tmp_path)


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


GAMES = [attrs.evolve(SAMPLE, id=f"m1-{number}") for number in range(1, 6)]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[ArchiveWriter]:
    archive = GameArchive(tmp_path)
    writer = ArchiveWriter(World(cast("Reactor", installed)), archive)
    yield writer
    writer.close()
    archive.close()


@ensureDeferred
async def test_commit_fires_when_the_game_and_its_files_are_written(
    writer: ArchiveWriter, tmp_path: Path
) -> None:
    done = [writer.commit(PlayedGame(record)) for record in GAMES]
    assert await DeferredList(done) == [(True, None)] * len(GAMES)
    assert list(read_games(tmp_path / "games.jsonl")) == GAMES
    assert all(sgf_path(tmp_path, record).exists() for record in GAMES)
