"""Node links: connections to the other nodes of a fleet, with this node as a client.

They speak the protocol. A link logs in with the secret that the other node has published, in the
name of the client on whose behalf it sends requests. Requests that wait for
something, such as ``put``, would hold up those behind them, so each request has a link to itself
while it lasts; idle links are reused.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Container, Sequence
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
from yoddd.protocol.effects import Attach, ConnectionHandle, ResultCallback
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import Origin
from yoddd.store.fleet import Process

_MAX_LINE: Final = 1 << 22
"""Bytes of a line of a reply; the record of a long game is one line."""

_NODE_LIMITS: Final = Limits(
    exempt=("0.0.0.0/0", "::/0"),  # a client without the secret is cut off anyway
    connections=1 << 20,
    line=64 * 1024,
    login_commands=2,
    login_output=1024,
    unread=1 << 24,
)


def unreachable(number: int) -> PeerError:
    """Return the error for requests to a node that cannot be reached."""
    return PeerError(Code.BUSY, f"process {number} is gone; try again, or resume, in a moment")


def parse_error(text: str) -> PeerError:
    """Parse the error that another node has sent; one with an unknown code is internal."""
    for code in Code:
        if text == code or text.startswith(f"{code}: "):
            return PeerError(code, text.removeprefix(code).removeprefix(": "))
    return PeerError(Code.INTERNAL)


class NodeConnection(Protocol):
    """A connection to another node.

    Attributes:
        on_loss: called when the connection is lost; set by `NodeLinks.dial` once it is connected.
    """

    transport: Connection
    on_loss: Callable[[], None] | None = None

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Call `on_loss`."""
        del reason
        if self.on_loss is not None:
            self.on_loss()

    def close(self) -> None:
        """Abort the connection; unsent bytes are lost."""
        self.transport.abortConnection()


_C = TypeVar("_C", bound=NodeConnection)


class _SingleFactory(Factory[_C]):
    """Gives one connection its protocol, without a line in the log."""

    noisy = False

    def __init__(self, connection: _C) -> None:
        self._connection = connection

    def buildProtocol(self, addr: IAddress | None) -> _C:
        del addr
        return self._connection


