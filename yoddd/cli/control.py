"""``yoddd run status|pause|resume|stop|set``: control of a run by its folder."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from yoddd.cli.options import NumberRange, PlayOptions, play_options, say_aside

_FOLDER = click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))


def _command(folder: Path, *words: str) -> None:
    from yoddd.daemon.runs.control import NotRunning, command_run
    from yoddd.daemon.runs.run_folder import is_running

    if not is_running(folder):
        raise click.ClickException(f"{folder}: this run is not running{_what_next(folder)}")
    try:
        command_run(folder, *words)
    except (NotRunning, ValueError) as error:
        raise click.ClickException(str(error)) from None


def _what_next(folder: Path) -> str:
    """The way to go on with a run that is not running, as the end of a sentence."""
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.reports import read_report

    try:
        report = read_report(folder)
    except RunError as error:
        return f": {error}"
    played = report.summary.games + report.summary.voids
    if report.games is not None and played >= report.games:
        return ": all of its games are played"
    return f"; go on with it by: yoddd run resume {folder}"


@click.command("status")
@_FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--watch", is_flag=True, help="Show it again every --interval seconds, to its end.")
@click.option("--interval", type=NumberRange(0.1), default=2.0, help="Seconds of --watch.")
def status(folder: Path, as_json: bool, watch: bool, interval: float) -> None:
    """Show the standing of a run, whether it is running or not.

    \b
    Examples:
      yoddd run status games/cup
      yoddd run status games/cup --json
      yoddd run status games/cup --watch
    """
    from yoddd.daemon.runs.run_folder import is_running

    while watch and is_running(folder):
        click.clear()
        _show(folder, as_json=as_json)
        time.sleep(interval)
    if watch:
        click.clear()
    _show(folder, as_json=as_json)


def _show(folder: Path, *, as_json: bool) -> None:
    """Print the standing once."""
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.control import NotRunning
    from yoddd.daemon.runs.reports import read_report
    from yoddd.referee.reports.text import report_json, report_text

    try:
        running = _running(folder)
        report = read_report(folder)
    except (RunError, NotRunning, ValueError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        values = {**json.loads(report_json(report)), "running": running}
        click.echo(json.dumps(values))
        return
    click.echo(_state(running))
    click.echo(report_text(report), nl=False)


def _running(folder: Path) -> dict[str, object] | None:
    """The answer to ``status`` if the run is running."""
    from yoddd.daemon.runs.run_folder import is_running
    from yoddd.daemon.runs.status_socket import SOCKET, NotRunning, read_run

    if not is_running(folder):
        return None
    try:
        return read_run(folder, "status")
    except NotRunning:
        if (folder / SOCKET).exists():
            raise
    return {}  # its folder can hold no sockets


def _state(running: dict[str, object] | None) -> str:
    if not running:
        return "not running" if running is None else "running; it cannot be asked how many games"
    if running["paused"]:
        left = running["running"]
        return f"paused; games that are played to their end: {left}" if left else "paused"
    return f"running {running['running']} games, at most {running['concurrency']} at once"


@click.command("pause")
@_FOLDER
def pause(folder: Path) -> None:
    """Pause a run: it starts no more games and finishes those in progress.

    \b
    Examples:
      yoddd run pause games/cup
    """
    _command(folder, "pause")


@click.command("stop")
@_FOLDER
def stop(folder: Path) -> None:
    """Stop a run now; games in progress have no result and are played again on resume.

    \b
    Examples:
      yoddd run stop games/cup
    """
    _command(folder, "stop")


@click.command("set")
@_FOLDER
@click.argument("setting", metavar="concurrency=N")
def setting(folder: Path, setting: str) -> None:
    """Change how many games a run plays at once.

    \b
    Examples:
      yoddd run set games/cup concurrency=4
    """
    from yoddd.daemon.runs.control import parse_setting

    try:
        games = parse_setting(setting)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _command(folder, "set", f"concurrency={games}")


@click.command("resume")
@_FOLDER
@play_options
def resume(folder: Path, shown: PlayOptions) -> None:
    """Resume a run after a pause, or after it ended for any reason.

    A run that has ended is resumed here with exactly the games that its archive lacks.

    \b
    Examples:
      yoddd run resume games/cup
    """
    from yoddd.cli.playing import play_folder
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.preparation import introduce_engines
    from yoddd.daemon.runs.run import load_tournament
    from yoddd.daemon.runs.run_folder import FolderBusy, RunFolder
    from yoddd.referee.tournament.config import ConfigError

    try:
        run_folder = RunFolder(folder)
    except FolderBusy:
        _command(folder, "resume")
        return
    except RunError as error:
        raise click.ClickException(str(error)) from None
    try:
        if shown.cluster is None and not load_tournament(run_folder).is_over:
            introduce_engines(run_folder.config, say_aside)
    except (RunError, ConfigError) as error:
        run_folder.close()
        raise click.ClickException(str(error)) from None
    sys.exit(play_folder(run_folder, shown))
