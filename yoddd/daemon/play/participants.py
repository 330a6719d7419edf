"""Participants of matches: engines that the daemon starts, and engines that attach by name."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import Final

import attrs
from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.processes import Child
from yoddd.defaults import BUILTIN
from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import EngineInfo
from yoddd.system import own_command


class ProcessEngine(EngineLink):
    """An engine in a child process.

    Attributes:
        gone: fires when the process and its pipes are closed.
    """

    def __init__(self, reactor: Reactor, name: str, launch: Launch) -> None:
        """Start the process; see `Child`."""
        super().__init__(name)
        self.gone: Deferred[None] = Deferred()
        # The process; it outlives `close` until it has quit or was killed.
        self._child = Child(
            reactor,
            launch,
            output=self.received,
            ended=self.ended,
        )

    @property
    def leader(self) -> int | None:
        """The id of the process; None before it starts."""
        return self._child.pid

    @property
    def stderr(self) -> str:
        """The tail of its standard error."""
        return self._child.stderr

    def introduced(self, info: EngineInfo) -> None:
        """Keep it: the same process plays the next game."""
        self.info = info

    def ended(self, detail: str) -> None:
        """Note that the process has ended, or was never started."""
        if not self._child.was_started:
            self.ended_as = Reason.VOID
        super().ended(detail)
        self.gone.callback(None)

    def send(self, data: bytes) -> None:
        """Write to its standard input."""
        self._child.write(data)

    def close(self) -> None:
        """Ask it to quit if it owes no reply; a process that does not end is killed."""
        self.listener = None
        if self.idle:
            self.ask("quit")
            self._child.close()
        else:
            self._child.close(patience=0.0)


ATTACHED: Final = "tcp:"
"""The prefix of the name of an attached engine, where engines are described."""


@attrs.define(eq=False)
class ProcessParticipant:
    """Runs a command line; an idle process plays the next game too.

    Attributes:
        name: the name in records.
        leaving: the processes that were told to quit and still run; each is removed when it ends.
    """

    _reactor: Reactor
    name: str
    # How the process is started.
    _launch: Launch
    # Whether every game has a fresh process.
    _restart: bool = attrs.field(default=False, kw_only=True)
    leaving: set[ProcessEngine] = attrs.Factory(set)
    # The process that the next game has, started with the first; None once it was told to quit.
    _link: ProcessEngine | None = None

    @property
    def is_available(self) -> bool:
        """True: the daemon can start the process at any time."""
        return True

    def engine(self, *, goes_on: bool = False) -> Deferred[EngineLink]:  # noqa: ARG002 — it is here
        """The process, started if need be."""
        if self._link is None or not self._link.idle:
            self.close()
            self._link = ProcessEngine(self._reactor, self.name, self._launch)
        return succeed(self._link)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """Keep the process, unless it could still answer the last game's request."""
        if busy or self._restart or not link.idle:
            self.close()

    def close(self) -> None:
        """End the process."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
            if not link.gone.called:
                self.leaving.add(link)
                link.gone.addCallback(lambda _: self.leaving.discard(link))


@attrs.define(eq=False)
class AttachedParticipant:
    """An engine that attaches to the daemon by name, and may disconnect at any time.

    Attributes:
        name: the name under which the engine attaches.
    """

    _registry: EngineRegistry
    name: str
    # For whom it may play.
    _claim: Claim | None = None

    @property
    def is_available(self) -> bool:
        """Whether an engine of this name is attached."""
        return self._registry.find(self.name) is not None

    def engine(self, *, goes_on: bool = False) -> Deferred[EngineLink]:
        """The engine, once it is attached and free; the wait can be cancelled."""
        return self._registry.wait(self.name, self._claim, goes_on=goes_on)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """Leave it attached; one that owes a reply or broke the protocol is disconnected."""
        if busy or not link.idle:
            link.close()
        else:
            self._registry.free(link)

    def close(self) -> None:
        """Leave it attached for other matches."""


Participant = ProcessParticipant | AttachedParticipant
"""A participant in a match: a name, and an engine for every game."""


class UnknownEngine(ValueError):
    """An engine description that names no engine."""


def describe_engine(text: str, builtin: Collection[str]) -> tuple[str, str]:
    """The name and the command line of an engine that the daemon starts.

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
        return name, shlex.join(own_command("yoddd", "gtp", "--engine", name))
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UnknownEngine(f"{text!r}: {error}") from None
    if not words:
        raise UnknownEngine("an empty command line")
    return words[0].rpartition("/")[2], text
