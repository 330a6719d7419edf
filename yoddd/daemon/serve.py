"""The daemon as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory

import yoddd
from yoddd.daemon import lobby, matches
from yoddd.daemon.clock import Reactor
from yoddd.daemon.http import site
from yoddd.daemon.hub import CONNECTIONS, Hub
from yoddd.daemon.listeners import ClientFactory, ListenError, describe, describe_http, endpoint
from yoddd.daemon.pool import QUEUE_LIMIT
from yoddd.daemon.run import run
from yoddd.daemon.upgrade import Origins
from yoddd.protocol.config import SessionConfig

TREE_MEMORY: Final = 64
"""MiB for the tree of one search; `yoddd.engine.shelf` limits how many trees are kept."""


@attrs.frozen
class ServeOptions:
    """How to serve.

    Attributes:
        listen: endpoint strings.
        http: the endpoint string of the web board; None for none.
        origins: what other pages may open a WebSocket.
        public: whether other machines may connect.
        threads: how many searches run at once.
        queue: how many more may wait.
        connections: how many connections are served at once.
    """

    listen: Sequence[str]
    http: str | None = None
    origins: Sequence[str] = ()
    public: bool = False
    threads: int = 1
    queue: int = QUEUE_LIMIT
    connections: int = CONNECTIONS


def serve(options: ServeOptions, say: Callable[[str], None]) -> int:
    """The daemon; returns when it is told to end.

    Raises:
        ListenError: it cannot listen where it should.
    """

    async def program(reactor: Reactor) -> int:
        config = SessionConfig(
            version=yoddd.__version__,
            connections=options.connections,
            memory=TREE_MEMORY,
            attach=True,
        )
        hub = Hub(
            reactor,
            config,
            threads=options.threads,
            queue=options.queue,
            connections=options.connections,
        )
        matches.offer(hub)
        lobby.offer(hub)
        reactor.addSystemEventTrigger("before", "shutdown", hub.close)
        clients = ClientFactory(hub)
        for text in options.listen:
            port = await _listen(reactor, text, clients, public=options.public)
            say(f"listening on {describe(port)}")
        if options.http is not None:
            service = site(hub, Origins(options.origins))
            port = await _listen(reactor, options.http, service, public=options.public)
            say(f"listening on {describe_http(port)}")
        await Deferred()
        return 0

    return run(program)


async def _listen(
    reactor: Reactor, description: str, factory: IProtocolFactory, *, public: bool
) -> IListeningPort:
    where = endpoint(reactor, description, public=public)
    try:
        return await where.listen(factory)
    except CannotListenError as error:
        raise ListenError(f"{description}: {error.socketError}") from None
    except OSError as error:
        raise ListenError(f"{description}: {error.strerror or error}") from None
