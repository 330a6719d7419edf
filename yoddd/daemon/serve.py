"""The daemon as a program: its log, its signals and its reactor."""

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
    """Run a daemon until a signal ends it, and return its exit status.

    SIGHUP reloads the configuration and the certificates. SIGTERM drains the daemon and ends it; a
    second SIGTERM, or SIGINT, ends it without waiting for games.

    Raises:
        ListenError: the daemon cannot start; see `make_service`.
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
        # `reactor.running` stays True until the end of the shutdown, so it does not tell.
        if not handled:
            reactor.stop()
        handled.append(number)

    handled: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, _frame: reactor.callFromThread(end, signum))
    signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(daemon.reload))
