"""What the operating system is told about a connection."""

from __future__ import annotations

import socket
from typing import Final

from twisted.internet.interfaces import ISSLTransport
from twisted.internet.tcp import Connection

from yoddd.daemon.base.settings import Limits

PROBES: Final = 3
"""Keepalive probes without an answer before the connection is given up."""


def tune(transport: Connection, limits: Limits) -> None:
    """Send at once, and find out about peers that have silently gone; a UNIX socket needs neither.

    Nagle's algorithm costs 40 ms wherever two writes follow each other.
    """
    # Below TLS lies the connection that has the socket.
    below = getattr(transport, "transport", None) if ISSLTransport.providedBy(transport) else None
    handle = (below or transport).getHandle()
    if handle.family == socket.AF_UNIX:
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    every = max(1, round((limits.silence - limits.ping) / PROBES))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, round(limits.ping)))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, every)
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)
