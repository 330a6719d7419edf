"""Runs one connection of the analysis engine: its searches in the pool, several at a time."""

from __future__ import annotations

from functools import partial

import attrs
from twisted.python.failure import Failure

from yoddd.daemon.connections.search_pool import Job, JobKind, PoolBusy
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.throttle import Throttle
from yoddd.daemon.connections.worker import Worker, WorkerTransport
from yoddd.protocol.analysis import AnalysisStream
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Close,
    Effect,
    ReportFault,
    Send,
    StartCall,
    StartSearch,
    StopTask,
)


@attrs.frozen(eq=False)
class _Search:
    """A search in the pool; it is the owner of its job, so that several run at once.

    Attributes:
        job: the job.
        throttle: passes the answers of a search that goes on; None if none are wanted.
    """

    job: Job
    throttle: Throttle | None


class AnalysisWorker(Worker):
    """Runs one analysis engine until its connection is lost.

    Its searches are those of one client, the address or the connection, with which others take
    turns. They are preempted while others wait.
    """

    def __init__(
        self,
        services: Services,
        config: SessionConfig,
        transport: WorkerTransport,
        client: Client | None = None,
        *,
        waits: bool = True,
    ) -> None:
        """Begin; see `AnalysisStream`."""
        client = client or Client()
        self._stream = AnalysisStream(
            config,
            client.rate_limiter,
            client.identity,
            is_held=lambda: transport.is_unread,
            is_short=lambda: services.admission.is_short_of_memory,
            waits=waits,
        )
        super().__init__(services, transport, self._stream)
        # The searches in the pool, by token.
        self._searches: dict[int, _Search] = {}

    @property
    def is_occupied(self) -> bool:
        """Whether it searches, or has logged in."""
        return super().is_occupied or bool(self._searches)

    def hang_up(self) -> None:
        """Take the end of the input from a network; the searches are still answered."""
        self._perform(self._stream.finish(warns=True))

    def lost(self) -> None:
        """End the analysis: the connection is lost."""
        for token in tuple(self._searches):
            search = self._forget(token)
            self._services.pool.drop(search.job.owner)
        super().lost()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Send(data):
                self._transport.send(data)
            case StartSearch():
                self._start_search(effect)
            case StopTask(token):
                if token in self._searches:
                    self._searches[token].job.stop()
            case StartCall(token, start):
                self._start_call(start, partial(self._stream.call_done, token))
            case ReportFault(error):
                self._log_fault(error)
            case Close(reason):
                self._transport.close(reason)

    def _start_search(self, effect: StartSearch) -> None:
        token, work = effect.token, effect.work
        throttle = None if effect.interval is None else self._throttle(token, effect.interval)
        say = (lambda _answer: None) if throttle is None else throttle.put
        client = self._search_client or self
        try:
            job = self._services.pool.submit(
                object(), lambda stop: work(stop, say), JobKind.RESUMABLE, client=client
            )
        except PoolBusy as busy:
            if throttle is not None:
                throttle.cancel()
            self._perform(self._stream.search_failed(token, f"busy: {busy}"))
            return
        self._searches[token] = _Search(job, throttle)
        job.result.addCallbacks(
            self._done, self._failed, callbackArgs=(token,), errbackArgs=(token,)
        )

    def _throttle(self, token: int, interval: float) -> Throttle:
        def say(answer: str) -> None:
            if not self._transport.is_unread:
                self._perform(self._stream.search_says(token, answer))

        return Throttle(self._services.reactor, interval, say)

    def _forget(self, token: int) -> _Search:
        search = self._searches.pop(token)
        if search.throttle is not None:
            search.throttle.cancel()
        return search

    def _done(self, answer: str, token: int) -> None:
        self._forget(token)
        self._perform(self._stream.search_done(token, answer))

    def _failed(self, failure: Failure, token: int) -> None:
        self._forget(token)
        self.log.failure("a search failed", failure)
        self._perform(self._stream.search_failed(token, "engine failed"))
