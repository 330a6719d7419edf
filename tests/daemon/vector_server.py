"""A daemon as the vectors describe it: ``vector_server.py stdio|tcp|unix|ssl|websocket FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.internet.stdio import StandardIO

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.protocol.peer import EVERYTHING, session_config
from yoddd.daemon.base.admission import Admission
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.daemon.net.listeners import ClientFactory, endpoint
from yoddd.daemon.net.stdio import StdioConnection
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.site import site
from yoddd.protocol.origin import Origin


class Silence:
    """A match without output until it is stopped."""

    def stop(self) -> None:
        """Stop; there is no search or process to end."""


def silent(_args: tuple[str, ...], _say: Say, _end: End, _origin: Origin) -> Silence:
    return Silence()


async def program(reactor: Reactor) -> int:
    transport, folder = sys.argv[1:]
    config = session_config(**EVERYTHING)
    services = Services(
        reactor=reactor,
        session=config,
        settings=CurrentSettings(Settings(limits=Limits(connections=config.limits.connections))),
        admission=Admission(CurrentSettings(), reactor),  # a vector reconnects at once
        streams={"match": silent, "observe": silent},
    )
    reactor.addSystemEventTrigger("before", "shutdown", services.pool.close)
    if transport == "stdio":
        connection = StdioConnection(lambda end: SessionWorker(services, config, end))
        StandardIO(connection, reactor=reactor)
        await connection.done
        return 0
    descriptions = {
        "tcp": "tcp:0:interface=127.0.0.1",
        "unix": f"unix:{folder}/socket",
        "ssl": f"ssl:0:interface=127.0.0.1:privateKey={folder}/key.pem:certKey={folder}/cert.pem",
    }
    factory: Factory[Any] = ClientFactory(services)
    if transport == "websocket":
        transport, factory = "tcp", site(services, Origins())
    port = await endpoint(reactor, descriptions[transport], 50).listen(factory)
    host = port.getHost()
    number = host.port if isinstance(host, IPv4Address) else 0
    sys.stdout.write(f"{folder}/socket\n" if transport == "unix" else f"{number}\n")
    sys.stdout.flush()
    await Deferred()
    return 0


if __name__ == "__main__":
    sys.exit(run(program))
