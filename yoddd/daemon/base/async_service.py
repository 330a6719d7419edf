"""Services of Twisted's application framework whose start and stop take time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from twisted.application.service import MultiService, Service
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.python.failure import Failure


class AsyncService(Service):
    """An `IService` with coroutines for its start and stop; subclasses override those.

    Attributes:
        ready: fires once the service has started, and fails with the reason why it has not.
    """

    def __init__(self) -> None:
        """Create a service that is not running."""
        self.ready: Deferred[None] = succeed(None)

    async def start(self) -> None:
        """Start; what this raises ends the start of the whole tree."""

    async def stop(self) -> None:
        """Stop; called once, and only after a start, also after one that failed."""

    def startService(self) -> None:
        """Start in the background; see `ready`."""
        super().startService()
        self.ready = Deferred.fromCoroutine(self.start())

    def stopService(self) -> Deferred[None]:
        """Stop; fires when that is done."""
        super().stopService()
        return Deferred.fromCoroutine(self.stop())


class ServiceTree(MultiService):
    """A `MultiService` in order: each child starts when the one before it is ready.

    Children stop in the reverse order, each when the one behind it has stopped, so a child can rely
    on all those before it for as long as it runs. Twisted's own starts and stops all at once.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        """Create an empty tree.

        Args:
            failed: receives the message of a child's error, when the tree was started by
                `startService` rather than by `start`.
        """
        super().__init__()
        self._failed = failed

    async def start(self) -> None:
        """Start every child.

        Raises:
            Exception: what the start of a child raised; those behind it have not been started.
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
