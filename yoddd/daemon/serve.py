"""The daemon as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

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
from yoddd.daemon.pages import api
from yoddd.daemon.run import run
from yoddd.daemon.upgrade import Origins
from yoddd.protocol.config import SessionConfig


@attrs.frozen
class ServeOptions:
    """How to serve.

    Attributes:
        listen: endpoint strings.
        http: the endpoint string of the web board; None for none.
        origins: what other pages may open a WebSocket.
        public: whether other machines may connect.
        threads: how many searches run at once.
        connections: how many connections are served at once.
        runs: a folder of runs whose crosstables are shown; None for none.
    """

    listen: Sequence[str]
    http: str | None = None
    origins: Sequence[str] = ()
    public: bool = False
    threads: int = 1
    connections: int = CONNECTIONS
    runs: Path | None = None


def serve(options: ServeOptions, say: Callable[[str], None]) -> int:
    """The daemon; returns when it is told to end.

    Raises:
        ListenError: it cannot listen where it should.
    """

    async def program(reactor: Reactor) -> int:
        config = SessionConfig(
            version=yoddd.__version__, connections=options.connections, attach=True
        )
        hub = Hub(reactor, config, threads=options.threads, connections=options.connections)
        matches.offer(hub)
        lobby.offer(hub)
        reactor.addSystemEventTrigger("before", "shutdown", hub.close)
        clients = ClientFactory(hub)
        for text in options.listen:
            port = await _listen(reactor, text, clients, public=options.public)
            say(f"listening on {describe(port)}")
        if options.http is not None:
            service = site(hub, Origins(options.origins), {b"api": api(options.runs)})
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
