"""Socket options of TCP connections: no delay, and keepalive."""

from __future__ import annotations

import socket
import struct
from typing import Final

from twisted.internet.interfaces import ISSLTransport
from twisted.internet.tcp import Connection

from yoddd.daemon.base.settings import Limits

PROBES: Final = 3
"""Keepalive probes without an answer before the kernel closes a connection."""

_ACKED: Final = struct.Struct("@120xQ")
"""``tcpi_bytes_acked`` in the ``tcp_info`` of Linux."""


def set_socket_options(transport: Connection, limits: Limits) -> None:
    """Set the options of a connection's socket; does nothing for a UNIX socket.

    Small writes are sent at once, because Nagle's algorithm delays the second of two writes by
    40 ms. Keepalive closes the connection of a client that has silently vanished, after
    ``limits.silence``.
    """
    handle = _handle_of(transport)
    if handle.family == socket.AF_UNIX:
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    interval = max(1, round((limits.silence - limits.ping) / PROBES))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, round(limits.ping)))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, interval)
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)


def has_failed(transport: Connection) -> bool:
    """Return whether the client has reset the connection, which nothing tells while none reads."""
    return _handle_of(transport).getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def acknowledged(transport: Connection) -> int | None:
    """Return how many bytes the client's system has taken; None where nothing tells."""
    handle = _handle_of(transport)
    if handle.family == socket.AF_UNIX:
        return None
    found = handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKED.size)
    return int(_ACKED.unpack(found)[0]) if len(found) == _ACKED.size else None


def _handle_of(transport: Connection) -> socket.socket:
    # TLS has no socket itself: its connection is one below.
    below = getattr(transport, "transport", None) if ISSLTransport.providedBy(transport) else None
    handle: socket.socket = (below or transport).getHandle()
    return handle
