"""Extension of runs: what may grow, what may not, and what stays as it was."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.referee.tournament.extension import extend
from yoddd.referee.tournament.plan import Format, PlanError
from yoddd.referee.tournament.tournament import Tournament


def config(engines: int = 2, **settings: Any) -> TournamentConfig:
    entries = tuple(EngineConfig(engine=f"bot{n}", name=f"bot {n}") for n in range(engines))
    return TournamentConfig(board="hex2", engine=entries, **settings)


def games(planned: TournamentConfig) -> dict[str, tuple[Any, ...]]:
    """Each game of the schedule: who plays it, its seed and its opening."""
    missing = Tournament(make_plan(planned)).missing()
    return {
        one.setup.id: (one.setup.names, one.setup.seed, one.setup.opening, one.setup.params)
        for one in missing
    }


@pytest.mark.parametrize(
    ("planned", "asked", "more"),
    [
        (config(games=6), config(games=8), 2),
        (config(games=5), config(games=8), 3),
        (config(pairs=3), config(games=8), 2),
        (config(4, games=1, balanced=True), config(5, games=3, balanced=True), 24),
        (config(4, games=1, balanced=True), config(4, games=2), 6),
        (config(4, games=1), config(5, games=1, balanced=True), 4),
        (config(4, games=2), config(4, games=3, balanced=True), 6),
        (config(3), config(5), 14),
        (config(4, pairs=2), config(5, pairs=3), 36),
        (config(3, format=Format.GAUNTLET), config(5, format=Format.GAUNTLET), 4),
        (config(seed=3), config(seed=3, concurrency=9, name="Cup", listen="tcp:0"), 0),
    ],
)
def test_extend_keeps_the_games_there_are(
    planned: TournamentConfig, asked: TournamentConfig, more: int
) -> None:
    extended = extend(planned, asked)
    before, after = games(planned), games(extended)
    assert len(after) == len(before) + more
    assert {key: after[key] for key in before} == before
    meetings = [frozenset(names) for names, *_ in after.values()]
    assert len({meetings.count(meeting) for meeting in meetings}) == 1
    assert extend(extended, asked) == extended


def test_extend_adds_rounds_to_a_swiss_tournament_only() -> None:
    swiss = config(4, format=Format.SWISS)
    assert extend(swiss, attrs.evolve(swiss, rounds=3)).rounds == 3
    with pytest.raises(ConfigError, match=r"^pairs: the default there, 2 here$"):
        extend(swiss, attrs.evolve(swiss, pairs=2))
    knockout = config(4, format=Format.KNOCKOUT)
    with pytest.raises(ConfigError, match=r"engine\.5\.engine: the default there, bot4 here"):
        extend(knockout, config(5, format=Format.KNOCKOUT))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"seed": 8, "clock": None}, "seed: 7 there, 8 here"),
        ({"games": 2}, "^games: 4 there, only 2 here$"),
        ({"games": 2, "seed": 8}, "^games: 4 there, only 2 here; seed: 7 there, 8 here$"),
        ({"options": {"pie": "off"}}, r"options\.pie: the default there, off here"),
        ({"engine": config(1).engine}, r"engine\.2\.engine: bot1 there, the default here"),
    ],
)
def test_extend_names_the_settings_that_differ(changes: dict[str, Any], reason: str) -> None:
    planned = config(games=4, seed=7)
    changes = {key: value for key, value in changes.items() if value is not None}
    with pytest.raises(ConfigError, match=reason):
        extend(planned, attrs.evolve(planned, **changes))


def test_extend_keeps_names_that_a_further_twin_has_changed() -> None:
    planned = config(2)
    first, second = planned.engine
    twins = (attrs.evolve(first, name="bot 0 (old)"), second, EngineConfig(engine="x", name="y"))
    extended = extend(planned, attrs.evolve(planned, engine=twins))
    assert [engine.name for engine in extended.engine] == ["bot 0", "bot 1", "y"]
    taken = (*twins[:2], EngineConfig(engine="x", name="bot 0"))
    with pytest.raises(ConfigError, match=r"engine\.1\.name"):
        extend(planned, attrs.evolve(planned, engine=taken))


def test_plan_with_stages_of_other_numbers_is_refused() -> None:
    plan = make_plan(config(3))
    with pytest.raises(PlanError, match="stages"):
        attrs.evolve(plan, stages=(2, 4))
