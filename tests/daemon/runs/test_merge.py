"""Shards of a tournament, merged into one archive."""

from __future__ import annotations

import subprocess
from pathlib import Path

import attrs
import pytest

from tests.daemon.runs.conftest import plan_of
from tests.daemon.runs.matches import games, play
from tests.support.programs import PATIENCE, YODDD
from tests.support.runs import random_record
from yoddd.daemon.runs.archive import RunError, read_games
from yoddd.daemon.runs.merge import merge_folders
from yoddd.daemon.runs.run_folder import RunFolder, read_plan
from yoddd.notation import GameRecord


def merge(*folders: Path) -> subprocess.CompletedProcess[str]:
    command = [*YODDD, "merge", *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.process
@pytest.mark.whole
def test_merged_shards_equal_an_undivided_run(marker: str, tmp_path: Path) -> None:
    whole, merged = tmp_path / "whole", tmp_path / "merged"
    parts = [tmp_path / "part1", tmp_path / "part2"]
    assert play(whole, marker, "--pairs", "2").returncode == 0
    for number, part in enumerate(parts, start=1):
        assert play(part, marker, "--pairs", "2", "--shard", f"{number}/2").returncode == 0
    assert [len(games(part)) for part in parts] == [2, 2]
    done = merge(merged, *parts)
    assert done.returncode == 0, done.stderr
    assert games(merged) == games(whole)
    assert list(games(merged)) == list(games(whole))
    assert "4 of 4 games" in (merged / "report.txt").read_text()
    assert merge(merged, *parts).returncode == 0
    assert games(merged) == games(whole)


def part(path: Path, *records: GameRecord, **settings: object) -> Path:
    folder = RunFolder(path, plan_of(games=4, **settings))
    folder.archive.append(list(records))
    folder.close()
    return path


def game(name: str, leg: int, seed: int = 1) -> GameRecord:
    names = ("ann", "bob") if leg == 1 else ("bob", "ann")
    return attrs.evolve(random_record(f"{name}.{leg}", *names, seed), pair=name, leg=leg)


FIRST, SECOND, THIRD = game("r1t1p1", 1), game("r1t1p1", 2), game("r1t1p2", 1)


def test_merge_folders_writes_games_in_schedule_order_and_only_once(tmp_path: Path) -> None:
    one = part(tmp_path / "one", THIRD, SECOND, shard="1/2")
    other = part(tmp_path / "other", SECOND, FIRST, shard="2/2", concurrency=3)
    target = tmp_path / "merged"
    for _ in range(2):
        assert merge_folders(target, [one, other]) == 3
        assert list(read_games(target / "games.jsonl")) == [FIRST, SECOND, THIRD]
    assert read_plan(target).shard is None
    assert (target / "r1t1p2.1.sgf").exists()
    assert (target / "report.html").exists()


def test_merge_folders_refuses_parts_that_disagree(tmp_path: Path) -> None:
    one = part(tmp_path / "one", FIRST)
    with pytest.raises(RunError, match="another tournament"):
        merge_folders(tmp_path / "merged", [one, part(tmp_path / "seed", seed=3)])
    other = part(tmp_path / "other", game("r1t1p1", 1, seed=2))
    with pytest.raises(RunError, match=r"r1t1p1\.1: another game"):
        merge_folders(tmp_path / "merged", [one, other])
    stray = part(tmp_path / "stray", game("r9t9p9", 1))
    with pytest.raises(RunError, match="no game of this tournament"):
        merge_folders(tmp_path / "merged", [one, stray])
