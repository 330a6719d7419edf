"""Plays runs for the commands ``match``, ``tournament`` and ``resume``.

Games are played in this process, on a cluster, or by a daemon; they are shown, written as events,
archived and scored in the same way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from yoddd.cli.display import (
    CutechessDisplay,
    Display,
    EventWriter,
    display_stream,
)
from yoddd.cli.options import PlayOptions, say_aside
from yoddd.cli.outputs import check_output
from yoddd.cli.progress import counted
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.play.executor import BuiltinFailed, StopReason
from yoddd.daemon.runs.archive import FAULTS, GAMES, REPORT_FILES, RunError
from yoddd.daemon.runs.cluster import play_on_cluster
from yoddd.daemon.runs.connect import ConnectFailed
from yoddd.daemon.runs.preparation import prepare, with_description
from yoddd.daemon.runs.reports import read_report, write_reports
from yoddd.daemon.runs.run import RunEnds, RunNews, RunWatch, play_run
from yoddd.daemon.runs.run_folder import RunFolder, note_start, read_starts, this_start
from yoddd.referee.reports.progress import Progress
from yoddd.referee.reports.report import RunReport
from yoddd.referee.reports.text import rating_lines, standing_lines
from yoddd.referee.tournament.conditions import conditions
from yoddd.referee.tournament.config import ConfigError, TournamentConfig, make_plan
from yoddd.system import BROKEN_PIPE
from yoddd.workers import WorkerError

DONE: Final = 0
INCOMPLETE: Final = 1
STOPPED: Final = 3
CRASHED: Final = 4
UNREAD: Final = BROKEN_PIPE
"""Exit statuses; 2 is for invalid arguments. See docs/reference/tournament-file.md."""

_STATUS: Final = {StopReason.STOPPED: STOPPED, StopReason.CRASHED: CRASHED}


def play_new(config: TournamentConfig, base: Path, where: Path, options: PlayOptions) -> int:
    """Complete a configuration, whose paths are relative to ``base``, and play it in a folder.

    Returns:
        The exit status.

    Raises:
        ConfigError: the run cannot be played.
    """
    start = options.cluster is None
    read = [base / name for name in (config.openings.file, config.engines) if name is not None]
    with counted(config.openings.generate, "Openings") as found_one:
        config = prepare(config, base, start=start, found_one=found_one, say=say_aside)
    if options.events is not None:
        read += [Path(name) for engine in config.engine for name in engine.hashes]
        check_output(Path(options.events.name), read)
    try:
        folder = RunFolder(where, config)
    except RunError as error:
        raise click.ClickException(str(error)) from None
    return play_folder(folder, options)


def play_folder(folder: RunFolder, options: PlayOptions) -> int:
    """Play the missing games of a folder, show them, and write the reports.

    Args:
        folder: it is closed at the end.
        options: how the games are played and shown.

    Returns:
        The exit status.
    """
    if options.log is not None and options.cluster is not None:
        raise click.UsageError("--log cannot be combined with --cluster")
    with_description(folder.config, folder.path)  # of a run that is resumed
    kept = folder.path if options.keep else None
    stream, plan = display_stream(options.events), make_plan(folder.config)
    display = (
        CutechessDisplay(stream)
        if options.output == "cutechess"
        else Display(stream, plan.rules, options, kept)
    )
    show = _watch(display, options)
    ends: list[RunEnds] = []

    def watch(news: RunNews) -> None:
        if isinstance(news, RunEnds):
            ends.append(news)
        show(news)

    try:
        note_start(folder.path, this_start(folder.config.concurrency))
        rows = conditions(folder.config, read_starts(folder.path))
        folder.archive.event = (folder.config.name, rows)
        if plan.caution is not None:
            say_aside(plan.caution)
        if options.cluster is None:
            play_run(folder, watch, log=options.log)
        else:
            play_on_cluster(folder, options.cluster, watch)
        if options.keep:
            display.show_last([*_standing(write_reports(folder.path)), *_written(folder.path)])
        elif len(plan.sides) > 2:  # the score of a match is shown already
            display.show_last(_standing(read_report(folder.path)))
    except BrokenPipeError:
        return _leave_quietly(options)
    except (BuiltinFailed, RunError, ListenError, ConnectFailed, ConfigError, WorkerError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        folder.close()
    return exit_status(ends[0].reason, ends[0].progress) if ends else STOPPED


def _standing(report: RunReport) -> Iterator[str]:
    """The table and the ratings of a run between more than two engines."""
    if report.standings is not None and report.summary.games:
        yield from standing_lines(report.standings)
        yield from ("", *rating_lines(report))


def _written(folder: Path) -> Iterator[str]:
    """The lines about the files that a run has written into its folder."""
    yield f"report: {folder / REPORT_FILES[-1]}"
    yield f"games: {folder / GAMES}"
    faults = folder / FAULTS
    count = len([*faults.iterdir()]) if faults.is_dir() else 0
    if count:
        yield f"faults: {count} in {faults}"


def exit_status(reason: StopReason, progress: Progress) -> int:
    """The exit status of a run."""
    if reason in _STATUS:
        return _STATUS[reason]
    return INCOMPLETE if progress.given_up else DONE


def _leave_quietly(options: PlayOptions) -> int:
    """The exit status where the reader of the output has gone, as ``head`` does."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, options.events)):
        # What is still in its buffer would raise again when it is closed.
        os.dup2(null, stream.fileno())
    return UNREAD


def _watch(display: Display | CutechessDisplay, options: PlayOptions) -> RunWatch:
    """The function that shows news, and writes them as events."""
    if options.events is None:
        return display.show
    events = EventWriter(options.events)

    def watch(news: RunNews) -> None:
        display.show(news)
        events.write(news)

    return watch
