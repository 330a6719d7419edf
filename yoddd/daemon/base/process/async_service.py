"""Services of Twisted's application framework with asynchronous start and stop."""

from __future__ import annotations

from typing import ClassVar

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.store.errors import StoreError


@attrs.define(eq=False, slots=False)
class AsyncService(Service):
    """An `IService` whose start and stop are coroutines, which subclasses override.

    Attributes:
        ready: fires once the service has started, or fails with the exception of its start.
    """

    ready: Deferred[None] = attrs.field(init=False, factory=lambda: succeed(None))

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


@attrs.define(eq=False, slots=False)
class RegularService(AsyncService):
    """A service that looks at something again and again, from its start to its stop.

    Attributes:
        period: the seconds between two looks.
    """

    period: ClassVar[float] = 1.0

    log = Logger()

    _reactor: Reactor
    _looks: LoopingCall = attrs.field(
        init=False, default=attrs.Factory(lambda self: LoopingCall(self._try), takes_self=True)
    )

    async def look(self) -> None:
        """Look once; the next look does not begin before that is done."""

    async def _try(self) -> None:
        try:
            await self.look()
        except StoreError as error:  # the next look tries again
            name = type(self).__name__
            self.log.debug("{name} waits for the store: {error}", name=name, error=str(error))

    async def start(self) -> None:
        """Look now, and regularly from now on."""
        self._looks.clock = self._reactor
        done, name = self._looks.start(self.period), type(self).__name__
        done.addErrback(lambda failure: self.log.failure("{name} has stopped", failure, name=name))

    async def stop(self) -> None:
        """Look no more."""
        if self._looks.running:
            self._looks.stop()


@attrs.define(eq=False, slots=False)
class ServiceTree(AsyncService):
    """Services that start in order, each once the one before is ready.

    They stop in the reverse order, each once the next one has stopped: a service can use all
    before it for as long as it runs. Twisted's `MultiService` starts and stops all at once.

    Attributes:
        services: those of the tree, to be added before the start.
    """

    services: list[AsyncService] = attrs.field(init=False, factory=list)

    async def start(self) -> None:
        """Start every service.

        Raises:
            Exception: the start of one failed; those after it are not started.
        """
        for one in self.services:
            one.startService()
            await one.ready

    async def stop(self) -> None:
        """Stop every service that has been started."""
        for one in reversed(self.services):
            if one.running:
                await one.stopService()
