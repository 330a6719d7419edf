"""The thread that archives finished games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import DeferredList

from tests.support.games import SAMPLE
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import ArchiveWriter, GameArchive, read_games, sgf_path

GAMES = [attrs.evolve(SAMPLE, id=f"m1-{number}") for number in range(1, 6)]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[ArchiveWriter]:
    archive = GameArchive(tmp_path)
    writer = ArchiveWriter(cast("Reactor", installed), archive)
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
