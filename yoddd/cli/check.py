"""``yoddd check``: the conformance kit."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.options import (
    ADDRESS,
    GAME,
    EngineCommand,
    NumberRange,
    complete_engines,
    launch_option,
    log_option,
    passed_on,
    say_aside,
)
from yoddd.defaults import ENGINES_FILE, LAUNCH, MARGIN, WALK_DEPTH, WALK_SECONDS
from yoddd.rules import Rules, RulesError, make_rules

if TYPE_CHECKING:
    from yoddd.daemon.runs.check import Target
    from yoddd.referee.conformance import (
        Finding,
        Knowledge,
    )
    from yoddd.referee.tournament.config import EngineConfig

NOTHING_PLAYED: Final = 3
"""The exit status when nothing failed, but no game was played."""


class _Check(click.ParamType[str]):
    """The name of a check."""

    name = "check"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from yoddd.referee.conformance import list_checks

        names = [one.name for one in list_checks()]
        if value not in names:
            self.fail(f"{value!r}: expected one of {', '.join(names)}", param, ctx)
        return value


def _seconds(name: str, default: float, purpose: str) -> Callable[..., Any]:
    kind = NumberRange(0)
    text = f"Seconds {purpose}."
    return click.option(name, type=kind, default=default, help=text)


@click.command("check", cls=EngineCommand)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option(
    "--game",
    "games",
    type=GAME,
    multiple=True,
    metavar="GAME[@BOARD]",
    help="Game to play, on a small board if none is named; repeatable.  [default: those it plays]",
)
@click.option(
    "--perft",
    is_flag=True,
    help="Compare its legal turns with the rules, position by position, instead of the checks.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=WALK_DEPTH,
    help="Turns that --perft lets the engine count at most.",
)
@click.option(
    "--walk",
    "walk_seconds",
    type=NumberRange(0, 3600, min_open=True),
    default=WALK_SECONDS,
    help="Seconds that --perft goes from position to position.",
)
@click.option(
    "--only",
    multiple=True,
    type=_Check(),
    metavar="CHECK",
    help="Check to run; repeatable.  [default: all]",
)
@click.option(
    "--engines",
    "engine_file",
    type=click.Path(exists=True, dir_okay=False),
    help=f"File of engines that conf:NAME takes.  [default: {ENGINES_FILE}]",
)
@launch_option(default=LAUNCH)
@_seconds("--reply", 5.0, "for any later reply but a turn")
@_seconds("--move", 30.0, "for a turn")
@_seconds("--leave", 2.0, "to end after quit")
@_seconds("--margin", MARGIN, "by which a turn under a clock may be late, as in --clock margin=S")
@log_option
@click.option("--seed", default=0, help="Seed of the turns that the checks play.")
@click.argument(
    "engine",
    nargs=-1,
    required=True,
    type=click.UNPROCESSED,
    metavar="COMMAND…",
    shell_complete=complete_engines,
)
def command(
    engine: tuple[str, ...],
    as_json: bool,
    games: tuple[tuple[str, str | None], ...],
    perft: bool,
    depth: int,
    walk_seconds: float,
    only: tuple[str, ...],
    engine_file: str | None,
    launch: float,
    reply: float,
    move: float,
    leave: float,
    margin: float,
    log: Path | None,
    seed: int,
) -> None:
    """Check that an engine conforms to the protocol.

    The engine is a command line, builtin:NAME, conf:NAME for one of the file of engines, or
    tcp:HOST:PORT for one that listens (a daemon, for instance). All words after COMMAND are its
    own. It is started again for every check. Exits with status 0 when no check failed and a game
    was played, with 1 when one failed, and with 3 when no game could be played.

    Without --game the games are those that the engine does not refuse; an engine that lists no
    `game` plays Yodd on its default board. One that begins with the line `attach NAME games=G,G`,
    to connect to a daemon, plays those.

    --perft compares what the engine answers to perft and to legal, whichever it lists, with the
    rules, or else which turns its play refuses: on the empty boards and in random games. It prints
    the first position and the first turn that the engine gets wrong, and the rule that it seems to
    misread. Exits with status 0 if there is none, else with 1.

    \b
    Examples:
      yoddd check ./my-bot --level 3
      yoddd check --json --game yodd@hex3 python3 my_bot.py
      yoddd check conf:mine
      yoddd check tcp:127.0.0.1:9633
      yoddd check --perft --game xodd@square4 ./my-bot
    """
    from yoddd.daemon.play.confinement import Launch
    from yoddd.daemon.runs.check import CheckFailed, check, check_perft
    from yoddd.referee.conformance import Terms, Walk, describe_perft, describe_sums

    found, target = find_engine(engine, engine_file)
    if log is not None and isinstance(target, Launch):
        target = attrs.evolve(target, log=log, name=found.name or "engine")
    elif log is not None:
        raise click.UsageError("--log is for engines that are started here")
    _warn(target)
    if perft and only:
        raise click.UsageError("--only cannot be combined with --perft")
    terms = Terms(
        launch=launch,
        patience=reply,
        move=move,
        leave=leave,
        margin=margin,
        seed=seed,
        params=found.params,
        only=frozenset(only) or None,
    )
    if games:
        try:
            terms = attrs.evolve(terms, games=tuple(map(_rules, games)))
        except RulesError as error:
            raise click.UsageError(str(error)) from None
    try:
        if perft:
            walked = check_perft(target, terms, Walk(depth=depth, seconds=walk_seconds))
            passed, content, text = walked.passed, walked.as_json(), describe_perft(walked)
            name = walked.name
        else:
            printer = _Printer()
            report = check(target, terms, None if as_json else printer.found)
            passed, content, text = report.passed, report.as_json(), describe_sums(report)
            name = report.name
    except (CheckFailed, ValueError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(content) if as_json else text)
    if not name and (hint := passed_on(engine)):
        say_aside(f"the engine did not start{hint}")
    if not perft and not report.failed and not passed:
        sys.exit(NOTHING_PLAYED)
    sys.exit(0 if passed else 1)


def _warn(target: Target) -> None:
    """Print what an engine that is started here can leave behind."""
    from yoddd.daemon.play.confinement import Launch, leftovers

    left = leftovers()
    if left is not None and isinstance(target, Launch):
        click.echo(f"Warning: without PID namespaces an engine can leave {left}.", err=True)


class _Printer:
    """Prints findings as they are made, below the engine's name."""

    def __init__(self) -> None:
        # Those made before the engine has introduced itself.
        self._held: list[Finding] = []
        self._titled = False

    def found(self, finding: Finding, knowledge: Knowledge) -> None:
        """Print a finding, or hold it until the engine is introduced."""
        from yoddd.referee.conformance import describe_finding, list_checks, title

        self._held.append(finding)
        engine = knowledge.engine
        if engine is None and not any(
            one.vital for one in list_checks() if one.name == finding.check
        ):
            return
        if not self._titled:
            self._titled = True
            click.echo(title(engine.name, engine.version) if engine else title("", ""))
        for one in self._held:
            click.echo(describe_finding(one))
        self._held.clear()


