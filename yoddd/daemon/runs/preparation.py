"""Completes a tournament's configuration for this machine: names, programs, hashes, openings."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Final
from unicodedata import normalize

import attrs

from yoddd.daemon.play.confinement import Confinement, Launch
from yoddd.daemon.play.match_command import format_request
from yoddd.daemon.play.participants import ATTACHED, UnknownEngine, describe_engine
from yoddd.daemon.runs.introduction import FirstStart, introduce, why_unstartable
from yoddd.defaults import BUILTIN, ENGINES_FILE, MARGIN
from yoddd.engine import ENGINES, SmallBoards
from yoddd.notation import NotationError
from yoddd.notation.text import describe_error, printable, read_text
from yoddd.protocol.controller import EngineInfo
from yoddd.referee import TimeControl, derive_seed
from yoddd.referee.game.clock import untold
from yoddd.referee.game.engine_requests import EngineState
from yoddd.referee.tournament.conditions import source_of
from yoddd.referee.tournament.config import (
    CONF,
    ConfigError,
    EngineConfig,
    OpeningsConfig,
    TournamentConfig,
    check_at_daemon,
    make_plan,
    parse_engines,
    take_engine,
)
from yoddd.referee.tournament.openings import (
    Generator,
    Opening,
    OpeningError,
    arrange,
    read_openings,
)
from yoddd.referee.tournament.plan import Adjudicate, Plan
from yoddd.rules import (
    DescriptionError,
    RulesError,
    add_game,
    described,
    find_game,
    load_game_files,
)
from yoddd.rules.games import read_described
from yoddd.system import allowed_cpus

RUN_MARK: Final = "YODDD_RUN"
"""Environment variable of every engine; its value is the folder of the run."""

_OPENINGS_SEED: Final = 2**31 - 1
_ORDER_SEED: Final = 2**31 - 2
_LONGEST_NAME: Final = 32
"""Characters of the name of an engine that attaches."""

_LONGEST_LABEL: Final = 30
"""Characters of a command line that may follow a name."""


def prepare(
    config: TournamentConfig,
    base: Path,
    *,
    start: bool = True,
    found_one: Callable[[], None] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> TournamentConfig:
    """Resolve names, files and openings; the result describes the run completely.

    Args:
        config: as the user wrote it.
        base: the folder that its file names are relative to.
        start: whether every engine is started once, to find out that it can play, and its name.
        found_one: is called after each opening that is generated.
        say: receives a line on each engine that is silent at its start.

    Raises:
        ConfigError: an engine or a file that cannot be used, or a plan that cannot be played.
    """
    config = with_margin(take_engines(with_description(config, base), base))
    located = tuple(_locate(engine, base) for engine in config.engine)
    if config.daemon is not None:
        check_at_daemon(config)
    elif any(is_attached(engine) for engine in located) and config.listen is None:
        raise ConfigError("listen: tcp:NAME engines need an endpoint to connect to")
    infos = introduce_engines(attrs.evolve(config, engine=located), say) if start else {}
    engines = name_engines(located, infos)
    if config.daemon is not None:
        engines = tuple(attrs.evolve(one, name=_attachable(one.name)) for one in engines)
    named = attrs.evolve(config, engine=engines)
    plan = plan_with_tables(named)
    openings = find_openings(config, plan, base, found_one)
    prepared = attrs.evolve(
        named,
        name=config.name or ", ".join(side.name for side in plan.sides),
        opening=tuple(openings),
        book=source_of(config.openings, len(openings)),
        balanced=plan.encounter_games % 2 == 1,
        openings=OpeningsConfig(),
    )
    if prepared.daemon is not None:
        format_request(prepared, 1, prepared.games or 2 * prepared.pairs)
    return prepared


def with_description(config: TournamentConfig, base: Path) -> TournamentConfig:
    """The configuration with the description of its game, which is put in force here.

    Raises:
        ConfigError: a file of a game is refused, or there is no such game.
    """
    try:
        load_game_files(base / name for name in config.game_files)
        description = config.description or described(find_game(config.game))
        if description is not None:
            add_game(read_described(description))
    except OSError as error:
        raise ConfigError(f"game_files: {error.filename}: {error.strerror}") from None
    except DescriptionError as error:
        raise ConfigError(f"game_files: {error}") from None
    except RulesError as error:
        raise ConfigError(str(error)) from None
    return attrs.evolve(config, game_files=(), description=description)


def take_engines(config: TournamentConfig, base: Path) -> TournamentConfig:
    """The configuration with the engines of the engines file in place of ``conf:NAME``.

    Raises:
        ConfigError: the file cannot be read, or has no such engine.
    """
    if not any(engine.engine.startswith(CONF) for engine in config.engine):
        return attrs.evolve(config, engines=None)
    file = base / (config.engines or ENGINES_FILE)
    known = {
        name: attrs.evolve(engine, cwd=engine.cwd and str((file.parent / engine.cwd).resolve()))
        for name, engine in _read_engines(file).items()
    }
    engines = (
        take_engine(engine, known) if engine.engine.startswith(CONF) else engine
        for engine in config.engine
    )
    return attrs.evolve(config, engines=None, engine=tuple(engines))


def _read_engines(file: Path) -> dict[str, EngineConfig]:
    try:
        return parse_engines(read_text(file))
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except (ConfigError, NotationError) as error:
        raise ConfigError(f"{file}: {error}") from None


def introduce_engines(
    config: TournamentConfig, say: Callable[[str], None] = lambda _: None
) -> dict[int, EngineInfo]:
    """Start every engine that does not attach; return the handshakes by the place of the engine.

    ``say`` receives a line on each that is silent at its start; not on our own.

    Raises:
        ConfigError: one of them cannot play.
    """
    starts = first_starts(config, say)
    found = dict(zip(starts, introduce([*starts.values()], config.limits), strict=True))
    for place, info in found.items():
        seconds = untold(starts[place].state.control, info.commands)
        if seconds:
            name = config.engine[place].name or info.name or config.engine[place].engine
            say(f"engine {name} reads whole seconds; {seconds} cannot be told")
    return found


def first_starts(
    config: TournamentConfig, say: Callable[[str], None] = lambda _: None
) -> dict[int, FirstStart]:
    """The first start of every engine but those that attach, by its place.

    Raises:
        ConfigError: the values contradict each other, or there is no such program.
    """
    # Sides have names that differ; those of engines without one are not known yet.
    numbered = (attrs.evolve(engine, name=str(n)) for n, engine in enumerate(config.engine))
    plan = make_plan(attrs.evolve(config, engine=tuple(numbered)))
    start = config.opening[0].position if config.opening else None
    starts = {
        place: FirstStart(
            label=": ".join(filter(None, (engine.name, engine.engine))),
            launch=launch_of(engine, "introduction"),
            state=EngineState(
                rules=plan.rules,
                control=plan.sides[place].clock,
                start=start,
                turns=(),
                seed=None,
                params=plan.sides[place].params,
                memory=plan.sides[place].memory,
            ),
            # One of ours is silent only while a busy machine starts it.
            say=_ignore if _is_builtin(engine) else say,
            is_ours=_is_builtin(engine),
        )
        for place, engine in enumerate(config.engine)
        if not is_attached(engine)
    }
    for one in starts.values():
        reason = why_unstartable(one.launch)
        if reason is not None:
            raise ConfigError(f"{one.label}: {reason}")
    return starts


def plan_with_tables(config: TournamentConfig) -> Plan:
    """The plan of a tournament, with the table that it is adjudicated by.

    Small boards are solved, in tenths of a second.

    Raises:
        ConfigError: the values contradict each other, or there is no table of the game.
    """
    plan = make_plan(config)
    if config.adjudicate is not Adjudicate.TABLES:
        return plan
    tables = SmallBoards()
    if tables.find(plan.rules, lambda: False) is None:
        raise ConfigError(f"adjudicate: there is no table of {plan.rules}")
    return attrs.evolve(plan, tables=tables)


def with_margin(config: TournamentConfig) -> TournamentConfig:
    """The configuration with `MARGIN` on all clocks that have no margin of their own."""

    def patient(clock: TimeControl) -> TimeControl:
        return attrs.evolve(clock, margin=clock.margin or MARGIN) if clock.limited else clock

    engines = (
        attrs.evolve(one, clock=patient(one.clock)) if one.clock is not None else one
        for one in config.engine
    )
    return attrs.evolve(config, clock=patient(config.clock), engine=tuple(engines))


def is_attached(engine: EngineConfig) -> bool:
    """Whether the engine attaches to the run over TCP."""
    return engine.engine.startswith(ATTACHED)


def _locate(engine: EngineConfig, base: Path) -> EngineConfig:
    """The engine with its working folder and its hashes."""
    if is_attached(engine):
        own = engine.engine.removeprefix(ATTACHED)
        if engine.name and engine.name != own:
            raise ConfigError(f"{engine.engine}: it is called {own}, not {engine.name}")
        return attrs.evolve(engine, name=own)
    _describe(engine)
    cwd = engine.cwd and str((base / engine.cwd).resolve())
    if cwd and not Path(cwd).is_dir():
        raise ConfigError(f"{engine.name or engine.engine}: cwd: no folder {cwd}")
    return attrs.evolve(engine, hashes=hash_files(engine, base), cwd=cwd)


def name_engines(
    engines: Sequence[EngineConfig], infos: Mapping[int, EngineInfo]
) -> tuple[EngineConfig, ...]:
    """The engines with names: those chosen for them, else those that they have by themselves.

    A builtin engine has that of its description, any other what it answers to ``name``. Where
    several answer the same, their versions tell them apart, or the words of their command lines,
    or numbers.
    """
    own = [
        normalize("NFC", printable(engine.name or _own_name(engine, infos.get(place))))
        for place, engine in enumerate(engines)
    ]
    names = list(own)
    for name in set(own):
        twins = [n for n, engine in enumerate(engines) if own[n] == name and not engine.name]
        if len(twins) > 1 or (twins and own.count(name) > 1):
            others = {names[n] for n in range(len(engines)) if n not in twins}
            labels = _tell_apart(name, [engines[n] for n in twins], [infos.get(n) for n in twins])
            free = next(found for found in labels if len({*found} - others) == len(twins))
            for place, label in zip(twins, free, strict=True):
                names[place] = label
    versions = [infos[place].version if place in infos else "" for place in range(len(engines))]
    return tuple(
        attrs.evolve(engine, name=name, version=version or engine.version)
        for engine, name, version in zip(engines, names, versions, strict=True)
    )


def _attachable(name: str) -> str:
    """A name as an engine can attach by it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST_NAME].strip("-.") or "engine"


