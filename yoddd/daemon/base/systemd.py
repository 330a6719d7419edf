"""Notifications of the state of the daemon to systemd; see sd_notify(3)."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Send ``state``, such as ``READY=1``; does nothing unless systemd supervises the process."""
    path = os.environ.get("NOTIFY_SOCKET", "")
    if path[:1] not in ("/", "@"):
        return
    address = "\0" + path[1:] if path.startswith("@") else path
    # The notification is optional: the daemon runs without a service manager, too.
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.connect(address)
        sender.sendall(state.encode())
