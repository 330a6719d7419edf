"""The daemon as a program: its log, its signals and its reactor."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.configuration import Configuration, Sources
from yoddd.daemon.service import Daemon, make_service

GRACE: Final = 10.0
"""Seconds after ``drain`` at which a daemon that still runs is ended by force."""


def serve(configuration: Configuration, sources: Sources, say: Callable[[str], None]) -> int:
    """Run a daemon until a signal ends it, and return its exit status.

    SIGHUP reloads the configuration and the certificates. SIGTERM drains the daemon and ends it; a
    second SIGTERM, or SIGINT, ends it without waiting for games. A daemon that has not ended
    `GRACE` seconds after that is ended by force, with status 1 and the stack of every thread in its
    log. One that another daemon has replaced at a store in PostgreSQL ends at once, with status 1.

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
        status = await daemon.failed
        faulthandler.dump_traceback_later(GRACE, exit=True)
        return status

    status = run(program)
    faulthandler.cancel_dump_traceback_later()
    _leave_lost_threads(status)
    return status


def _leave_lost_threads(status: int) -> None:
    """End the process at once if a search has not returned, whose thread the exit could crash."""
    if any(thread.daemon and "search" in thread.name for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _handle_signals(reactor: Reactor, daemon: Daemon) -> None:
    def end(number: int) -> None:
        if handled or number == signal.SIGINT:
            daemon.drain.skip()
        # `reactor.running` stays True until the end of the shutdown, so it does not tell.
        if not handled:
            reactor.stop()
        handled.append(number)

    def handle(number: int) -> None:
        is_last = bool(handled) or number == signal.SIGINT
        # Its thread needs neither the reactor nor Python to run.
        faulthandler.dump_traceback_later(GRACE + (0 if is_last else daemon.patience), exit=True)
        reactor.callFromThread(end, number)

    handled: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, _frame: handle(signum))
    signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(daemon.reload))