def _own_name(engine: EngineConfig, info: EngineInfo | None) -> str:
    return (info.name.strip() if info and not _is_builtin(engine) else "") or _describe(engine)


def _tell_apart(
    name: str, engines: Sequence[EngineConfig], infos: Sequence[EngineInfo | None]
) -> Iterator[list[str]]:
    """Ways to name engines of one name; the last ones always suffice."""
    if not _is_builtin(engines[0]):
        yield [f"{name} {info.version if info else ''}".strip() for info in infos]
        commands = [shlex.split(engine.engine) for engine in engines]
        own = [differing(words, commands) for words in commands]
        yield [f"{name} ({words})" if words else name for words in own]
    for first in count(1):
        numbers = range(first, first + len(engines))
        yield [name if number == 1 else f"{name}-{number}" for number in numbers]


def differing(words: Sequence[str], commands: Sequence[Sequence[str]]) -> str:
    """The words of a command line that another one does not have in the same place, shortened."""
    own = [
        printable(word.rpartition("/")[2])
        for place, word in enumerate(words)
        if any(other[place : place + 1] != [word] for other in commands)
    ]
    text = " ".join(own)
    return text if len(text) <= _LONGEST_LABEL else ""


def _describe(engine: EngineConfig) -> str:
    if not engine.engine:
        raise ConfigError(f"engine {engine.name!r}: an empty command line")
    try:
        return describe_engine(engine.engine, list(ENGINES))[0]
    except UnknownEngine as error:
        raise ConfigError(f"engine: {error}") from None


