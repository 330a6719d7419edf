"""The two protocols that a connection can speak: that of sessions, and that of the analysis engine.

A listening port and a path of the HTTP port has one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.daemon.connections.analysis_worker import AnalysisWorker
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.daemon.connections.worker import Worker, WorkerTransport


@attrs.frozen
class WireProtocol:
    """One of the protocols.

    Attributes:
        begin: begins on a connection.
        refuse: the bytes that tell a client why it is not admitted.
        is_lines: whether each line of the output is a message of its own; else each reply is.
    """

    begin: Callable[[Services, WorkerTransport], Worker]
    refuse: Callable[[str], bytes]
    is_lines: bool


def _begin_session(services: Services, transport: WorkerTransport) -> Worker:
    host = transport.host
    return SessionWorker(
        services, services.session_config(host), transport, services.rate_limit_for(host)
    )


def _begin_analysis(services: Services, transport: WorkerTransport) -> Worker:
    host = transport.host
    return AnalysisWorker(
        services, services.session_config(host), transport, services.rate_limit_for(host)
    )


SESSION: Final = WireProtocol(
    _begin_session, lambda reason: f"? busy: {reason}\n\n".encode(), is_lines=False
)
ANALYSIS: Final = WireProtocol(
    _begin_analysis,
    lambda reason: f"{json.dumps({'error': f'busy: {reason}'})}\n".encode(),
    is_lines=True,
)
