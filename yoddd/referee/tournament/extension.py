"""Extension of a run: which settings may change once games are played, and what that makes of it.

Games stay what they are: the schedule of an extended run contains that of the shorter one, with the
same keys, seeds and openings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from yoddd.referee.tournament.config import ConfigError, TournamentConfig, config_values
from yoddd.referee.tournament.plan import Format

_FREE: Final = (
    *("name", "concurrency", "affinity", "listen", "daemon", "wait", "limits.launch"),
    *("stages", "book", "balanced"),
)
"""Keys that do not change what is played."""

_VERSION: Final = re.compile(r"engine\.[0-9]+\.version")

_ABSENT: Final = "the default"


def extend(planned: TournamentConfig, asked: TournamentConfig) -> TournamentConfig:
    """The plan of a run that has games, where another one is asked for.

    More games or pairs of each encounter, more rounds of a Swiss tournament and more engines of a
    round robin or a gauntlet extend it. Where the run runs, its title and the time for handshakes
    may change.

    Raises:
        ConfigError: the run cannot become that one; the text says which settings differ.
    """
    aligned = _keep_names(planned, asked)
    if _games(planned) % 2 and _games(asked) % 2:
        aligned = attrs.evolve(aligned, balanced=planned.balanced)
    same = attrs.evolve(aligned, stages=planned.stages)
    problems = []
    if _static(planned):
        same = attrs.evolve(same, pairs=planned.pairs, games=planned.games)
        problems += _fewer("games", _games(planned), _games(asked))
    elif planned.format is Format.SWISS:
        same = attrs.evolve(same, rounds=planned.rounds)
        problems += _fewer("rounds", planned.rounds, asked.rounds)
    known = len(planned.engine)
    if len(asked.engine) > known and _static(planned):
        same = attrs.evolve(same, engine=same.engine[:known])
        stages = (*(planned.stages or (known,)), len(asked.engine))
    else:
        stages = planned.stages
    problems += _differences(planned, same)
    if problems:
        raise ConfigError("; ".join(problems))
    return attrs.evolve(aligned, stages=stages)


def _static(config: TournamentConfig) -> bool:
    return config.format.is_static


def _games(config: TournamentConfig) -> int:
    return config.games if config.games is not None else 2 * config.pairs


def _fewer(unit: str, planned: int, asked: int) -> list[str]:
    return [f"{unit}: {planned} there, only {asked} here"] if asked < planned else []


def _keep_names(planned: TournamentConfig, asked: TournamentConfig) -> TournamentConfig:
    """Engines keep their names where only a further engine of the same name has changed them."""
    engines = list(asked.engine)
    for place, (old, new) in enumerate(zip(planned.engine, engines, strict=False)):
        as_old = attrs.evolve(new, name=old.name, version=old.version)
        if new.name.startswith(old.name) and as_old == old:
            engines[place] = old
    if len({engine.name for engine in engines}) < len(engines):
        return asked
    return attrs.evolve(asked, engine=tuple(engines))


def _differences(planned: TournamentConfig, asked: TournamentConfig) -> Iterator[str]:
    there, here = (dict(_flat(config_values(config))) for config in (planned, asked))
    for key in sorted(there.keys() | here.keys()):
        if key not in _FREE and not _VERSION.fullmatch(key) and there.get(key) != here.get(key):
            yield f"{key}: {there.get(key, _ABSENT)} there, {here.get(key, _ABSENT)} here"


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a tree of tables and lists; items of lists are numbered from 1."""
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping):
            yield from _flat(item, f"{name}.")
        elif isinstance(item, list | tuple) and item and isinstance(item[0], Mapping):
            yield from _flat({str(n): one for n, one in enumerate(item, start=1)}, f"{name}.")
        else:
            yield name, item
