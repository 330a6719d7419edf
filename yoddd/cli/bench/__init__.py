"""``yoddd bench``: measures the figures of this installation."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import click

from yoddd.cli.bench.measure import Figure, machine

_GROUPS: Final = ("kernel", "search", "protocol")


@click.command("bench")
@click.argument("groups", nargs=-1, type=click.Choice(_GROUPS), metavar="[GROUP]…")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line: name, value, unit."
)
@click.option(
    "--only", metavar="NAME", help="Figure to measure, with those below it.  [default: all]"
)
def command(groups: tuple[str, ...], as_json: bool, only: str | None) -> None:
    """Measure the speed of this installation on this machine.

    Each figure is the median of several repetitions after a warm-up. GROUP is kernel, search or
    protocol; the default is all.

    \b
    Examples:
      yoddd bench
      yoddd bench protocol --json
      yoddd bench search --only search.overtime
    """
    measures = _choose(groups or _GROUPS, only)
    if not measures:
        reason = f"no figure {only!r} in {', '.join(groups or _GROUPS)}"
        raise click.BadParameter(reason, param_hint="--only")
    _print(measures, as_json=as_json)


def _figures(group: str) -> dict[str, Callable[[], Figure]]:
    figures: dict[str, Callable[[], Figure]] = importlib.import_module(
        f"yoddd.cli.bench.{group}"
    ).FIGURES
    return figures


def _print(measures: Sequence[Callable[[], Figure]], *, as_json: bool) -> None:
    if not as_json:
        click.echo(f"# {machine()}")
    for measure in measures:
        figure = measure()
        if as_json:
            click.echo(
                json.dumps({"name": figure.name, "value": figure.value, "unit": figure.unit})
            )
        else:
            click.echo(f"{figure.name:<40} {figure.value:>14,.4g} {figure.unit}")


def _choose(groups: Iterable[str], only: str | None) -> list[Callable[[], Figure]]:
    chosen: list[Callable[[], Figure]] = []
    for group in groups:
        for name, measure in _figures(group).items():
            if only is None or name == only or name.startswith(f"{only}."):
                chosen.append(measure)
    return chosen
