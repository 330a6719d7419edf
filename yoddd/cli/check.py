"""``yoddd check``: the conformance kit."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any

import attrs
import click

from yoddd.cli.options import ADDRESS, NumberRange
from yoddd.daemon.play.participants import ATTACHED
from yoddd.daemon.runs.check import CheckFailed, check
from yoddd.referee.conformance import CHECKS, Terms, describe
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
    help="Play only this game; repeatable.  [default: all, on small boards]",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([check.name for check in CHECKS]),
    metavar="CHECK",
    help="Run only this check; repeatable.",
)
@_seconds("--patience", 10.0, "for any other reply")
@_seconds("--move", 30.0, "for a turn")
@_seconds("--leave", 5.0, "to end after quit")
@click.option("--seed", default=0, show_default=True, help="Seed of the examiner's own turns.")
@click.argument("engine", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def command(
    engine: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 — click hands it over
    games: tuple[str, ...],
    only: tuple[str, ...],
    patience: float,
    move: float,
    leave: float,
    seed: int,
) -> None:
    """Check that an engine conforms to the protocol.

    The engine is a command line, or tcp:HOST:PORT for one that listens (a daemon, for instance). It
    is started again for every check. Exits with status 0 when no check failed, else with 1.

    \b
    Examples:
      yoddd check ./my-bot --level 3
      yoddd check --json --game yodd@hex3 python3 my_bot.py
      yoddd check tcp:127.0.0.1:9633
    """
    terms = Terms(
        patience=patience, move=move, leave=leave, seed=seed, only=frozenset(only) or None
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


def _split(text: str) -> tuple[str, str | None]:
    game, _, board = text.partition("@")
    return game, board or None


def _target(words: tuple[str, ...]) -> str | tuple[str, int]:
    if len(words) == 1 and words[0].startswith(ATTACHED):
        return ADDRESS.convert(words[0].removeprefix(ATTACHED), None, None)
    return words[0] if len(words) == 1 else shlex.join(words)
