"""The client's side of ``match``: a match that a daemon plays, with local engines if need be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
from twisted.internet.defer import Deferred, DeferredList, FirstError
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.match_command import format_order, parse_news
from yoddd.daemon.play.match_runner import Waits
from yoddd.daemon.play.news import Watch
from yoddd.daemon.play.participants import ATTACHED, describe_engine
from yoddd.daemon.runs.connect import EngineBridge
from yoddd.engine import ENGINES
from yoddd.notation import NotationError
from yoddd.referee import MatchPlan

_ERROR: Final = "error "


class RemoteError(Exception):
    """The daemon cannot be reached, refuses the match, or aborts it; the text says why."""


@attrs.frozen
class Entrant:
    """An engine in a match.

    Attributes:
        name: what it is called in records.
        command: its command line; None if it is attached to a daemon by that name.
    """

    name: str
    command: str | None


def describe_entrants(descriptions: Sequence[str]) -> list[Entrant]:
    """The engines that ``builtin:NAME``, ``tcp:NAME`` and command lines describe.

    A local engine whose name is taken has a number behind it.

    Raises:
        UnknownEngine: a description that names nothing.
    """
    found: list[Entrant] = []
    for text in descriptions:
        if text.startswith(ATTACHED):
            name, command = text.removeprefix(ATTACHED), None
        else:
            name, command = describe_engine(text, list(ENGINES))
        twins = sum(other.name == name for other in found)
        if twins and command is not None:
            name = f"{name}-{twins + 1}"
        found.append(Entrant(name, command))
    return found


class _MatchClient(LineOnlyReceiver):
    """Sends one ``match`` request and reads its streaming reply."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: Connection

    def __init__(self, request: str, watch: Watch) -> None:
        # Fires at the end of the reply; fails with `RemoteError`.
        self.done: Deferred[None] = Deferred()
        self._request = request
        self._watch = watch
        # Whether the first line of the reply was read, and was no refusal.
        self._accepted = False
        # Why the match has failed, once it has.
        self._error: str | None = None

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self.transport.write(f"{self._request}\n".encode())

    def lineReceived(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if not self._accepted:
            self._accepted = text.startswith("=")
            self._error = None if self._accepted else text.lstrip("? ")
        elif text.startswith(_ERROR):
            self._error = text.removeprefix(_ERROR)
        elif text:
            self._tell(text)
            return
        if not self._accepted or not text:
            self._finish()

    def _tell(self, text: str) -> None:
        try:
            self._watch(parse_news(text))
        except NotationError as error:
            self._error = str(error)
            self._finish()
        except Exception:  # noqa: BLE001 — what shows the news has failed, not the daemon
            self.transport.loseConnection()
            if not self.done.called:
                self.done.errback(Failure())

    def _finish(self) -> None:
        self.transport.loseConnection()
        if self.done.called:
            return
        if self._error is None:
            self.done.callback(None)
        else:
            self.done.errback(RemoteError(self._error))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        if not self.done.called:
            self.done.errback(RemoteError("the daemon closed the connection"))


async def request_match(
    reactor: Reactor, address: tuple[str, int], request: str, watch: Watch
) -> None:
    """Have the daemon at ``address`` play the match that ``request`` describes.

    Raises:
        RemoteError: it did not come to its end.
    """
    client = _MatchClient(request, watch)
    try:
        await connectProtocol(HostnameEndpoint(reactor, *address), client)
    except ConnectError as error:
        raise RemoteError(f"cannot reach {address[0]}:{address[1]}: {error}") from None
    await client.done


def play_at_daemon(
    address: tuple[str, int],
    plan: MatchPlan,
    commands: tuple[str | None, str | None],
    waits: Waits,
    watch: Watch,
) -> None:
    """Have a daemon play a match; engines with a command line attach to it for the match.

    Raises:
        MatchError: the match does not fit in a request.
        RemoteError: the daemon cannot be reached, refuses the match or aborts it.
        ConnectFailed: a local engine is refused or ends.
    """
    request = format_order(plan, waits)

    async def program(reactor: Reactor) -> int:
        playing = Deferred.fromCoroutine(request_match(reactor, address, request, watch))
        bridges = [
            EngineBridge(reactor, address, name, command, lambda _text: None)
            for name, command in zip(plan.names, commands, strict=True)
            if command is not None
        ]
        for bridge in bridges:
            bridge.start()
        ends = [playing, *(bridge.done for bridge in bridges)]
        try:
            # The first to fire decides: a local engine that fails ends the wait for the match.
            await DeferredList(
                ends, fireOnOneCallback=True, fireOnOneErrback=True, consumeErrors=True
            )
        except FirstError as first:
            first.subFailure.raiseException()
        finally:
            for bridge in bridges:
                bridge.finish()
        return 0

    run(program)