def _ignore(_text: str) -> None:
    """Drop a line."""


def _is_builtin(engine: EngineConfig) -> bool:
    return engine.engine.startswith(BUILTIN)


def command_of(engine: EngineConfig) -> str:
    """The command line of an engine that the run starts."""
    return describe_engine(engine.engine, list(ENGINES))[1]


def launch_of(
    engine: EngineConfig, run: str, cpus: tuple[int, ...] = (), log: Path | None = None
) -> Launch:
    """Return the launch of an engine in the run ``run``, logged in the folder ``log``."""
    return Launch(
        command=command_of(engine),
        cwd=engine.cwd,
        env={**engine.env, RUN_MARK: run},
        confinement=confinement_of(engine, cpus),
        log=log,
        name=engine.name or "engine",
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
    """The CPUs of one of ``slots`` slots; if there are more slots than CPUs, they share."""
    cpus = allowed_cpus()
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
    if _is_builtin(engine):
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
            raise ConfigError(f"{engine.name}: {name} is not the program that was planned")


# -- openings -------------------------------------------------------------------------------


def find_openings(
    config: TournamentConfig,
    plan: Plan,
    base: Path,
    found_one: Callable[[], None] | None = None,
) -> tuple[Opening, ...]:
    """The openings that the description asks for, in their order.

    Raises:
        ConfigError: there are none, or no such engine.
    """
    wanted = config.openings
    try:
        if wanted.generate is not None:
            found = _generator(config).generate(
                plan.rules, wanted.generate, derive_seed(plan.seed, _OPENINGS_SEED), found_one
            )
        elif wanted.file is not None:
            data = (base / wanted.file).read_bytes()
            found = read_openings(data, wanted.file, plan.rules, wanted.turns)
        else:
            return config.opening
    except FileNotFoundError as error:
        raise ConfigError(f"openings: File {error.filename!r} does not exist.") from None
    except (OpeningError, OSError) as error:
        raise ConfigError(f"openings: {describe_error(error)}") from None
    return arrange(found, derive_seed(plan.seed, _ORDER_SEED) if wanted.shuffle else None)


def _generator(config: TournamentConfig) -> Generator:
    wanted = config.openings
    if wanted.engine not in ENGINES:
        raise ConfigError(f"openings.engine: expected one of {', '.join(ENGINES)}")
    return Generator(
        searcher=ENGINES[wanted.engine](),
        playouts=wanted.playouts,
        turns=wanted.turns if wanted.turns is not None else 2,
        fill=wanted.fill,
        window=wanted.window,
    )
