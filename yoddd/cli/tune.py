"""``yoddd tune``: the parameters of any engine, by SPSA."""

from __future__ import annotations

import functools
import math
import secrets
import shlex
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from yoddd.cli.check import find_engine
from yoddd.cli.options import (
    EngineCommand,
    NumberRange,
    Workers,
    added_by,
    class_options,
    game_options,
    option,
    passed_on,
    workers_options,
)
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.cli.tuning_file import TuningFile
from yoddd.notation import NotationError
from yoddd.notation.text import read_pairs
from yoddd.rules import Rules
from yoddd.workers import in_order

if TYPE_CHECKING:
    from yoddd.client import SimpleEngine
    from yoddd.client.tuning import Described, PairTask, PairTerms
    from yoddd.referee.stats.spsa import Knob, Spsa
    from yoddd.referee.tournament.config import EngineConfig

_STEPS: Final = 20
"""The range of a parameter in steps, where its engine suggests no step; fishtest's advice."""

_LINES: Final = 20
"""Lines of output in a whole tuning."""


@attrs.frozen
class _Settings:
    """The options of a tuning."""

    knobs: tuple[str, ...] = option(
        "Parameter to tune; repeatable. What is left out is taken from list_params.",
        "--param",
        required=True,
        metavar="NAME[=START][,min=A][,max=B][,step=S]",
    )
    fixed: tuple[str, ...] = option(
        "Parameter of both sides that is not tuned; repeatable.",
        "--each",
        metavar="param.NAME=VALUE",
    )
    rules: Rules = added_by(game_options)
    games: int = option("Games in all, two for each pair.", least=2, most=10_000_000, default=4000)
    rate: float = option(
        "Part of the step by which a won game moves a parameter in the end.",
        type=NumberRange(0, 10, min_open=True),
        default=0.02,
    )
    playouts: int | None = option("Playouts of a turn.", least=1)
    seconds: float | None = option("Seconds of a turn.", type=NumberRange(0, min_open=True))
    opening: int = option(
        "Random turns that both games of a pair begin with.", least=0, most=20, default=2
    )
    seed: int = option("Seed.", least=0, default=1)
    workers: Workers = added_by(
        workers_options(
            1, "Pairs at a time; each has two processes of the engine, one of which thinks."
        )
    )
    reply: float = option(
        "Seconds for every reply but a turn.", type=NumberRange(0, min_open=True), default=60.0
    )


