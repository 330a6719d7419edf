"""Services of Twisted's application framework with asynchronous start and stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from twisted.application.service import MultiService, Service
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor


class AsyncService(Service):
    """An `IService` whose start and stop are coroutines, which subclasses override.

    Attributes:
        ready: fires once the service has started, or fails with the exception of its start.
    """

    def __init__(self) -> None:
        """Create a service that is not running."""
        self.ready: Deferred[None] = succeed(None)

    async def start(self) -> None:
        """Start; an exception ends the start of the whole tree."""

    async def stop(self) -> None:
        """Stop; called after a start, also after one that failed."""

    def startService(self) -> None:
        """Start in the background; see `ready`."""
        super().startService()
        self.ready = Deferred.fromCoroutine(self.start())

    def stopService(self) -> Deferred[None]:
        """Stop; fires when the service has stopped."""
        super().stopService()
        return Deferred.fromCoroutine(self.stop())


class RegularService(AsyncService):
    """A service that looks at something again and again, from its start to its stop."""

    log = Logger()

    def __init__(self, reactor: Reactor, period: float = 1.0) -> None:
        """Create it; there are ``period`` seconds between two looks."""
        super().__init__()
        self._period = period
        self._looks = LoopingCall(self.look)
        self._looks.clock = reactor

    def look(self) -> Deferred[None] | None:
        """Look once; fires when that is done, for the next look does not begin before."""

    async def start(self) -> None:
        """Look now, and regularly from now on."""
        done, name = self._looks.start(self._period), type(self).__name__
        done.addErrback(lambda failure: self.log.failure("{name} has stopped", failure, name=name))

    async def stop(self) -> None:
        """Look no more."""
        if self._looks.running:
            self._looks.stop()


class ServiceTree(MultiService):
    """A `MultiService` that starts its children in order, each once the one before is ready.

    Children stop in the reverse order, each once the one behind it has stopped: a child can use all
    children before it for as long as it runs. Twisted's own class starts and stops all at once.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        """Create an empty tree.

        Args:
            failed: receives the message of an error during a start by `startService`; a start by
                `start` raises the error.
        """
        super().__init__()
        self._failed = failed

    async def start(self) -> None:
        """Start every child.

        Raises:
            Exception: the start of a child failed; the children behind it are not started.
        """
        Service.startService(self)
        for child in self.services:
            child.startService()
            if isinstance(child, AsyncService):
                await child.ready

    async def stop(self) -> None:
        """Stop every child that has been started."""
        for child in reversed(self.services):
            if cast("Service", child).running:
                await maybeDeferred(child.stopService)

    def startService(self) -> None:
        """Start in the background, as under a parent service."""
        done = Deferred.fromCoroutine(self.start())
        done.addErrback(self._report)

    def _report(self, failure: Failure) -> None:
        self._failed(failure.getErrorMessage())

    def stopService(self) -> Deferred[None]:
        """Stop; fires when every child has stopped."""
        Service.stopService(self)
        return Deferred.fromCoroutine(self.stop())
