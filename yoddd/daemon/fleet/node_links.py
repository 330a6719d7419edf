"""Links to the other nodes of a fleet, which speak the protocol with this node as a client.

A link logs in with the secret that its far end has put into the store, in the name of whoever it
asks for, or in that of nobody (`NOBODY`). Requests that wait for something, such as ``put``, would
hold up those behind them, so each has a link to itself; one that is idle is used again.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import attrs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import clientFromString
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.admission import Admission
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.services import Services
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.net.socket_options import set_socket_options
from yoddd.protocol.effects import Answer, Guest
from yoddd.protocol.entrance import LoginLimits
from yoddd.protocol.errors import Code, PeerError
from yoddd.store.fleet import Process

NOBODY: Final = "-"
"""The name in which a link asks for a peer that has not logged in; no account has it."""

_LONGEST: Final = 1 << 22
"""Bytes of a line; the record of a long game is one."""

_LIMITS: Final = Limits(
    exempt=("0.0.0.0/0", "::/0"),  # whoever knows no secret is cut off anyway
    connections=1 << 20,
    line=64 * 1024,
    login_commands=2,
    login_output=1024,
    unread=1 << 24,
)


def gone(number: int) -> PeerError:
    """What whoever asks for something of a process that cannot be reached is told."""
    return PeerError(Code.BUSY, f"process {number} is gone; try again, or resume, in a moment")


def read_refusal(text: str) -> PeerError:
    """The error whose text another daemon has sent."""
    for code in Code:
        if text == code or text.startswith(f"{code}: "):
            return PeerError(code, text.removeprefix(code).removeprefix(": "))
    return PeerError(Code.INTERNAL)


class NodeConnection(Protocol):
    """A connection to another daemon.

    Attributes:
        on_loss: is called when it is lost.
    """

    transport: Connection
    on_loss: Callable[[], None] | None = None

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The process is gone, or has parted from us."""
        del reason
        if self.on_loss is not None:
            self.on_loss()

    def close(self) -> None:
        """Drop it, whatever is on its way."""
        self.transport.abortConnection()


_F = TypeVar("_F", bound=NodeConnection)


class _Once(Factory[_F]):
    """For one connection, without a word in the log."""

    noisy = False

    def __init__(self, far: _F) -> None:
        self._far = far

    def buildProtocol(self, addr: IAddress | None) -> _F:
        del addr
        return self._far