class NodeLink(LineOnlyReceiver, NodeConnection):
    """A connection to another node that carries one request at a time.

    Attributes:
        client: the `Origin` for which it has logged in, as text; empty before. Changes when a
            request of another client is sent over it.
        is_open: whether requests can be sent; False once the connection is lost.
    """

    delimiter = b"\n"
    MAX_LENGTH = _MAX_LINE

    def __init__(self, node: int) -> None:
        """Create a link to the node with this number; it is not connected yet."""
        self.client = ""
        self.is_open = True
        # The number of the node.
        self._node = node
        # The lines of the current reply; emptied by `ask`. Lines that were given to `_say` are not
        # among them.
        self._lines: list[str] = []
        # The result of the current request; None when the link is idle.
        self._asked: Deferred[str] | None = None
        # Takes the lines of a streaming reply; None if the current request has a plain one.
        self._say: Say | None = None

    def ask(self, request: str, say: Say | None = None) -> Deferred[str]:
        """Send a request; fires with the text of its reply, or fails with the refusal.

        Each line of a streaming reply is given to ``say`` as it arrives; it then fires with an
        empty text, or fails if the last line is an error.
        """
        self._lines, self._asked, self._say = [], Deferred(), say
        self.sendLine(request.encode())
        return self._asked

    def lineReceived(self, line: bytes) -> None:
        """Take one line of a reply; an empty one ends it."""
        text = line.decode()
        if not text:
            self._finish()
        elif self._say is not None and self._lines == ["= "] and not text.startswith("error "):
            self._say(text)
        else:
            self._lines.append(text)

    def _finish(self) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        first, *rest = self._lines or [""]
        if first.startswith("? "):
            asked.errback(parse_error(first.removeprefix("? ")))
        elif self._say is not None and rest:
            asked.errback(parse_error(rest[-1].removeprefix("error ")))
        else:
            asked.callback("\n".join([first.removeprefix("= "), *rest]))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail the current request."""
        self.is_open = False
        super().connectionLost(reason)
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.errback(unreachable(self._node))


@attrs.define(eq=False)
class RelayedStream:
    """A streaming reply of another node, relayed to a client.

    Attributes:
        end: ends the reply to the client; called at most once.
        link: the link that carries the reply; None before the request is sent and after it ends.
        is_over: whether the client has stopped the reply or the node has ended it.
    """

    end: End
    link: NodeLink | None = None
    is_over: bool = False

    def stop(self) -> None:
        """Close the link: the client reads no more of the reply."""
        self.is_over = True
        if self.link is not None:
            self.link.close()

    def finish(self, error: str | None) -> None:
        """End the reply to the client, with the text of an error if there was one."""
        if not self.is_over:
            self.is_over = True
            self.end(error)


class NodeLinks:
    """The connections to all other nodes."""

    log = Logger()

    def __init__(self, reactor: Reactor, find: Callable[[int], Process | None]) -> None:
        """Create it without connections; ``find`` gives the node with a number if it is alive."""
        self._reactor = reactor
        self._find = find
        # The links without a request, by the number of their node; `_take` removes a link from
        # here and `_release` returns it.
        self._idle: dict[int, list[NodeLink]] = {}
        # The open connections, by the number of their node, those of relayed engines included.
        # `dial` adds them; they leave when they are lost or their node is no longer alive.
        self._open: dict[int, set[NodeConnection]] = {}

    async def ask(self, number: int, origin: Origin, request: str) -> str:
        """Return the text of another node's reply to a request.

        Args:
            number: the number of the node.
            origin: the client on whose behalf.
            request: the line to send.

        Raises:
            PeerError: the node refuses, or cannot be reached.
        """
        link = await self._take(number, origin)
        try:
            return await link.ask(request)
        finally:
            self._release(number, link)

    async def stream(
        self, number: int, origin: Origin, request: str, say: Say, relayed: RelayedStream
    ) -> None:
        """Relay a streaming reply until the node ends it or the client stops it.

        Raises:
            PeerError: the node refuses, ends the reply with an error, or cannot be reached.
        """
        link = await self._take(number, origin)
        relayed.link = link
        if relayed.is_over:
            link.close()
            return
        try:
            await link.ask(request, say)
        finally:
            relayed.link = None
            self._release(number, link)

    def close_except(self, alive: Container[int]) -> None:
        """Close the connections to all nodes but those with these numbers."""
        for number in [number for number in self._open if number not in alive]:
            self._idle.pop(number, None)
            for connection in self._open.pop(number):
                connection.close()

    async def dial(self, node: Process, connection: _C) -> _C:
        """Connect to a node; `close_except` closes the connection when its lease expires.

        Raises:
            PeerError: it cannot be reached.
        """
        number = node.number
        try:
            await clientFromString(self._reactor, node.address).connect(_SingleFactory(connection))
        except (ConnectError, DNSLookupError, OSError) as error:
            self.log.debug("node {number}: {error}", number=number, error=str(error))
            raise unreachable(number) from None
        set_socket_options(connection.transport, _NODE_LIMITS)
        self._open.setdefault(number, set()).add(connection)
        connection.on_loss = lambda: self._forget(number, connection)
        return connection

    async def _take(self, number: int, origin: Origin) -> NodeLink:
        """Return a link that is logged in for a client: an idle one if there is one."""
        node = self._find(number)
        if node is None:
            raise unreachable(number)
        idle = self._idle.setdefault(number, [])
        link = idle.pop() if idle else await self.dial(node, NodeLink(number))
        name = origin.dump()
        if link.client != name:
            await link.ask(f"login {name} {node.secret}")
            link.client = name
        return link

    def _release(self, number: int, link: NodeLink) -> None:
        if link.is_open and number in self._open:
            self._idle.setdefault(number, []).append(link)

    def _forget(self, number: int, connection: NodeConnection) -> None:
        self._open.get(number, set()).discard(connection)
        idle = self._idle.get(number, [])
        if connection in idle:
            idle.remove(connection)


@attrs.frozen
class NodeAccounts:
    """The `Accounts` for the links of other nodes: one secret logs in to every account.

    Attributes:
        secret: the token that the other nodes present.
        users: the accounts of this node, for what needs no log-in.
    """

    secret: str
    users: Users

    def log_in(
        self, connection: ConnectionHandle, name: str, token: str, answer: ResultCallback
    ) -> None:
        """Accept requests of another node on behalf of a client."""
        del connection
        if self._is_right(token):
            answer(Origin.load(name))
        else:
            answer(PeerError(Code.DENIED, "wrong secret", fatal=True))

    def gate(
        self, connection: ConnectionHandle, request: Attach, origin: Origin
    ) -> Deferred[str | Origin]:
        """Admit an engine that another node relays and has checked."""
        del connection, origin
        if not self._is_right(request.options.get("token", "")):
            return succeed(f"{Code.DENIED}: wrong secret")
        return succeed(Origin.load(request.options.get("for", "-")))

    def _is_right(self, token: str) -> bool:
        # As bytes: of texts it compares ASCII only.
        return hmac.compare_digest(token.encode(), self.secret.encode())

    def who(self) -> Sequence[str]:
        """Return a line for each user and engine."""
        return self.users.who()

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        """Answer with the lines of a leaderboard."""
        self.users.leaderboard(game, board, answer)


def node_services(services: Services, accounts: NodeAccounts) -> Services:
    """Return the services for the connections of other nodes.

    They share everything with ``services``, those for the clients of a single daemon, but have
    other accounts and no limits. A request from another node is therefore answered here, and never
    relayed once more.
    """
    limits = CurrentLimits(_NODE_LIMITS)
    offered = attrs.evolve(
        services.session.services, accounts=accounts, login_required=True, relays=True
    )
    return attrs.evolve(
        services,
        session=attrs.evolve(services.session, services=offered),
        current_limits=limits,
        admission=Admission(limits, services.reactor.seconds),
        attach_gate=accounts.gate,
    )
