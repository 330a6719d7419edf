"""A ceiling on the memory of all sessions together: above it nobody is let in and no game begins.

Each session is bounded by its own limits; what they can come to together is not, and being killed
by the system is the worst way to find out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.connections.hub import Hub

_EVERY: Final = 1.0
_REASON: Final = "the server is short of memory"


def resident() -> int:
    """Bytes of memory that this process holds."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class MemoryGuard:
    """Looks once a second."""

    log = Logger()

    def __init__(self, hub: Hub) -> None:
        """Watch over ``hub``, whose limits say how much is too much."""
        self._hub = hub
        self._looks = LoopingCall(self.look)
        self._looks.clock = hub.reactor

    def start(self) -> None:
        """Begin to look."""
        self._looks.start(_EVERY)

    def stop(self) -> None:
        """Look no more."""
        if self._looks.running:
            self._looks.stop()

    def look(self) -> None:
        """Shut or open the doors."""
        most, hub = self._hub.limits.memory << 20, self._hub
        is_short = most > 0 and resident() > most
        if is_short and not hub.door.is_short:
            self.log.warn("above limits.memory: nobody is let in")  # noqa: G010 — Twisted's name
            if hub.pairing.reason is None:
                hub.pairing.close(_REASON)
        elif hub.door.is_short and not is_short:
            self.log.info("below limits.memory again")
            if hub.pairing.reason == _REASON:
                hub.pairing.open()
        hub.door.is_short = is_short
