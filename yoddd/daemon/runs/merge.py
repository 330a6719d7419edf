"""Merges the folders of runs that played parts of the same tournament."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import GAMES, RunError, read_games
from yoddd.daemon.runs.reports import write_reports
from yoddd.daemon.runs.run_folder import RunFolder, read_plan
from yoddd.notation.records import GameRecord
from yoddd.referee.config import TournamentConfig, make_plan
from yoddd.referee.tournament import ArchiveMismatch, Tournament

Key = tuple[str | None, int | None, int]


def merge_folders(target: Path, sources: Sequence[Path]) -> int:
    """Add the games of ``sources`` to ``target`` and return how many games it has then.

    Raises:
        RunError: they are not parts of one tournament, or disagree about a game.
    """
    plans = [_whole(read_plan(path)) for path in sources]
    for path, plan in zip(sources, plans, strict=True):
        if plan != plans[0]:
            raise RunError(f"{path}: another tournament than {sources[0]}")
    found: dict[Key, GameRecord] = {}
    for path in sources:
        for record in read_games(path / GAMES):
            key = (record.pair, record.leg, record.attempt)
            if found.setdefault(key, record) != record:
                raise RunError(f"{path}: {record.id}: another game than in an earlier folder")
    folder = RunFolder(target, plans[0])
    try:
        games = _write(folder, found)
    finally:
        folder.close()
    write_reports(target)
    return games


def _whole(config: TournamentConfig) -> TournamentConfig:
    """The tournament that a part is of; the concurrency of the part does not matter."""
    return attrs.evolve(config, shard=None, concurrency=1)


def _write(folder: RunFolder, found: dict[Key, GameRecord]) -> int:
    """Append, in schedule order, the games that the folder does not have."""
    tournament = Tournament(make_plan(folder.config))
    order = {pair.key: pair.number for pair in tournament.pairs}
    try:
        for record in folder.records():
            tournament.take(record)
        records = sorted(
            found.values(), key=lambda one: (order.get(one.pair or "", 0), one.leg, one.attempt)
        )
        new = [record for record in records if tournament.take(record)]
    except ArchiveMismatch as error:
        raise RunError(f"{folder.path}: {error}") from None
    folder.archive.append(new)
    for record in new:
        folder.archive.derive(PlayedGame(record))
    return tournament.finished
