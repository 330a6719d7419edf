"""Reports of a run in three formats, made from its archive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from yoddd.daemon.runs.archive import GAMES, REPORT_FILES, RunError, read_games
from yoddd.daemon.runs.run_folder import PLAN, read_plan, read_starts
from yoddd.notation import NotationError
from yoddd.notation.records import GameRecord
from yoddd.notation.text import printable
from yoddd.referee.reports.html import report_html
from yoddd.referee.reports.report import RunReport
from yoddd.referee.reports.text import report_json, report_text
from yoddd.referee.stats.sprt import Sprt, follow
from yoddd.referee.stats.summary import Summary
from yoddd.referee.tournament.conditions import conditions
from yoddd.referee.tournament.config import make_plan
from yoddd.referee.tournament.standings import standings
from yoddd.referee.tournament.tournament import ArchiveMismatch, Tournament
from yoddd.store.errors import StoreError
from yoddd.store.targets import check_target

RECENT: Final = 200
"""Games that the HTML report lists: the last ones."""


def read_report(path: Path, sprt: Sprt | None = None) -> RunReport:
    """The report of an archive.

    Args:
        path: a run's folder, or a JSONL file of records.
        sprt: a test to follow; None for the run's own.

    Raises:
        RunError: it cannot be read, or the archive is not of the folder's tournament.
    """
    if path.is_dir() and (path / PLAN).exists():
        return _of_folder(path, sprt)
    games = path / GAMES if path.is_dir() else path
    parts = _read(games)
    summary: Summary = parts["summary"]
    if parts["problems"] and not summary.entrants:
        raise RunError(f"{games}: {parts['problems'][0]}")
    if sprt:
        _check_two(path, tuple(summary.entrants))
    test = follow(sprt, summary.tested()) if sprt else None
    return RunReport(title=printable(path.name), test=test, **parts)


def _of_folder(path: Path, sprt: Sprt | None) -> RunReport:
    config = read_plan(path)
    plan = make_plan(config)
    if sprt:
        _check_two(path, tuple(side.name for side in plan.sides))
    tournament = Tournament(attrs.evolve(plan, sprt=sprt) if sprt else plan)
    try:
        parts = _read(path / GAMES, tournament.take)
    except ArchiveMismatch as error:
        raise RunError(f"{path}: {error}") from None
    return RunReport(
        title=config.name,
        test=tournament.sprt,
        games=tournament.games,
        names=tuple(side.name for side in plan.sides),
        standings=standings(tournament) if len(plan.sides) > 2 else None,
        conditions=conditions(config, read_starts(path)),
        **parts,
    )


def _read(games: Path, take: Callable[[GameRecord], object] | None = None) -> dict[str, Any]:
    """The fields of a report that any archive has; ``take`` is called with each game.

    A folder may have no archive yet.
    """
    summary = Summary()
    recent: deque[GameRecord] = deque(maxlen=RECENT)
    problems: list[str] = []
    for record in read_games(games) if take is None or games.exists() else ():
        if isinstance(record, NotationError):
            problems.append(str(record))
            continue
        if take is not None:
            take(record)
        summary.add(record)
        recent.append(record)
    return {"summary": summary, "recent": tuple(recent), "problems": tuple(problems)}


def _check_two(path: Path, names: tuple[str, ...]) -> None:
    """Refuse to follow a test where the pairs are not all between the same two engines."""
    if len(names) > 2:
        raise RunError(f"{path}: a test is between two engines, here are {', '.join(names)}")


def write_reports(path: Path) -> RunReport:
    """Write the reports of a run into its folder, and return what they are of.

    Raises:
        RunError: they cannot be read or written.
    """
    report = read_report(path)
    texts = (report_text(report), report_json(report), report_html(report))
    try:
        for name, text in zip(REPORT_FILES, texts, strict=True):
            file = path / name
            check_target(file)
            file.write_text(text, encoding="utf-8")
    except (OSError, StoreError) as error:
        raise RunError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return report
