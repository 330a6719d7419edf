"""A daemon whose lobby fails in every way that a command can: at once, later, and in its stream."""

from __future__ import annotations

import sys
from pathlib import Path

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.protocol.peer import OneOffer
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.ports import End, Say, Stream
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory, endpoint
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply
from yoddd.store.errors import StoreError


class Faulty(OneOffer):
    """Fails; each command in its own way."""

    def attached(self) -> list[str]:
        """Fail within the session."""
        raise KeyError("attached")

    def withdraw(self, key: str) -> DeferredReply:  # type: ignore[override]
        """Fail as the call starts."""

        def start(_connection: ConnectionHandle, _answer: ResultCallback) -> None:
            raise RuntimeError(key)

        return DeferredReply(start)

    def put(self, key: str, turn: str, _number: int | None = None) -> DeferredReply:
        """Fail as the reply is made."""
        return DeferredReply(lambda _connection, answer: answer(key + turn), int)  # type: ignore[arg-type]

    def resume(  # type: ignore[override]
        self, user: str | None, game_id: str | None = None, key: str | None = None
    ) -> DeferredReply:
        """Fail because the store is away."""
        del user, key

        async def work() -> str:
            raise StoreError(f"database is locked: {game_id}")

        return deferred_reply(work)


def broken(_args: tuple[str, ...], _say: Say, _end: End, _origin: Origin) -> Stream:
    raise ZeroDivisionError


async def program(reactor: Reactor) -> int:
    services = Services(
        reactor=reactor,
        session=SessionConfig(services=SessionServices(lobby=Faulty())),
        streams={"observe": broken},
    )
    reactor.addSystemEventTrigger("before", "shutdown", services.pool.close)
    port = await endpoint(reactor, "tcp:0:interface=127.0.0.1", 50).listen(ClientFactory(services))
    host = port.getHost()
    sys.stdout.write(f"{host.port if isinstance(host, IPv4Address) else 0}\n")
    sys.stdout.flush()
    await Deferred()
    return 0


if __name__ == "__main__":
    LogControl(CurrentSettings())
    sys.exit(run(program))
