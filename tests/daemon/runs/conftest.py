"""Engines in this process, a clock that tests advance, and small plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.protocol.controller import MANDATORY
from yoddd.referee.config import EngineConfig, TournamentConfig

INTRODUCTION = {
    "protocol_version": "2",
    "name": "scripted",
    "version": "1",
    "list_commands": "\n".join(MANDATORY),
}
Reply = Callable[[], str]


class ScriptedEngine(EngineLink):
    """Answers every request at the next turn of the reactor; ``genmove`` by a function."""

    def __init__(self, clock: Clock, name: str, genmove: Reply = lambda: "resign") -> None:
        super().__init__(name)
        self._clock = clock
        self._genmove = genmove

    def send(self, data: bytes) -> None:
        number, command = data.decode().split()[:2]
        text = self._genmove() if command == "genmove" else INTRODUCTION.get(command, "")
        self._clock.callLater(0, self._answer, f"={number} {text}\n\n".encode())

    def _answer(self, data: bytes) -> None:
        if self.alive:
            self.received(data)

    def close(self) -> None:
        self.alive = False


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reactor(clock: Clock) -> Reactor:
    return cast("Reactor", clock)


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry()


def plan_of(*names: str, **settings: object) -> TournamentConfig:
    """A tournament on hex2 between engines that need not exist."""
    engines = tuple(EngineConfig(engine="true", name=name) for name in names or ("ann", "bob"))
    values: dict[str, object] = {"board": "hex2", "engine": engines, **settings}
    return TournamentConfig(**values)  # type: ignore[arg-type]  # a test names its own settings
