"""Reports of a run, from its folder or from a bare archive."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from tests.daemon.runs.conftest import plan_of
from tests.support.games import SAMPLE
from tests.support.runs import random_record, write_archive
from yoddd.daemon.runs.archive import REPORT_FILES, RunError
from yoddd.daemon.runs.reports import read_report, write_reports
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee.stats.sprt import Sprt
from yoddd.referee.tournament.config import structure

GAME = attrs.evolve(random_record("r1t1p1.1", "ann", "bob", 1), pair="r1t1p1", leg=1)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder with the first of two planned games."""
    folder = RunFolder(tmp_path / "cup", plan_of(name="Cup", games=2))
    folder.archive.append([GAME])
    folder.close()
    return tmp_path / "cup"


def test_read_report_of_a_folder_has_its_plan_and_its_games(run: Path) -> None:
    report = read_report(run)
    assert (report.title, report.games, report.names) == ("Cup", 2, ("ann", "bob"))
    assert (report.summary.games, report.recent) == (1, (GAME,))
    assert report.test is None


def test_read_report_follows_the_test_that_is_asked_for(run: Path, tmp_path: Path) -> None:
    sprt = structure("elo0=0,elo1=5", Sprt)
    bare = write_archive(tmp_path / "bare", ("ann", "bob"), rounds=2)
    for path in (run, bare / "games.jsonl"):
        report = read_report(path, sprt)
        assert report.test is not None
        assert report.test.sprt == sprt


def test_read_report_takes_a_folder_or_file_without_a_plan(tmp_path: Path) -> None:
    folder = write_archive(tmp_path / "bare")
    for path in (folder, folder / "games.jsonl"):
        report = read_report(path)
        assert (report.title, report.summary.games) == (path.name, 6)


def test_read_report_refuses_games_of_another_tournament(run: Path) -> None:
    folder = RunFolder(run)
    folder.archive.append([SAMPLE])
    folder.close()
    with pytest.raises(RunError, match="cup: m1-1: no game of this tournament"):
        read_report(run)


def test_write_reports_writes_three_files_unless_one_is_in_the_way(run: Path) -> None:
    assert write_reports(run).title == "Cup"
    assert all((run / name).is_file() for name in REPORT_FILES)
    assert json.loads((run / "report.json").read_text())["title"] == "Cup"
    assert "Cup" in (run / "report.html").read_text()
    (run / "report.json").unlink()
    (run / "report.json").mkdir()
    with pytest.raises(RunError, match="Is a directory"):
        write_reports(run)
