"""The games of a pair in a process of their own."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from pathlib import Path

import attrs
import pytest

from tests.daemon.conftest import engine, engines_with, processes_with, until
from tests.daemon.runs.conftest import plan_of
from yoddd.daemon.play.news import News
from yoddd.daemon.runs import pair_worker
from yoddd.daemon.runs.pair_worker import PairOrder, abort_pairs, play_pair
from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.referee.tournament.tournament import Tournament
from yoddd.workers import WorkerLost


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, News]]:
    """The news that the run is told."""
    news: list[tuple[int, News]] = []
    monkeypatch.setattr(pair_worker, "tell", lambda _run, one: news.append(one))
    return news


def order_of(config: TournamentConfig, run: str = "run") -> PairOrder:
    games = Tournament(make_plan(config)).next_pair()
    places = tuple((game.leg, game.attempt) for game in games)
    return PairOrder(run, config, games[0].pair, places)


def order(marker: str, *options: str) -> PairOrder:
    engines = tuple(
        EngineConfig(engine=engine(marker, *options), name=name) for name in ("ann", "bob")
    )
    return order_of(TournamentConfig(board="hex3", games=2, engine=engines))


def test_orders_survive_pickling() -> None:
    config = plan_of(games=4)
    games = Tournament(make_plan(config)).next_pair()
    assert len(games) == 2
    sent = order_of(config)
    received = pickle.loads(pickle.dumps(sent))  # noqa: S301 — our own
    assert received == sent
    assert received.games() == games


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize("ending", ["abort", "kill"])
@pytest.mark.parametrize("begun", ["games", "introduction"])
def test_play_pair_that_is_aborted_or_killed_is_lost(
    marker: str, tmp_path: Path, ending: str, begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_worker, "_INTRODUCED", {"run"} if begun == "games" else set())
    slow = order(marker, "--until", str(tmp_path / "never"))
    if begun == "introduction":
        silent = [EngineConfig(engine=f"sh -c 'sleep 600; :' {marker}", name=name) for name in "ab"]
        slow = order_of(attrs.evolve(slow.config, engine=tuple(silent)))

    def end() -> None:
        try:
            until(lambda: len(pair_worker._PLAYING) == 1)
            until(lambda: len(engines_with(marker)) >= 2)
            abort_pairs("another run")
            if ending == "kill":
                os.kill(next(iter(pair_worker._PLAYING)), signal.SIGKILL)
        finally:
            if ending == "abort":
                abort_pairs(slow.run)

    ending_thread = threading.Thread(target=end)
    ending_thread.start()
    with pytest.raises(WorkerLost, match="the process that played the games has ended"):
        play_pair(slow, 1)
    ending_thread.join()
    assert not pair_worker._PLAYING
    until(lambda: not processes_with(marker))


def test_play_pair_refuses_another_program() -> None:
    config = plan_of(games=2)
    other = attrs.evolve(config.engine[0], hashes={"/no/such/program": "0"})
    with pytest.raises(ConfigError, match="/no/such/program"):
        play_pair(order_of(attrs.evolve(config, engine=(other, config.engine[1]))), 1)


@pytest.mark.process
@pytest.mark.whole
def test_play_pair_refuses_an_engine_that_cannot_play() -> None:
    config = plan_of(games=2)
    wrong = attrs.evolve(config.engine[0], engine="builtin:random", params={"playuts": "1"})
    refused = order_of(attrs.evolve(config, engine=(wrong, config.engine[1])), "another run")
    for _ in range(2):
        with pytest.raises(ConfigError, match="refused set_param playuts 1"):
            play_pair(refused, 1)
