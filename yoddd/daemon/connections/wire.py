"""The two protocols that a connection can speak: that of sessions, and that of the analysis engine.

A listening port and a path of the HTTP port has one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.daemon.connections.analysis_worker import AnalysisWorker
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.daemon.connections.worker import Worker, WorkerTransport
from yoddd.protocol.config import SessionConfig


@attrs.frozen
class WireProtocol:
    """One of the protocols.

    Attributes:
        worker: makes what runs it.
        refuse: the bytes that tell a client why it is not admitted.
    """

    worker: Callable[[Services, SessionConfig, WorkerTransport, Client], Worker]
    refuse: Callable[[str], bytes]

    def begin(self, services: Services, transport: WorkerTransport, client: Client) -> Worker:
        """Begin on a connection of a client."""
        return self.worker(services, services.session_config(transport.host), transport, client)


SESSION: Final = WireProtocol(SessionWorker, lambda reason: f"? busy: {reason}\n\n".encode())
ANALYSIS: Final = WireProtocol(
    AnalysisWorker, lambda reason: f"{json.dumps({'error': f'busy: {reason}'})}\n".encode()
)
