"""Notifications of the state of the daemon to systemd; see sd_notify(3)."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TextIO


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


def sign_interval() -> float | None:
    """Seconds between two signs of life (``WATCHDOG=1``), half of what systemd allows.

    None where it expects none of this process; see sd_watchdog_enabled(3).
    """
    allowed, process = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID")
    if not allowed.isdecimal() or int(allowed) == 0 or process not in (None, str(os.getpid())):
        return None
    return int(allowed) / 2e6


def writes_to_journal(stream: TextIO | None) -> bool:
    """Whether a stream is the journal's, which reads a level such as ``<4>`` before a line."""
    device, colon, number = os.environ.get("JOURNAL_STREAM", "").partition(":")
    if stream is None or not colon:
        return False
    with suppress(OSError, ValueError):
        found = os.fstat(stream.fileno())
        return (found.st_dev, found.st_ino) == (int(device), int(number))
    return False
