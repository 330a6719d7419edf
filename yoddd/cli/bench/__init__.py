"""``yoddd bench``: measures the figures of this installation, which its modules define."""

from __future__ import annotations

import importlib
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import click

from yoddd.system import processors

Figures = Mapping[str, tuple[Callable[[], float], str]]
"""By name what measures a figure, and its unit."""


def rate(
    work: Callable[[], int],
    repetitions: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The median rate of ``work`` in units a second; it returns how many units it did.

    One run warms up and does not count. On a busy machine `time.process_time` is the fairer clock.
    """
    work()
    rates = []
    for _ in range(repetitions):
        start = clock()
        units = work()
        rates.append(units / (clock() - start))
    return statistics.median(rates)


def seconds(work: Callable[[], object], repetitions: int = 5) -> float:
    """The median time of ``work`` after one run to warm up."""

    def once() -> int:
        work()
        return 1

    return 1 / rate(once, repetitions)


def machine() -> str:
    """The processor, its cores and the load of the last minute."""
    name = platform.machine()
    with suppress(OSError, StopIteration):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        line = next(line for line in text.splitlines() if line.startswith("model name"))
        name = line.partition(":")[2].strip()
    return f"{name}, {processors()} processors, load {os.getloadavg()[0]:.1f}"


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