class NodeLink(LineOnlyReceiver, NodeConnection):
    """One connection to another daemon, with one request at a time.

    Attributes:
        user: in whose name it has logged in; empty before.
        is_open: whether it can still be used.
    """

    delimiter = b"\n"
    MAX_LENGTH = _LONGEST

    def __init__(self, process: int) -> None:
        """To the process of this number."""
        self.user = ""
        self.is_open = True
        self._process = process
        self._lines: list[str] = []
        self._asked: Deferred[str] | None = None
        self._say: Say | None = None

    def ask(self, request: str, say: Say | None = None) -> Deferred[str]:
        """Send a request; fires with the text of its reply, or fails with the refusal.

        The lines of a streaming reply go to ``say`` as they come; it then fires with an empty text,
        and fails if the last of them tells of an error.
        """
        self._lines, self._asked, self._say = [], Deferred(), say
        self.sendLine(request.encode())
        return self._asked

    def lineReceived(self, line: bytes) -> None:
        """Take one line of a reply; an empty one ends it."""
        text = line.decode()
        if not text:
            self._end()
        elif self._say is not None and self._lines == ["= "] and not text.startswith("error "):
            self._say(text)
        else:
            self._lines.append(text)

    def _end(self) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        first, *rest = self._lines or [""]
        if first.startswith("? "):
            asked.errback(read_refusal(first.removeprefix("? ")))
        elif self._say is not None and rest:
            asked.errback(read_refusal(rest[-1].removeprefix("error ")))
        else:
            asked.callback("\n".join([first.removeprefix("= "), *rest]))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever waits for a reply."""
        self.is_open = False
        super().connectionLost(reason)
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.errback(gone(self._process))


@attrs.define(eq=False)
class RelayedStream:
    """A streaming reply of another daemon, passed on; ends with the interest in it."""

    end: End
    link: NodeLink | None = None
    is_over: bool = False

    def stop(self) -> None:
        """Nobody listens any more."""
        self.is_over = True
        if self.link is not None:
            self.link.close()

    def finish(self, error: str | None) -> None:
        """The other daemon has ended it, or is gone."""
        if not self.is_over:
            self.is_over = True
            self.end(error)


class NodeLinks:
    """All connections to others; ``find`` gives the process of a number while it is alive."""

    log = Logger()

    def __init__(self, reactor: Reactor, find: Callable[[int], Process | None]) -> None:
        """None yet."""
        self._reactor = reactor
        self._find = find
        self._idle: dict[int, list[NodeLink]] = {}
        self._all: dict[int, set[NodeConnection]] = {}

    async def ask(self, number: int, user: str | None, request: str) -> str:
        """The text of another process's reply.

        Raises:
            PeerError: it refuses, or is gone.
        """
        link = await self._take(number, user)
        try:
            return await link.ask(request)
        finally:
            self._free(number, link)

    async def stream(
        self, number: int, user: str | None, request: str, say: Say, relayed: RelayedStream
    ) -> None:
        """Pass on what another process says until it ends, or nobody listens any more.

        Raises:
            PeerError: it refuses, breaks off, or is gone.
        """
        link = await self._take(number, user)
        relayed.link = link
        if relayed.is_over:
            link.close()
            return
        try:
            await link.ask(request, say)
        finally:
            relayed.link = None
            self._free(number, link)

    def keep(self, alive: Sequence[int]) -> None:
        """Drop all that leads to those that are dead; whoever waits for a reply is told."""
        for number in set(self._all) - set(alive):
            self._idle.pop(number, None)
            for far in self._all.pop(number):
                far.close()

    async def dial(self, process: Process, far: _F) -> _F:
        """Connect ``far``, which is dropped once the process is dead.

        Raises:
            PeerError: it cannot be reached.
        """
        number = process.number
        try:
            await clientFromString(self._reactor, process.address).connect(_Once(far))
        except (ConnectError, DNSLookupError, OSError) as error:
            self.log.debug("process {number}: {error}", number=number, error=str(error))
            raise gone(number) from None
        set_socket_options(far.transport, _LIMITS)
        self._all.setdefault(number, set()).add(far)
        far.on_loss = lambda: self._forget(number, far)
        return far

    def _free(self, number: int, link: NodeLink) -> None:
        if link.is_open and number in self._all:
            self._idle.setdefault(number, []).append(link)

    async def _take(self, number: int, user: str | None) -> NodeLink:
        process = self._find(number)
        if process is None:
            raise gone(number)
        idle = self._idle.setdefault(number, [])
        link = idle.pop() if idle else await self.dial(process, NodeLink(number))
        name = user or NOBODY
        if link.user != name:
            await link.ask(f"login {name} {process.secret}")
            link.user = name
        return link

    def _forget(self, number: int, far: NodeConnection) -> None:
        self._all.get(number, set()).discard(far)
        idle = self._idle.get(number, [])
        if far in idle:
            idle.remove(far)


@attrs.frozen
class NodeAccounts:
    """The `Accounts` for those who link to us: one secret is good for every name."""

    secret: str
    users: Users

    def log_in(self, guest: Guest, name: str, token: str, answer: Answer) -> None:
        """Let another daemon ask in somebody's name."""
        del guest
        if hmac.compare_digest(token, self.secret):
            answer(None if name == NOBODY else name)
        else:
            answer(PeerError(Code.DENIED, "wrong secret", fatal=True))

    def gate(self, guest: Guest, name: str, token: str | None) -> Deferred[str | None]:
        """Let another daemon pass an engine on, which it has checked."""
        del guest, name
        is_right = token is not None and hmac.compare_digest(token, self.secret)
        return succeed(None if is_right else f"{Code.DENIED}: wrong secret")

    def who(self) -> Sequence[str]:
        """A line for each person and engine."""
        return self.users.who()

    def leaderboard(self, game: str, board: str, answer: Answer) -> None:
        """The lines of a leaderboard."""
        self.users.leaderboard(game, board, answer)


def node_services(services: Services, accounts: NodeAccounts) -> Services:
    """Return the services for the connections of other nodes.

    They share everything with ``services``, those for the clients of a single daemon, but have
    other accounts and no limits. A request from another node is therefore answered here, and never
    relayed once more.
    """
    limits = CurrentLimits(_LIMITS)
    login = LoginLimits(_LIMITS.login_commands, _LIMITS.login_output)
    return attrs.evolve(
        services,
        session=attrs.evolve(services.session, accounts=accounts, login=login),
        current_limits=limits,
        admission=Admission(limits, services.reactor.seconds),
        attach_gate=accounts.gate,
    )
