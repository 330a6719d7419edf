"""``yoddd bench``: measures the figures of this installation."""

from __future__ import annotations

import importlib
import json
from typing import Final

import click

from yoddd.cli.bench.measure import Figures, machine

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
    measures: Figures = {
        name: figure
        for group in groups or _GROUPS
        for name, figure in importlib.import_module(f"yoddd.cli.bench.{group}").FIGURES.items()
        if only is None or name == only or name.startswith(f"{only}.")
    }
    if not measures:
        reason = f"no figure {only!r} in {', '.join(groups or _GROUPS)}"
        raise click.BadParameter(reason, param_hint="--only")
    if not as_json:
        click.echo(f"# {machine()}")
    for name, (measure, unit) in measures.items():
        value = measure()
        if as_json:
            click.echo(json.dumps({"name": name, "value": value, "unit": unit}))
        else:
            click.echo(f"{name:<40} {value:>14,.4g} {unit}")
