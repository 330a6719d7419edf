"""Shards of a tournament, merged into one archive."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.daemon.conftest import YODDD, engine
from yoddd.daemon.runs.archive import read_games

SETTINGS = ["--board", "hex3", "--seed", "9"]


def play(out: Path, marker: str, *options: str) -> subprocess.CompletedProcess[str]:
    engines = [engine(marker), engine(marker, "--seed", "4")]
    command = [*YODDD, "match", *engines, *SETTINGS, "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def games(out: Path) -> dict[str, tuple[str, ...]]:
    found = [(record.id, record.turns) for record in read_games(out / "games.jsonl")]
    assert len(found) == len(dict(found))
    return dict(found)


def merge(*folders: Path) -> subprocess.CompletedProcess[str]:
    command = [*YODDD, "merge", *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_shards_merge_to_what_one_machine_plays(marker: str, tmp_path: Path) -> None:
    whole, merged = tmp_path / "whole", tmp_path / "merged"
    parts = [tmp_path / "part1", tmp_path / "part2"]
    assert play(whole, marker, "--pairs", "4").returncode == 0
    for number, part in enumerate(parts, start=1):
        assert play(part, marker, "--pairs", "4", "--shard", f"{number}/2").returncode == 0
    assert [len(games(part)) for part in parts] == [4, 4]
    done = merge(merged, *parts)
    assert done.returncode == 0, done.stderr
    assert games(merged) == games(whole)
    assert list(games(merged)) == list(games(whole))
    assert "8 of 8 games" in (merged / "report.txt").read_text()
    assert merge(merged, *parts).returncode == 0
    assert games(merged) == games(whole)


@pytest.mark.slow
def test_parts_that_do_not_fit_are_not_merged(marker: str, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert play(one, marker, "--pairs", "1").returncode == 0
    assert play(other, marker, "--pairs", "2").returncode == 0
    assert "another tournament" in merge(tmp_path / "merged", one, other).stderr
    refused = play(tmp_path / "x", marker, "--shard", "1/2", "--sprt", "elo0=0,elo1=9")
    assert refused.returncode == 2
    assert "depend on each other" in refused.stderr
    assert "expected K/N" in play(tmp_path / "y", marker, "--shard", "3/2").stderr
