"""The pairs of a tuning on a worker: engines serve for several pairs, and end when none comes."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, processes_with, until
from yoddd.client import EngineFailure, Limit, SimpleEngine, tuning
from yoddd.client.tuning import PairTask, PairTerms, play_pair
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole]

SIDES = ({"greed": "0"}, {"greed": "100"})


def start(command: list[str]) -> SimpleEngine:
    return SimpleEngine.popen(command, timeout=PATIENCE)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[PairTask]:
    word = f"--name={tmp_path.name}"  # in the command line of every engine
    command = [sys.executable, "-m", "tests.programs.tunable", word]
    terms = PairTerms(rules=make_rules("yodd", "hex2"), limit=Limit())
    with closing(PairTask(word, functools.partial(start, command), terms)) as one:
        yield one


def test_play_pair_keeps_its_engines_for_the_next_pair(task: PairTask) -> None:
    first = play_pair(task, (SIDES, 1))
    engines = processes_with(task.id)
    assert len(engines) == 2
    assert play_pair(pickle.loads(pickle.dumps(task)), (SIDES, 1)) == first  # noqa: S301 — our own
    assert processes_with(task.id) == engines
    task.close()
    until(lambda: not processes_with(task.id))


def test_play_pair_ends_engines_that_get_no_further_pair(
    task: PairTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "IDLE", 0.05)
    play_pair(task, (SIDES, 1))
    until(lambda: not processes_with(task.id))
    play_pair(task, (SIDES, 2))


def test_play_pair_ends_engines_that_have_failed(task: PairTask) -> None:
    with pytest.raises(EngineFailure):
        play_pair(task, (({"greed": "1000"}, SIDES[1]), 1))
    until(lambda: not processes_with(task.id))