def _rules(game: tuple[str, str | None]) -> Rules:
    """The game that is asked for, on a small board if none is named."""
    from yoddd.referee.conformance import small_game

    name, board = game
    return small_game(name) if board is None else make_rules(name, board)


def find_engine(words: tuple[str, ...], file: str | None) -> tuple[EngineConfig, Target]:
    """The engine that is named, as the file of engines describes it, and how it is reached."""
    from yoddd.daemon.play.participants import UnknownEngine
    from yoddd.daemon.runs.preparation import take_engines
    from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig

    text = words[0] if len(words) == 1 else shlex.join(words)
    try:
        wanted = TournamentConfig(engine=(EngineConfig(engine=text),), engines=file)
        (engine,) = take_engines(wanted, Path()).engine
        return engine, _target(engine)
    except (ConfigError, UnknownEngine) as error:
        raise click.UsageError(f"{error}{passed_on(words)}") from None


def _target(engine: EngineConfig) -> Target:
    from yoddd.daemon.play.participants import ATTACHED
    from yoddd.daemon.runs.introduction import why_unstartable
    from yoddd.daemon.runs.preparation import launch_of
    from yoddd.referee.tournament.config import ConfigError

    if engine.engine.startswith(ATTACHED):
        return ADDRESS.convert(engine.engine.removeprefix(ATTACHED), None, None)
    launch = launch_of(engine, "check")
    reason = why_unstartable(launch)
    if reason is not None:
        raise ConfigError(": ".join(filter(None, (engine.name, reason))))
    return launch
