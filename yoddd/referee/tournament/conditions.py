"""The conditions of a run, as every report states them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from yoddd.notation.text import printable
from yoddd.referee.game.adjudication import Adjudication
from yoddd.referee.tournament.config import (
    EngineConfig,
    OpeningsConfig,
    TournamentConfig,
    make_plan,
)
from yoddd.referee.tournament.plan import Adjudicate, Format

Rows = tuple[tuple[str, str], ...]
"""Names and values, in the order of a report."""


@attrs.frozen
class Start:
    """A start of a run: it may be stopped and resumed, also elsewhere.

    Attributes:
        date: when, as ISO 8601 in UTC.
        command: the command line that began it.
        machine: the system, the processor and the number of its threads.
        program: the versions of yoddd, of its kernel and of Python.
        concurrency: how many games were played at once.
    """

    date: str
    command: str
    machine: str
    program: str
    concurrency: int = 1


def conditions(config: TournamentConfig, starts: Sequence[Start] = ()) -> Rows:
    """The conditions of a run by name, those first by which its games differ from others."""
    return (*_of_games(config), *_of_engines(config), *_of_starts(config, starts))


def source_of(openings: OpeningsConfig, count: int) -> str:
    """The openings of a run, as text."""
    if openings.generate is not None:
        fill = f", {openings.fill:.0%} of the cells filled" if openings.fill is not None else ""
        judge = f"{openings.engine} with {openings.playouts} playouts"
        return f"{count} generated{fill}, within {openings.window:g} of even for {judge}"
    if openings.file is not None:
        turns = f", {openings.turns} turns of each" if openings.turns is not None else ""
        shuffled = ", shuffled" if openings.shuffle else ""
        return f"{count} of {printable(openings.file)}{turns}{shuffled}"
    return ""


def _of_games(config: TournamentConfig) -> Iterator[tuple[str, str]]:
    plan = make_plan(config)
    rules = plan.rules
    options = [f"{name}={value}" for name, value in rules.options().items()]
    yield "game", " ".join([rules.game.name, "on", rules.geometry.name, *options])
    yield "format", "; ".join(filter(None, (_format(config), plan.caution)))
    yield "clock", str(config.clock)
    count = len(config.opening)
    yield "openings", config.book or (f"{count} openings" if count else "the empty board")
    yield "seed", str(config.seed)
    yield "adjudication", _adjudication(config.adjudication, config.adjudicate)
    if config.sprt is not None:
        sprt = config.sprt
        yield "test", f"SPRT elo0={sprt.elo0:g}, elo1={sprt.elo1:g}, {sprt.model}"
    yield "crash", f"counts as {config.on_crash}"
    if config.ponder is not None:
        yield "pondering", "on" if config.ponder else "off"


def _format(config: TournamentConfig) -> str:
    count, word = (config.pairs, "pair") if config.games is None else (config.games, "game")
    swiss, many = config.format is Format.SWISS, config.rounds != 1
    rounds = f", {config.rounds} round{'s' * many}" if swiss else ""
    return f"{config.format}{rounds}, {count} {word}{'s' * (count != 1)} per encounter"


def _adjudication(settings: Adjudication, tables: Adjudicate) -> str:
    found = [
        f"{name}={value}"
        for name, value in attrs.asdict(settings, recurse=False).items()
        if value is not None and name not in {"resign", "win"}
    ]
    for name, rule in (("resign", settings.resign), ("win", settings.win)):
        if rule is not None:
            words = ",".join(f"{key}={value}" for key, value in attrs.asdict(rule).items())
            found.append(f"{name}({words})")
    found += [] if tables is Adjudicate.NONE else [str(tables)]
    return " ".join(found) or "none"


def _of_engines(config: TournamentConfig) -> Iterator[tuple[str, str]]:
    for engine in config.engine:
        yield f"engine {engine.name}", _engine(engine)


def _engine(engine: EngineConfig) -> str:
    limits = {
        "memory": engine.memory and f"{engine.memory} MiB",
        "cpu": engine.cpu and f"{engine.cpu} s",
        "files": engine.files,
        "processes": engine.processes,
        "network": None if engine.network else "no",
        "restart": "each game" if engine.restart else None,
        "clock": engine.clock and str(engine.clock),
    }
    found = [f"version {engine.version}" if engine.version else "", printable(engine.engine)]
    found += [f"{name}={value}" for name, value in engine.params.items()]
    found += [f"{name}: {value}" for name, value in limits.items() if value is not None]
    return "; ".join(filter(None, found))


def _of_starts(config: TournamentConfig, starts: Sequence[Start]) -> Iterator[tuple[str, str]]:
    pinned = ", each on CPUs of its own" if config.affinity else ""
    for number, start in enumerate(starts):
        again = f" {number + 1}" if len(starts) > 1 else ""
        yield f"started{again}", start.date
        yield f"command{again}", start.command
        yield f"machine{again}", start.machine
        yield f"concurrency{again}", f"{start.concurrency}{pinned}"
        yield f"program{again}", start.program
