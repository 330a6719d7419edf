"""One tournament in several places: shards, and workers of which one is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.conftest import ENGINE, PATIENCE, YODDD, engine
from yoddd.daemon.archive import read_games
from yoddd.daemon.organise import check_hashes, hash_files, prepare
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig

pytestmark = pytest.mark.process

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


def test_another_program_under_the_same_name_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    described = EngineConfig(engine=f"{script} --fast", name="bot")
    hashes = hash_files(described, tmp_path)
    assert list(hashes) == [str(script)]
    planned = EngineConfig(engine=described.engine, name="bot", hashes=hashes)
    check_hashes(planned)
    script.write_text("#!/bin/bash\n")
    with pytest.raises(ConfigError, match="is another program than was planned"):
        check_hashes(planned)
    script.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        check_hashes(planned)


def test_scripts_are_hashed_like_programs(tmp_path: Path) -> None:
    config = TournamentConfig(
        engine=tuple(EngineConfig(engine=f"{sys.executable} {ENGINE} {n}") for n in "12")
    )
    first, second = prepare(config, tmp_path).engine
    assert str(ENGINE) in first.hashes
    assert (first.name, second.name) == (
        Path(sys.executable).name,
        f"{Path(sys.executable).name}-2",
    )


# -- a cluster ------------------------------------------------------------------------------


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler of dask.distributed in a process of its own."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-dashboard", "--host", "127.0.0.1"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        match = re.search(r"Scheduler at:\s+(tcp://\S+)", line)
        if match:
            break
    else:
        raise AssertionError("no scheduler")
    yield match[1]
    process.terminate()
    process.communicate(timeout=PATIENCE)


def start_worker(address: str, folder: Path) -> subprocess.Popen[bytes]:
    """A worker without a nanny, so that nobody starts it again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
    return subprocess.Popen(
        [*command, "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_plays_the_same_games(
    marker: str, tmp_path: Path, scheduler: str
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "cluster"
    assert play(whole, marker, "--pairs", "10").returncode == 0
    workers = [start_worker(scheduler, tmp_path / f"worker{n}") for n in "12"]
    engines = [engine(marker), engine(marker, "--seed", "4")]
    settings = [*SETTINGS, "--pairs", "10", "--out", str(out), "--cluster", scheduler]
    run = subprocess.Popen(
        [*YODDD, "match", *engines, *settings], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 3 * PATIENCE
        while not (out / "games.jsonl").exists() or len(games(out)) < 2:
            assert time.monotonic() < deadline
            assert run.poll() is None, run.communicate()
            time.sleep(0.05)
        os.kill(workers[0].pid, signal.SIGKILL)
        _, errors = run.communicate(timeout=5 * PATIENCE)
        assert run.returncode == 0, errors.decode()
    finally:
        run.kill()
        run.communicate()
        for worker in workers:
            worker.kill()
            worker.wait()
    assert games(out) == games(whole)
