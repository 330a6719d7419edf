"""Runs one connection of the analysis engine: its searches in the pool, several at a time."""

from __future__ import annotations

from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.worker import Worker, WorkerTransport
from yoddd.protocol.analysis import AnalysisStream
from yoddd.protocol.config import SessionConfig


class AnalysisWorker(Worker):
    """Runs one analysis engine until its connection is lost.

    Its searches are those of one client, the address or the connection, with which others take
    turns. They are preempted while others wait.
    """

    ends_with_line = False  # the last answer replaces it

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

    def hang_up(self) -> None:
        """Take the end of the input from a network; the searches are still answered."""
        self._perform(self._stream.finish(warns=True))

    def _owner(self) -> object:
        return object()  # so that several run at once
