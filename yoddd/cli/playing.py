"""Plays runs and matches for the commands ``match``, ``tournament`` and ``resume``.

Games are played in this process, on a cluster, or by a daemon; they are shown, written as events,
archived and scored in the same way.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import IO, Final

import attrs
import click

from yoddd.cli.display import Display, Shown
from yoddd.cli.events import EventWriter, display_stream
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.match_runner import Waits
from yoddd.daemon.play.news import GameEnds, News
from yoddd.daemon.play.participants import UnknownEngine
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import GameArchive, RunError
from yoddd.daemon.runs.cluster import play_on_cluster
from yoddd.daemon.runs.connect import ConnectFailed
from yoddd.daemon.runs.preparation import find_openings, introduce_engines
from yoddd.daemon.runs.remote_match import RemoteError, describe_entrants, play_at_daemon
from yoddd.daemon.runs.reports import write_reports
from yoddd.daemon.runs.run import RunEnds, RunNews, RunWatch, play_run
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee import Match, MatchError, MatchPlan
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.referee.progress import Progress
from yoddd.referee.stats.summary import Summary
from yoddd.rules import Rules
from yoddd.system import BROKEN_PIPE
from yoddd.workers import WorkerError

DONE: Final = 0
INCOMPLETE: Final = 1
STOPPED: Final = 3
CRASHED: Final = 4
UNREAD: Final = BROKEN_PIPE
"""Exit statuses; 2 is for invalid arguments. See docs/reference/runs.md."""

_STATUS: Final = {StopReason.STOPPED: STOPPED, StopReason.CRASHED: CRASHED}


@attrs.frozen(kw_only=True)
class PlayOptions:
    """Options of playing and showing games.

    Attributes:
        events: where the event stream goes; on standard output it sends the display to standard
            error.
        boards: whether boards are shown.
        keep: whether the folder stays, so that it is worth naming and reporting in.
        cluster: the scheduler whose workers play; None for this process.
    """

    events: IO[str] | None = None
    boards: bool = False
    keep: bool = True
    cluster: str | None = None


def play_folder(folder: RunFolder, options: PlayOptions) -> int:
    """Play what is missing in a folder, show it, and write the reports.

    Args:
        folder: it is closed at the end.
        options: how the games are played and shown.

    Returns:
        The exit status.
    """
    shown = Shown(
        boards=options.boards,
        resumable=folder.path if options.keep else None,
        files=folder.path if options.keep and options.boards else None,
    )
    _, show = _watch(make_plan(folder.config).rules, options, shown)
    ends: list[RunEnds] = []

    def watch(news: RunNews) -> None:
        if isinstance(news, RunEnds):
            ends.append(news)
        show(news)

    try:
        if options.cluster is None:
            play_run(folder, watch)
        else:
            play_on_cluster(folder, options.cluster, watch)
        if options.keep:
            write_reports(folder.path)
    except BrokenPipeError:
        return _leave_quietly(options)
    except (RunError, ListenError, ConfigError, WorkerError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        folder.close()
    return exit_status(ends[0].reason, ends[0].progress) if ends else STOPPED


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


def _watch(rules: Rules, options: PlayOptions, shown: Shown) -> tuple[Display, RunWatch]:
    """The display, and the function that shows news and writes them as events."""
    display = Display(display_stream(options.events), rules, shown)
    if options.events is None:
        return display, display.show
    events = EventWriter(options.events)

    def watch(news: RunNews) -> None:
        display.show(news)
        events.write(news)

    return display, watch


# -- at a daemon ----------------------------------------------------------------------------


def play_remotely(
    config: TournamentConfig,
    daemon: tuple[str, int],
    waits: Waits,
    out: Path | None,
    options: PlayOptions,
) -> int:
    """Have a daemon play a match, and show and archive its games here.

    Args:
        config: the match; engines that are not ``tcp:NAME`` attach to the daemon for it.
        daemon: its host and port.
        waits: how long engines are waited for.
        out: the folder of the archive, if there is one.
        options: how the games are shown.

    Returns:
        The exit status.
    """
    try:
        entrants = describe_entrants([engine.engine for engine in config.engine])
        plan = match_plan(config, (entrants[0].name, entrants[1].name))
        introduce_engines(config)
    except (UnknownEngine, MatchError, ConfigError) as error:
        raise click.UsageError(str(error)) from None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    display, show = _watch(plan.rules, options, Shown(boards=options.boards, files=out))
    score = Summary()

    def watch(news: News) -> None:
        if isinstance(news, GameEnds):
            score.add(news.record)
            if out is not None:
                _archive(out, PlayedGame(news.record))
        show(news)

    commands = (entrants[0].command, entrants[1].command)
    try:
        play_at_daemon(daemon, plan, commands, waits, watch)
    except MatchError as error:
        raise click.UsageError(str(error)) from None
    except BrokenPipeError:
        return _leave_quietly(options)
    except (RemoteError, ConnectFailed, OSError) as error:
        raise click.ClickException(str(error)) from None
    won = {name: entrant.won for name, entrant in score.entrants.items()}
    display.show_score(plan.names, tuple(won.get(name, 0) for name in plan.names))
    return DONE if score.games == plan.games else INCOMPLETE


def _archive(folder: Path, game: PlayedGame) -> None:
    with closing(GameArchive(folder)) as archive:
        archive.append([game.record])
        archive.derive(game)


def match_plan(config: TournamentConfig, names: tuple[str, str]) -> MatchPlan:
    """The match as a daemon is asked for it.

    Raises:
        ConfigError: it has settings that a daemon does not take.
        MatchError: it cannot be played as planned.
    """
    for engine in config.engine:
        if attrs.evolve(engine, engine="", clock=None, params={}) != EngineConfig():
            raise ConfigError(f"{engine.engine}: a daemon supports only clock and param.NAME")
    engines = zip(config.engine, names, strict=True)
    named = attrs.evolve(config, engine=tuple(attrs.evolve(e, name=n) for e, n in engines))
    plan = make_plan(named)
    openings = find_openings(named, plan, Path())
    if any(opening.position is not None for opening in openings):
        raise ConfigError(
            "openings: a daemon supports turns from the empty board only, no positions"
        )
    first, second = plan.sides
    match = MatchPlan(
        id=f"seed{plan.seed}",
        names=names,
        rules=plan.rules,
        games=plan.games or 2 * plan.pairs,
        seed=plan.seed,
        clock=config.clock,
        odds=(first.clock, second.clock),
        params=(first.params, second.params),
        openings=tuple(opening.turns for opening in openings),
        limits=plan.limits,
        adjudication=plan.adjudication,
    )
    Match(match)
    return match
