"""Where a match gets its engines from: its own processes, or whoever has attached by name."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from typing import Final, Protocol

from twisted.internet.defer import CancelledError, Deferred, succeed

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.process_engine import Launch, ProcessEngine

BUILTIN: Final = "builtin:"
ATTACHED: Final = "tcp:"


class Contestant(Protocol):
    """A person in a match: a name, and an engine whenever a game needs one."""

    name: str

    @property
    def is_there(self) -> bool:
        """Whether it could come now, were it not for other games."""

    def engine(self) -> Deferred[EngineLink]:
        """A link that is alive, idle and nobody else's; it may take a while, and be cancelled."""

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """The game is over; ``busy`` if the engine still owes a reply."""

    def close(self) -> None:
        """The match is over."""


class Spawned:
    """Runs a command line; the process plays on in the next game if it is sound.

    Attributes:
        name: what it is called in records.
        leaving: engines that have been told to end and have not yet.
    """

    def __init__(
        self, reactor: Reactor, name: str, launch: Launch, *, restart: bool = False
    ) -> None:
        """Nothing is started yet; with ``restart`` every game has a fresh process."""
        self.name = name
        self.leaving: set[ProcessEngine] = set()
        self._reactor = reactor
        self._launch = launch
        self._restart = restart
        self._link: ProcessEngine | None = None

    @property
    def is_there(self) -> bool:
        """We can always start it."""
        return True

    def engine(self) -> Deferred[EngineLink]:
        """The process, started if need be."""
        if self._link is None or not self._link.idle:
            self._part()
            self._link = self.start()
        return succeed(self._link)

    def start(self) -> ProcessEngine:
        """A new process."""
        return ProcessEngine(self._reactor, self.name, self._launch)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """Keep the process, unless it could still answer the last game's question."""
        if busy or self._restart or not link.idle:
            self._part()

    def close(self) -> None:
        """End the process."""
        self._part()

    def _part(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()
            if not link.gone.called:
                self.leaving.add(link)
                link.gone.addCallback(lambda _: self.leaving.discard(link))


class Caller:
    """Calls in an engine of each contestant of a game; the wait for them can be ended."""

    def __init__(self) -> None:
        """Nobody is waited for."""
        self._coming: Deferred[EngineLink] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for somebody."""
        return self._coming is not None

    async def call_in(self, black: Contestant, white: Contestant) -> tuple[EngineLink, EngineLink]:
        """An engine for each; always in the order of names, or two games could wait for ever.

        For the same reason nobody is kept where the first has left while the second was waited for.

        Raises:
            CancelledError: the wait was ended.
        """
        people = sorted((black, white), key=lambda one: one.name)
        while True:
            first, second = await self._call_in_order(*people)
            if first.alive:
                return (first, second) if people[0] is black else (second, first)
            people[1].release(second, busy=False)

    async def _call_in_order(
        self, first: Contestant, second: Contestant
    ) -> tuple[EngineLink, EngineLink]:
        try:
            self._coming = first.engine()
            held = await self._coming
            try:
                self._coming = second.engine()
                return held, await self._coming
            except CancelledError:
                first.release(held, busy=False)
                raise
        finally:
            self._coming = None

    def cancel(self) -> None:
        """End the wait, if there is one."""
        if self._coming is not None:
            self._coming.cancel()


class Attached:
    """An engine that dialled in; it comes and goes as it likes."""

    def __init__(self, registry: EngineRegistry, name: str) -> None:
        """It need not be there yet."""
        self.name = name
        self._registry = registry

    @property
    def is_there(self) -> bool:
        """Whether an engine of this name is attached."""
        return self.name in self._registry.names

    @property
    def was_there(self) -> bool:
        """Whether it is or has been attached."""
        return self._registry.has_seen(self.name)

    def engine(self) -> Deferred[EngineLink]:
        """The engine, once it is attached."""
        return self._registry.wait(self.name)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """Leave it attached; one that owes a reply or talked nonsense has to dial in afresh."""
        if busy or not link.idle:
            link.close()
        else:
            self._registry.free(link)

    def close(self) -> None:
        """It stays for other matches."""


class UnknownEngine(ValueError):
    """An engine description that names nothing."""


def describe_engine(text: str, builtin: Collection[str]) -> tuple[str, str]:
    """The name and the command line of an engine that we are to start.

    Args:
        text: ``builtin:NAME`` or a command line.
        builtin: the names of the builtin engines.

    Raises:
        UnknownEngine: no such builtin engine, or a command line that cannot be split.
    """
    if text.startswith(BUILTIN):
        name = text.removeprefix(BUILTIN)
        if name not in builtin:
            raise UnknownEngine(f"{text}: expected one of {', '.join(builtin)}")
        return name, shlex.join([sys.executable, "-m", "yoddd", "gtp", "--engine", name])
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UnknownEngine(f"{text!r}: {error}") from None
    if not words:
        raise UnknownEngine("an empty command line")
    return words[0].rpartition("/")[2], text
