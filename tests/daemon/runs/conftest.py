"""Engines in this process, a clock that tests advance, and small plans."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.confinement import has_namespaces
from yoddd.referee.tournament.config import EngineConfig, TournamentConfig


@pytest.fixture(scope="session", autouse=True)
def namespaces() -> None:
    """Try namespaces, which starts a program, before a test that may start none asks for them."""
    has_namespaces()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reactor(clock: Clock) -> Reactor:
    return cast("Reactor", clock)


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry(Clock().seconds)


def plan_of(*names: str, **settings: object) -> TournamentConfig:
    """A tournament on hex2 between engines that need not exist."""
    engines = tuple(EngineConfig(engine="true", name=name) for name in names or ("ann", "bob"))
    values: dict[str, object] = {"board": "hex2", "engine": engines, **settings}
    return TournamentConfig(**values)  # type: ignore[arg-type]  # a test names its own settings
