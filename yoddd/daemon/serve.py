"""The daemon as a program: its log, its signals and its reactor."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from typing import Final

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.logs import LineWriter, LogControl, json_line, writer_to
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.base.process.systemd import notify, sign_interval
from yoddd.daemon.base.world import World
from yoddd.daemon.configuration import Configuration, Sources
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.service import Daemon, make_service, warn_of_keys

GRACE: Final = 10.0
"""Seconds after ``drain`` at which a daemon that still runs is ended by force."""

_LOG: Final = Logger()


def serve(configuration: Configuration, sources: Sources) -> int:
    """Run a daemon until a signal ends it, and return its exit status.

    SIGHUP reloads the configuration and the certificates. SIGTERM drains the daemon and ends it; a
    second SIGTERM, or SIGINT, ends it without waiting for games. A daemon that has not ended
    `GRACE` seconds after that is ended by force, with status 1 and the stack of every thread in its
    log, or by SIGALRM if its log is not read. One that another daemon has replaced at a store in
    PostgreSQL ends at once, with status 1.

    Raises:
        ListenError: the daemon cannot start; see `make_service`. With the log in JSON it is logged,
            and the status is 1.
    """
    settings = CurrentSettings(configuration.settings)
    logs = LogControl(settings)
    printed = LineWriter(writer_to(sys.stdout), _report_unprinted)
    is_json = settings.value.log.format == "json"

    async def program(reactor: Reactor) -> int:
        def say(text: str) -> None:
            printed.write(f"{json_line(text) if is_json else text}\n")

        interval = sign_interval()
        if interval is not None:
            signs = LoopingCall(notify, "WATCHDOG=1")
            signs.clock = reactor
            signs.start(interval)

        daemon = make_service(World(reactor), settings, say, sources, logs)
        warn_of_keys(configuration)
        reactor.addSystemEventTrigger("before", "shutdown", daemon.stopService)
        _handle_signals(reactor, daemon)
        await daemon.start()
        status = await daemon.failed
        _end_by_force(GRACE)
        return status

    try:
        status = run(program)
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except ListenError as error:
        if not is_json:
            raise
        _LOG.critical("{error}", error=str(error))
        status = 1
    finally:
        printed.wait()
        logs.lines.wait()  # before an error that the command line prints
    _leave_lost_threads(status)
    return status


def _report_unprinted(count: int) -> None:
    _LOG.warn("{count} lines were dropped: standard output was not read", count=count)


def _end_by_force(seconds: float) -> None:
    """End the process after ``seconds``, with the stack of every thread in its log."""
    # The thread that dumps them needs neither the reactor nor Python to run, but a reader.
    if sys.stderr is not None:  # it may be closed
        faulthandler.dump_traceback_later(seconds, exit=True)
    signal.setitimer(signal.ITIMER_REAL, seconds + 5)  # seconds that the dump may take


def _leave_lost_threads(status: int) -> None:
    """End the process at once if a search has not returned, whose thread the exit could crash."""
    if any(thread.daemon and "search" in thread.name for thread in threading.enumerate()):
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
        _end_by_force(GRACE + (0 if is_last else daemon.patience))
        reactor.callFromThread(end, number)

    handled: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, _frame: handle(signum))
    signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(daemon.reload))
