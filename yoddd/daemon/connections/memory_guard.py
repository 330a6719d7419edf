"""A ceiling on the memory of the process: above it connections are refused and no game starts.

Each session has limits of its own, but their sum has none; without this ceiling the system would
kill the process.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.async_service import AsyncService
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.connections.services import Services

_EVERY: Final = 1.0
_REASON: Final = "the server is short of memory"


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class MemoryGuard(AsyncService):
    """Compares the resident memory with ``limits.memory`` once a second."""

    log = Logger()

    def __init__(self, services: Services, start_gate: StartGate) -> None:
        """Create it for the admission and the limits of ``services``."""
        super().__init__()
        self._limits = services.current_limits
        self._admission = services.admission
        self._start_gate = start_gate
        self._looks = LoopingCall(self.look)
        self._looks.clock = services.reactor

    async def start(self) -> None:
        """Begin to look."""
        self._looks.start(_EVERY)

    async def stop(self) -> None:
        """Stop looking."""
        if self._looks.running:
            self._looks.stop()

    def look(self) -> None:
        """Refuse or allow connections and games, by the memory that is held now."""
        most = self._limits.value.memory << 20
        admission, gate = self._admission, self._start_gate
        is_short = most > 0 and resident() > most
        if is_short and not admission.is_short_of_memory:
            self.log.warn("above limits.memory: connections are refused")  # noqa: G010 — Twisted's name
            if gate.reason is None:
                gate.close(_REASON)
        elif admission.is_short_of_memory and not is_short:
            self.log.info("below limits.memory again")
            if gate.reason == _REASON:
                gate.open()
        admission.is_short_of_memory = is_short
