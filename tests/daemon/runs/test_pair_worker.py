"""The process that plays the games of a pair for another one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.daemon.conftest import PATIENCE, engine, processes_with, until
from tests.daemon.runs.conftest import plan_of
from tests.support.games import SAMPLE
from yoddd.daemon.play.played_game import FaultBundle, PlayedGame
from yoddd.daemon.runs.pair_worker import format_order, format_played, parse_order, parse_played
from yoddd.referee.config import EngineConfig, TournamentConfig, make_plan
from yoddd.referee.tournament import Tournament

COMMAND = [sys.executable, "-m", "yoddd.daemon.runs.pair_worker"]


@pytest.mark.parametrize("bundle", [None, FaultBundle({}), FaultBundle({"fault.json": "{}\n"})])
def test_played_games_survive_the_pipe(bundle: FaultBundle | None) -> None:
    game = PlayedGame(SAMPLE, bundle)
    line = format_played(game)
    assert "\n" not in line
    assert parse_played(line) == game


def test_orders_survive_the_pipe() -> None:
    config = plan_of(games=4)
    games = Tournament(make_plan(config)).next_pair()
    assert len(games) == 2
    assert parse_order(format_order(config, games)) == (config, games)


def order(marker: str, *options: str) -> str:
    engines = tuple(
        EngineConfig(engine=engine(marker, *options), name=name) for name in ("ann", "bob")
    )
    config = TournamentConfig(board="hex2", games=2, engine=engines)
    return format_order(config, Tournament(make_plan(config)).next_pair())


@pytest.mark.process
def test_pair_worker_writes_news_and_records(marker: str) -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(order(marker) + "\n")
        process.stdin.flush()
        lines = process.stdout.read().splitlines()
        assert process.wait(PATIENCE) == 0
    played = [parse_played(line) for line in lines if line.startswith("{")]
    assert [game.record.id for game in played] == ["r1t1p1.1", "r1t1p1.2"]
    turns = [line for line in lines if line.startswith("turn ")]
    assert len(turns) == sum(len(game.record.turns) for game in played)


@pytest.mark.process
def test_pair_worker_aborts_at_the_end_of_its_input(marker: str) -> None:
    slow = order(marker, "--fault", "slow", "--delay", "5")
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        process.stdin.write(slow + "\n")
        process.stdin.flush()
        until(lambda: len(processes_with(marker)) == 2)
        process.stdin.close()
        assert process.wait(PATIENCE) == 1


@pytest.mark.process
def test_pair_worker_without_an_order_fails() -> None:
    done = subprocess.run(COMMAND, input=b"", capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 1
