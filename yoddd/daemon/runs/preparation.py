"""Completes a tournament's configuration for this machine: names, programs, hashes, openings."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from yoddd.daemon.base.settings import KEYS
from yoddd.daemon.base.tables import BUILD, TableFolders, search_path
from yoddd.daemon.play.participants import ATTACHED, BUILTIN, UnknownEngine, describe_engine
from yoddd.daemon.play.process_engine import Launch
from yoddd.daemon.play.processes import LAUNCHER, Confinement
from yoddd.engine import ENGINES
from yoddd.kernel.table import file_name
from yoddd.referee.config import (
    ConfigError,
    EngineConfig,
    OpeningsConfig,
    TournamentConfig,
    make_plan,
)
from yoddd.referee.openings import Generator, Opening, OpeningError, arrange, read_openings
from yoddd.referee.plan import Adjudicate, Plan
from yoddd.referee.seeds import derive_seed

RUN_MARK: Final = "YODDD_RUN"
"""Environment variable of every engine; its value is the folder of the run."""

_OPENINGS_SEED: Final = 2**31 - 1
_ORDER_SEED: Final = 2**31 - 2
_PROBE: Final = 20.0


def prepare(config: TournamentConfig, base: Path) -> TournamentConfig:
    """Resolve names, files and openings; the result describes the run completely.

    Args:
        config: as the user wrote it.
        base: the folder that its file names are relative to.

    Raises:
        ConfigError: an engine or a file that cannot be used, or a plan that cannot be played.
    """
    named = attrs.evolve(config, engine=tuple(name_engines(config.engine, base)))
    named = _with_tables(named, base)
    plan = plan_with_tables(named)
    if any(is_attached(engine) for engine in named.engine) and config.listen is None:
        raise ConfigError("listen: tcp:NAME engines need an endpoint to connect to")
    openings = find_openings(config, plan, base)
    prepared = attrs.evolve(
        named,
        name=config.name or ", ".join(side.name for side in plan.sides),
        opening=tuple(openings),
        openings=OpeningsConfig(),
    )
    for engine in prepared.engine:
        _probe(engine)
    return prepared


def plan_with_tables(config: TournamentConfig) -> Plan:
    """The plan of a tournament, with the complete tables that it is adjudicated by.

    Small tables are built, in a second or so.

    Raises:
        ConfigError: the values contradict each other, or there is no table of the game.
    """
    plan = make_plan(config)
    if config.adjudicate is not Adjudicate.TABLES:
        return plan
    problems: list[str] = []
    tables = TableFolders(
        search_path(config.tables), builds=BUILD["small"], waits=True, say=problems.append
    )
    found = tables.find(plan.rules, lambda: False)
    tables.close()
    if found is None:
        name = file_name(plan.rules)
        raise ConfigError("; ".join([*problems, f"adjudicate: there is no {name}"]))
    return attrs.evolve(plan, tables=tables)


def _with_tables(config: TournamentConfig, base: Path) -> TournamentConfig:
    """The configuration with absolute folders of tables, which builtin engines use as well."""
    if not config.tables:
        return config
    path = os.pathsep.join(str((base / one).resolve()) for one in search_path(config.tables))
    variable = {KEYS["tables"].variable: path}
    engines = (
        attrs.evolve(one, env={**variable, **one.env}) if one.engine.startswith(BUILTIN) else one
        for one in config.engine
    )
    return attrs.evolve(config, tables=path, engine=tuple(engines))


def is_attached(engine: EngineConfig) -> bool:
    """Whether the engine attaches to the run over TCP."""
    return engine.engine.startswith(ATTACHED)


def name_engines(engines: tuple[EngineConfig, ...], base: Path) -> Iterator[EngineConfig]:
    """The engines with names and hashes; equal names that were not chosen get numbers."""
    taken: list[str] = []
    for engine in engines:
        if is_attached(engine):
            own, hashes = engine.engine.removeprefix(ATTACHED), {}
            if engine.name and engine.name != own:
                raise ConfigError(f"{engine.engine}: it is called {own}, not {engine.name}")
        else:
            own, hashes = _describe(engine), hash_files(engine, base)
        twins = taken.count(own)
        taken.append(own)
        name = engine.name or (f"{own}-{twins + 1}" if twins else own)
        cwd = engine.cwd and str((base / engine.cwd).resolve())
        if cwd and not Path(cwd).is_dir():
            raise ConfigError(f"{name}: cwd: no folder {cwd}")
        yield attrs.evolve(engine, name=name, hashes=hashes, cwd=cwd)


def _describe(engine: EngineConfig) -> str:
    if not engine.engine:
        raise ConfigError(f"engine {engine.name!r}: an empty command line")
    try:
        return describe_engine(engine.engine, list(ENGINES))[0]
    except UnknownEngine as error:
        raise ConfigError(f"engine: {error}") from None


def command_of(engine: EngineConfig) -> str:
    """The command line of an engine that the run starts."""
    return describe_engine(engine.engine, list(ENGINES))[1]


def launch_of(engine: EngineConfig, run: str, cpus: tuple[int, ...] = ()) -> Launch:
    """Return the launch of an engine in the run ``run``."""
    return Launch(
        command=command_of(engine),
        cwd=engine.cwd,
        env={**engine.env, RUN_MARK: run},
        confinement=confinement_of(engine, cpus),
    )


def confinement_of(engine: EngineConfig, cpus: tuple[int, ...] = ()) -> Confinement:
    """The limits of an engine."""
    return Confinement(
        memory=engine.memory,
        cpu=engine.cpu,
        files=engine.files,
        processes=engine.processes,
        network=engine.network,
        cpus=cpus,
    )


def cpu_share(slot: int, slots: int) -> tuple[int, ...]:
    """The CPUs of one of so many slots; with more slots than CPUs they are shared."""
    cpus = sorted(os.sched_getaffinity(0))
    if slots >= len(cpus):
        return (cpus[slot % len(cpus)],)
    size = len(cpus) // slots
    start = (slot % slots) * size
    return tuple(cpus[start : start + size])


# -- hashes ---------------------------------------------------------------------------------


def hash_files(engine: EngineConfig, base: Path) -> dict[str, str]:
    """SHA-256 of the program and of every file that its command line names.

    A builtin engine has no hashes: the version of yoddd identifies it.
    """
    if engine.engine.startswith(BUILTIN):
        return {}
    folder = base / engine.cwd if engine.cwd else Path()
    program, *words = shlex.split(engine.engine)
    found = shutil.which(program, path=engine.env.get("PATH"))
    paths = [Path(found)] if found else []
    paths += [folder / word for word in words if (folder / word).is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def check_hashes(engine: EngineConfig) -> None:
    """Check that an engine is the same program here as where the run was planned.

    Raises:
        ConfigError: a file is missing or differs.
    """
    for name, expected in engine.hashes.items():
        try:
            actual = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        except OSError as error:
            raise ConfigError(f"{engine.name}: {name}: {error.strerror}") from None
        if actual != expected:
            raise ConfigError(f"{engine.name}: {name} is another program than was planned")


def _probe(engine: EngineConfig) -> None:
    """Check that this machine can set the limits of an engine, before a game blames it."""
    settings = confinement_of(engine).settings()
    words = [sys.executable, "-I", "-S", LAUNCHER, settings, "true"]
    if is_attached(engine) or confinement_of(engine) == Confinement():
        return
    done = subprocess.run(words, capture_output=True, timeout=_PROBE, check=False)  # noqa: S603 — our own launcher
    if done.returncode:
        raise ConfigError(f"{engine.name}: {done.stderr.decode(errors='replace').strip()}")


# -- openings -------------------------------------------------------------------------------


def find_openings(config: TournamentConfig, plan: Plan, base: Path) -> tuple[Opening, ...]:
    """The openings that the description asks for, in their order.

    Raises:
        ConfigError: there are none, or no such engine.
    """
    wanted = config.openings
    try:
        if wanted.generate is not None:
            found = _generator(config).generate(
                plan.rules, wanted.generate, derive_seed(plan.seed, _OPENINGS_SEED)
            )
        elif wanted.file is not None:
            text = (base / wanted.file).read_text(encoding="utf-8")
            found = read_openings(text, wanted.file, plan.rules, wanted.turns)
        else:
            return config.opening
    except (OpeningError, OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"openings: {error}") from None
    return arrange(found, derive_seed(plan.seed, _ORDER_SEED) if wanted.shuffle else None)


def _generator(config: TournamentConfig) -> Generator:
    wanted = config.openings
    if wanted.engine not in ENGINES:
        raise ConfigError(f"openings.engine: expected one of {', '.join(ENGINES)}")
    return Generator(
        searcher=ENGINES[wanted.engine](),
        playouts=wanted.playouts,
        turns=wanted.turns if wanted.turns is not None else 2,
        window=wanted.window,
    )
