"""The daemon as a program."""

from __future__ import annotations

import signal
from collections.abc import Callable

from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.configuration import Configuration, Sources
from yoddd.daemon.service import Daemon, make_service


def serve(configuration: Configuration, sources: Sources, say: Callable[[str], None]) -> int:
    """The daemon; returns when it is told to end.

    SIGHUP reads configuration and certificates anew. SIGTERM lets it drain and end, a second one or
    SIGINT end it at once.

    Raises:
        ListenError: it cannot listen where it should.
    """
    log = configuration.settings.log
    logs = LogControl(log.level, as_json=log.format == "json")

    async def program(reactor: Reactor) -> int:
        daemon = make_service(reactor, configuration, say, sources=sources, logs=logs)
        reactor.addSystemEventTrigger("before", "shutdown", daemon.stopService)
        _handle_signals(reactor, daemon)
        await daemon.start()
        await Deferred()
        return 0

    return run(program)


def _handle_signals(reactor: Reactor, daemon: Daemon) -> None:
    def end(number: int) -> None:
        if handled or number == signal.SIGINT:
            daemon.skip_drain()
        # Not `reactor.running`: that is true until the last connection is gone.
        if not handled:
            reactor.stop()
        handled.append(number)

    handled: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, _frame: reactor.callFromThread(end, signum))
    signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(daemon.reload))
