"""How a program of this floor runs: the reactor from start to end, and the log."""

from __future__ import annotations

import gc
from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.scheduling import be_prompt

Program = Callable[[Reactor], Coroutine[Deferred[Any], Any, int]]


def run(program: Program) -> int:
    """Run ``program`` in the reactor and return its exit status.

    An interrupt or SIGTERM ends it with status 0, as a daemon is meant to be ended.
    """
    from twisted.internet import reactor as installed  # noqa: PLC0415 — importing it installs it

    reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor
    status: list[int] = []
    failure: list[Failure] = []

    def begin() -> None:
        done = Deferred.fromCoroutine(program(reactor))
        done.addCallbacks(status.append, failure.append)
        done.addCallback(lambda _: reactor.stop() if reactor.running else None)

    reactor.callWhenRunning(begin)
    # A collection that looks at all that the imports have made holds every thread up for some
    # 15 ms, and costs games on time.
    gc.freeze()
    be_prompt()
    reactor.run()
    gc.unfreeze()  # or the interpreter could not take everything down, and the kernel would say so
    for problem in failure:
        problem.raiseException()
    return status[0] if status else 0
