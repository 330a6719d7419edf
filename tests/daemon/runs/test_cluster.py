"""A tournament on a cluster whose workers obey, and of which one is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.conftest import engine
from tests.daemon.runs.matches import SETTINGS, games, play
from tests.support.clusters import scheduling, working
from tests.support.programs import PATIENCE, YODDD, Program
from yoddd.daemon.runs.control import command_run
from yoddd.daemon.runs.status_socket import NotRunning, read_run

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler of dask.distributed in a process of its own."""
    with scheduling() as address:
        yield address


def wait_for(run: Program, true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        assert run.poll() is None, run.error_text()
        time.sleep(0.05)


def test_cluster_obeys_and_loses_no_game_with_a_worker(
    marker: str, tmp_path: Path, scheduler: str
) -> None:
    whole, out, events = tmp_path / "whole", tmp_path / "cluster", tmp_path / "events"
    assert play(whole, marker, "--pairs", "6").returncode == 0
    slow = ("--fault", "slow", "--delay", "0.1")  # or all is over before anybody can say stop
    engines = [engine(marker, *slow), engine(marker, "--seed", "4", *slow)]
    settings = [*SETTINGS, "--pairs", "6", "--out", str(out), "--cluster", scheduler]
    match = [*YODDD, "match", *engines, *settings, "--events", str(events)]
    with (
        working(scheduler, tmp_path / "worker1") as one,
        working(scheduler, tmp_path / "worker2"),
    ):
        with Program(match, stdout=subprocess.DEVNULL) as run:
            wait_for(run, lambda: (out / "games.jsonl").exists() and len(games(out)) >= 2)
            command_run(out, "stop")
            assert run.wait(PATIENCE) == 3, run.error_text()
        assert len(games(out)) < 12
        resume = [*YODDD, "resume", str(out), "--cluster", scheduler]
        with Program(resume, stdout=subprocess.DEVNULL) as run:
            wait_for(run, lambda: ask_if_running(out) > 0)
            os.kill(one.pid, signal.SIGKILL)
            assert run.wait(PATIENCE) == 0, run.error_text()
    assert games(out) == games(whole)
    check_events([json.loads(line) for line in events.read_text().splitlines()], games(out))


def ask_if_running(out: Path) -> int:
    try:
        return int(read_run(out, "status")["running"])
    except NotRunning:
        return 0


def check_events(events: list[dict[str, Any]], played: dict[str, tuple[str, ...]]) -> None:
    """Every game that has a result was heard of from its beginning, turn after turn."""
    kinds = [event["event"] for event in events]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert events[-1]["ending"] == "stopped"
    results = [event for event in events if event["event"] == "result"]
    assert results
    for result in results:
        record = result["record"]
        assert tuple(record["turns"]) == played[record["id"]]
        about = [event for event in events if event.get("number") == result["number"]]
        assert about[0]["event"] == "game"
        assert about[0]["id"] == record["id"]
        turns = [event["turn"] for event in about if event["event"] == "turn"]
        assert turns == record["turns"]