@click.command("tune", cls=EngineCommand)
@class_options("settings", _Settings)
@click.option(
    "--out",
    type=OUTPUT_FILE,
    required=True,
    help="File of the results; an interrupted tuning continues from it.",
)
@click.argument("engine", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND…")
def command(engine: tuple[str, ...], settings: _Settings, out: Path) -> None:
    """Tune parameters of an engine by games against itself.

    Each pair of games is played between two sets of values, one on either side of the present
    values, which move towards the set that won. The engine is a command line, builtin:NAME or
    conf:NAME; it has to list set_param. Bounds and steps come from its list_params, unless --param
    gives them. A step should make a difference that some games can show.

    The results are written after every pair, whole or not at all, and the same command goes on from
    them. `yoddd plot FILE` draws the values. Prints the values from time to time and at the end,
    for `yoddd match --first param.NAME=VALUE`.

    \b
    Examples:
      yoddd tune --param tune.rave_playouts=10 --board hex5 --playouts 300 --out t.json builtin:mcts
      yoddd tune --param contempt,min=0,max=50,step=5 --seconds 0.1 --out contempt.json ./my-bot
    """
    from yoddd.client import EngineFailure, Limit
    from yoddd.client.tuning import PairTask, PairTerms
    from yoddd.referee.tournament.config import ConfigError

    found = _find(engine)
    start = functools.partial(_start, found, settings.reply)
    limit = Limit(time=settings.seconds, playouts=settings.playouts)
    terms = PairTerms(
        rules=settings.rules,
        limit=limit,
        opening=settings.opening,
        seed=settings.seed,
        fixed={**found.params, **_fixed(settings)},
    )

    try:
        spsa = _spsa(settings, start)
        tuning = TuningFile.open(out, _head(found, terms), spsa)
        _play(tuning, PairTask(secrets.token_hex(8), start, terms), settings.workers)
    except (EngineFailure, ConfigError) as error:
        problem = f"{shlex.join(engine)}: {error}{passed_on(engine)}"
        raise click.ClickException(problem) from None
    except KeyboardInterrupt:
        raise click.ClickException(
            f"interrupted; run the same command to continue from {out}"
        ) from None


def _find(engine: tuple[str, ...]) -> EngineConfig:
    """The engine that is named, with the hashes of its files."""
    from yoddd.daemon.play.confinement import Launch
    from yoddd.daemon.runs.preparation import hash_files

    found, target = find_engine(engine, None)
    if not isinstance(target, Launch):
        raise click.UsageError("an engine that listens has one process; yoddd tune starts two")
    return attrs.evolve(found, hashes=hash_files(found, Path()))


def _start(engine: EngineConfig, timeout: float) -> SimpleEngine:
    """Start the engine, here or on a worker, where it has to be the same program."""
    from yoddd.client import SimpleEngine
    from yoddd.daemon.runs.preparation import check_hashes, launch_of

    check_hashes(engine)
    launch = launch_of(engine, "tune")
    cwd = None if launch.cwd is None else Path(launch.cwd)
    return SimpleEngine.popen(launch.command, timeout=timeout, cwd=cwd, env=launch.env)


def _fixed(settings: _Settings) -> Mapping[str, str]:
    from yoddd.referee.tournament.config import ConfigError, engine_settings

    for setting in settings.fixed:
        if not setting.startswith("param."):
            raise click.UsageError(f"--each {setting}: expected param.NAME=VALUE")
    try:
        return engine_settings(settings.fixed).params
    except ConfigError as error:
        raise click.UsageError(f"--each: {error}") from None


def _head(engine: EngineConfig, terms: PairTerms) -> dict[str, object]:
    """The terms of the results besides the parameters of the tuning."""
    from yoddd.daemon.runs.preparation import command_of

    rules = terms.rules
    return {
        "engine": command_of(engine),
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": dict(rules.chosen_options()),
        "limit": attrs.asdict(terms.limit),
        "opening": terms.opening,
        "fixed": dict(terms.fixed),
    }


# -- the parameters -------------------------------------------------------------------------


def _spsa(settings: _Settings, start: Callable[[], SimpleEngine]) -> Spsa:
    """The tuning that the options ask for, with what the engine's list_params adds."""
    from yoddd.client.tuning import described
    from yoddd.referee.stats.spsa import Spsa

    with start() as engine:
        if "set_param" not in engine.info.commands:
            raise click.ClickException(f"{engine.info.name} lists no set_param")
        lists = "list_params" in engine.info.commands
        listed = described(engine.ask("list_params")) if lists else {}
    knobs = tuple(_knob(text, listed) for text in settings.knobs)
    names = [knob.name for knob in knobs]
    if len({*names}) < len(names):
        raise click.UsageError("--param: a parameter is given twice")
    return Spsa(knobs=knobs, pairs=settings.games // 2, rate=settings.rate, seed=settings.seed)


def _knob(text: str, listed: Mapping[str, Described]) -> Knob:
    """The parameter that a --param describes."""
    from yoddd.referee.stats.spsa import Knob

    head, *rest = text.split(",")
    name, _, begin = head.partition("=")
    given = _numbers(text, rest, begin)
    known = listed.get(name)
    low = given.get("min", known.low if known else None)
    high = given.get("max", known.high if known else None)
    first = given.get("start", known.value if known else None)
    if low is None or high is None or first is None:
        words = f"a number of list_params: give {name}=START,min=A,max=B"
        raise click.UsageError(f"--param {text}: {name!r} is not {words}")
    suggested = known.step if known else None
    step = given.get("step", suggested or (high - low) / _STEPS)
    if not (low <= first <= high and 0 < step <= high - low):
        raise click.UsageError(
            f"--param {text}: expected min <= START <= max and a step within that range,"
            f" not {low:g}, {first:g}, {high:g} and {step:g}"
        )
    whole = known.whole if known else all(x.is_integer() for x in (low, high, first))
    return Knob(name, first, low, high, step, whole)


def _numbers(text: str, words: list[str], start: str) -> dict[str, float]:
    """The numbers of a --param by key."""
    given: dict[str, float] = {}
    try:
        pairs = read_pairs([f"start={start}"] * bool(start) + words, "min=, max= or step=")
    except NotationError as error:
        raise click.UsageError(f"--param {text}: {error.reason}") from None
    for key, value in pairs.items():
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if key not in ("start", "min", "max", "step") or not math.isfinite(number):
            raise click.UsageError(f"--param {text}: '{key}={value}': expected min=, max= or step=")
        given[key] = number
    return given


# -- the games ------------------------------------------------------------------------------


def _play(tuning: TuningFile, task: PairTask, workers: Workers) -> None:
    """Play the pairs that are left, so many at a time, and print the values."""
    from yoddd.cli.progress import open_workers, progress
    from yoddd.client.tuning import play_pair

    spsa, processes = tuning.spsa, workers.processes
    every = max(1, spsa.pairs // _LINES)
    with (
        closing(task),
        open_workers(workers, threads=True) as executor,
        progress() as bar,
    ):
        bars = bar.add_task("pairs", total=spsa.pairs, completed=len(tuning.results))
        for begun in range(len(tuning.results), spsa.pairs, processes):
            pairs = range(begun + 1, min(begun + processes, spsa.pairs) + 1)
            sides = [spsa.sides(tuning.values, pair) for pair in pairs]
            play = functools.partial(play_pair, task)
            tuning.add(list(in_order(executor, play, zip(sides, pairs, strict=True))))
            bar.update(bars, completed=len(tuning.results))
            done = len(tuning.results)
            if begun // every < done // every and done < spsa.pairs:
                click.echo(tuning.describe())
    click.echo(tuning.describe())
