"""Runs a program in the reactor, from the start of the reactor to its end."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor, install_clock
from yoddd.system import leave_terminal, raise_file_limit

SLICE: Final = 200_000
"""Length of a time slice in nanoseconds, enough for most requests."""

_SETATTR: Final = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of the system call ``sched_setattr``."""

_ATTRIBUTES: Final = struct.Struct("=IIQiIQQQ")
"""``sched_attr``: size, policy, flags, nice value, priority, runtime, deadline and period."""


def request_short_slices() -> bool:
    """Request short time slices for this thread and the threads that it starts.

    Returns whether the kernel has granted them. Does nothing on other systems, under any other
    scheduling policy than the default, and where the C library does not tell the policy, as musl.
    """
    number = _SETATTR.get(platform.machine())
    if sys.platform != "linux" or number is None or not _has_default_policy():
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_OTHER, 0, nice, 0, SLICE, 0, 0)
    refused: int = ctypes.CDLL(None).syscall(number, 0, attributes, 0)
    return not refused


def _has_default_policy() -> bool:
    try:
        return os.sched_getscheduler(0) == os.SCHED_OTHER
    except OSError:  # ENOSYS of musl
        return False


SWITCH_INTERVAL: Final = 0.0005
"""Seconds that a thread may keep the interpreter while others wait for it."""

_HANG_UP: Final = getattr(signal, "SIGHUP", None)
_ENDS: Final = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]
"""The signals that end a reactor."""

Program = Callable[[Reactor], Coroutine[Deferred[Any], Any, int]]
"""Returns the exit status."""


def run(program: Program, *, last: bool = True) -> int:
    """Run ``program`` in the reactor and return its exit status.

    SIGINT, SIGTERM and a hang-up end the reactor, which is the normal end of a daemon: the status
    is 0. After a program that is not the ``last``, the reactor can run another. Signals cancel such
    a program, and it may not use the reactor's threads, which only the end of the reactor ends.

    Raises:
        Exception: what ``program`` raised.
        ReactorAlreadyRunning: the one reactor of this process is running.
    """
    from twisted.internet import reactor as installed

    reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor
    install_clock(reactor)
    running: list[Deferred[int]] = []
    status: list[int] = []
    failure: list[Failure] = []

    def begin() -> None:
        _handle_signals(lambda: reactor.callFromThread(interrupt))
        running.append(Deferred.fromCoroutine(program(reactor)))
        running[0].addCallbacks(status.append, failure.append)
        running[0].addCallback(lambda _: stop())

    def interrupt() -> None:
        if last:
            stop()
        else:
            running[0].cancel()

    def stop() -> None:
        with suppress(ReactorNotRunning):  # it has been stopped before
            # A reactor that has stopped cannot run again; one that has crashed can.
            (reactor.stop if last else reactor.crash)()

    raise_file_limit()
    reactor.callWhenRunning(begin)
    # A collection that includes the objects of all imports blocks every thread for some 15 ms,
    # which can lose a game on time.
    gc.freeze()
    gc.enable()
    request_short_slices()
    # The reactor waits so long for the interpreter while a search computes in Python, and so does
    # every reply; the default is 5 ms.
    sys.setswitchinterval(SWITCH_INTERVAL)
    handlers = {number: signal.getsignal(number) for number in _ENDS}
    reactor.run()
    if not last:  # Twisted leaves its own in place
        for number, handler in handlers.items():
            signal.signal(number, handler)
        gc.unfreeze()
    for problem in failure:
        problem.raiseException()
    return status[0] if status else 0


def _handle_signals(end: Callable[[], None]) -> None:
    """Call ``end`` for the signals that are not ignored, as in the background of a script.

    Twisted's handlers report an error at the second signal.
    """

    def heard(number: int, _frame: object) -> None:
        if number == _HANG_UP:
            leave_terminal()
        end()

    for number in _ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, heard)
