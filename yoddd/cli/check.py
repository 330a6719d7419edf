"""``yoddd check``: the conformance kit."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import attrs
import click

from yoddd.cli.options import ADDRESS, NumberRange, launch_option
from yoddd.daemon.play.participants import ATTACHED, BUILTIN, describe_engine
from yoddd.daemon.runs.check import CheckFailed, Target, check, check_strength
from yoddd.engine import ENGINES, STRONGEST
from yoddd.referee import DEFAULT_WAIT_LIMITS
from yoddd.referee.conformance import (
    CHECKS,
    StrengthTerms,
    Terms,
    WonPosition,
    describe,
    describe_strength,
    read_won,
)
from yoddd.rules import RulesError, make_rules


def _seconds(name: str, default: float, purpose: str) -> Callable[..., Any]:
    kind = NumberRange(0)
    text = f"Seconds {purpose}."
    return click.option(name, type=kind, default=default, show_default=True, help=text)


@click.command("check", context_settings={"ignore_unknown_options": True})
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME[@BOARD]",
    help="Game to play; repeatable.  [default: all, on small boards]",
)
@click.option(
    "--strength",
    is_flag=True,
    help="Count the won positions in which the engine's turn keeps the win, instead of the checks.",
)
@click.option(
    "--seconds",
    type=NumberRange(0, 3600, min_open=True),
    default=1.0,
    show_default=True,
    help="Seconds for a turn of --strength.",
)
@click.option(
    "--compare/--no-compare",
    default=True,
    show_default=True,
    help=f"With --strength ask {BUILTIN}{STRONGEST} as well.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([check.name for check in CHECKS]),
    metavar="CHECK",
    help="Check to run; repeatable.  [default: all]",
)
@launch_option(default=DEFAULT_WAIT_LIMITS.launch)
@_seconds("--patience", 10.0, "for any later reply but a turn")
@_seconds("--move", 30.0, "for a turn")
@_seconds("--leave", 5.0, "to end after quit")
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the turns that the checks play."
)
@click.argument("engine", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def command(
    engine: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 — click hands it over
    games: tuple[str, ...],
    strength: bool,  # noqa: FBT001 — likewise
    seconds: float,
    compare: bool,  # noqa: FBT001 — likewise
    only: tuple[str, ...],
    launch: float,
    patience: float,
    move: float,
    leave: float,
    seed: int,
) -> None:
    """Check that an engine conforms to the protocol.

    The engine is a command line, or tcp:HOST:PORT for one that listens (a daemon, for instance). It
    is started again for every check. Exits with status 0 when no check failed, else with 1.

    --strength asks it for its turn in positions that the side to move wins, on hex3, square4 and
    hex4, and reports the share in which the win is kept. A turn that is illegal or late keeps no
    win. Exits with status 0 if all turns were legal and in time, else with 1.

    \b
    Examples:
      yoddd check ./my-bot --level 3
      yoddd check --json --game yodd@hex3 python3 my_bot.py
      yoddd check tcp:127.0.0.1:9633
      yoddd check --strength --seconds 0.5 --game yodd ./my-bot
    """
    if strength:
        if only:
            raise click.UsageError("--only cannot be combined with --strength")
        _check_strength(
            [_target(engine), *([_OURS] if compare else [])],
            _won_positions(games),
            StrengthTerms(seconds=seconds, launch=launch, patience=patience),
            as_json=as_json,
        )
    terms = Terms(
        launch=launch,
        patience=patience,
        move=move,
        leave=leave,
        seed=seed,
        only=frozenset(only) or None,
    )
    if games:
        try:
            terms = attrs.evolve(terms, games=tuple(make_rules(*_split(game)) for game in games))
        except RulesError as error:
            raise click.UsageError(str(error)) from None
    try:
        report = check(_target(engine), terms)
    except (CheckFailed, ValueError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(report.as_json()) if as_json else describe(report))
    sys.exit(0 if report.passed else 1)


_OURS = describe_engine(BUILTIN + STRONGEST, ENGINES)[1]
"""The command line of the engine that others are compared with."""


def _check_strength(
    engines: list[Target], positions: list[WonPosition], terms: StrengthTerms, *, as_json: bool
) -> None:
    try:
        reports = check_strength(engines, positions, terms)
    except (CheckFailed, ValueError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        report, *others = (report.as_json() for report in reports)
        compared = {"compared": others[0]} if others else {}
        click.echo(json.dumps({"seconds": terms.seconds, **report, **compared}))
    else:
        click.echo(describe_strength(reports, terms.seconds))
    sys.exit(0 if reports[0].passed else 1)


def _won_positions(games: tuple[str, ...]) -> list[WonPosition]:
    """Those of the games, on all boards where none is named."""
    folder = files("yoddd.referee.conformance")
    found = read_won((folder / "won.txt").read_text(encoding="ascii"))
    wanted = [_split(game) for game in games]
    for name, board in wanted:
        if not any(_is_of(one, name, board) for one in found):
            raise click.UsageError(f"--strength has no positions of {name} {board or ''}".rstrip())
    if not wanted:
        return found
    return [one for one in found if any(_is_of(one, *words) for words in wanted)]


def _is_of(position: WonPosition, game: str, board: str | None) -> bool:
    rules = position.rules
    return rules.game.name == game and board in {None, rules.geometry.name}


def _split(text: str) -> tuple[str, str | None]:
    game, _, board = text.partition("@")
    return game, board or None


def _target(words: tuple[str, ...]) -> Target:
    if len(words) == 1 and words[0].startswith(ATTACHED):
        return ADDRESS.convert(words[0].removeprefix(ATTACHED), None, None)
    return words[0] if len(words) == 1 else shlex.join(words)
