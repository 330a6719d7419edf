"""Runs a program in the reactor, from the start of the reactor to its end."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor, install_clock
from yoddd.daemon.base.scheduling import request_short_slices

SWITCH_INTERVAL: Final = 0.0005
"""Seconds that a thread may keep the interpreter while others wait for it."""

Program = Callable[[Reactor], Coroutine[Deferred[Any], Any, int]]
"""Returns the exit status."""


def run(program: Program, *, apart: bool = False) -> int:
    """Run ``program`` in the reactor and return its exit status.

    SIGINT and SIGTERM end the reactor, which is the normal end of a daemon: the status is 0. With
    ``apart`` the program has a reactor of its own, so that another can follow in this process;
    signals then cancel it.

    Raises:
        Exception: what ``program`` raised.
    """
    from twisted.internet import reactor as installed

    reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor
    if apart:
        reactor = type(reactor)()
    install_clock(reactor)
    running: list[Deferred[int]] = []
    status: list[int] = []
    failure: list[Failure] = []

    def begin() -> None:
        # Twisted's handlers report an error at the second signal.
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:  # as in the background of a script
                signal.signal(number, lambda *_: reactor.callFromThread(interrupt))
        done = Deferred.fromCoroutine(program(reactor))
        running.append(done)
        done.addCallbacks(status.append, failure.append)
        done.addCallback(lambda _: stop())

    def interrupt() -> None:
        if apart:
            running[0].cancel()
        else:
            stop()

    def stop() -> None:
        with suppress(ReactorNotRunning):  # it has been stopped before
            reactor.stop()

    reactor.callWhenRunning(begin)
    # A collection that includes the objects of all imports blocks every thread for some 15 ms,
    # which can lose a game on time.
    gc.freeze()
    request_short_slices()
    # The reactor waits so long for the interpreter while a search computes in Python, and so does
    # every reply; the default is 5 ms.
    sys.setswitchinterval(SWITCH_INTERVAL)
    with _kept_signals() if apart else nullcontext():
        reactor.run()
    gc.unfreeze()  # otherwise nanobind reports leaked objects at exit
    for problem in failure:
        problem.raiseException()
    return status[0] if status else 0


@contextmanager
def _kept_signals() -> Iterator[None]:
    """Let signals be handled in the end as they were before a reactor, which does not see to it."""
    names = ("SIGINT", "SIGTERM", "SIGCHLD", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = [signal.getsignal(number) for number in numbers]
    wakes = signal.set_wakeup_fd(-1)
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
    signal.set_wakeup_fd(wakes)
