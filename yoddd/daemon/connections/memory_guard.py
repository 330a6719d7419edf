"""The limit on the memory of the process: above it connections are refused and no game starts.

Before that, the trees that are kept between searches are dropped.

The limits of single sessions do not bound their sum. Without this limit the system would kill the
process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs

from yoddd.daemon.base.admission.start_gate import StartGate
from yoddd.daemon.base.limits import most_memory
from yoddd.daemon.base.process.async_service import RegularService
from yoddd.daemon.connections.services import Services
from yoddd.system import page_size

_REASON: Final = "the server is short of memory"


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * page_size()


@attrs.define(eq=False, slots=False)
class MemoryGuard(RegularService):
    """Compares the resident memory with ``limits.memory`` once a second."""

    _services: Services
    _start_gate: StartGate

    async def look(self) -> None:
        """Refuse or admit connections and games, by the memory in use."""
        limit = most_memory(self._services.limits)
        admission, gate = self._services.admission, self._start_gate
        is_short = resident() > limit
        if is_short:
            self._services.trees.evict_all()
            is_short = resident() > limit
        if is_short and not admission.is_short_of_memory:
            self.log.warn("above limits.memory: connections are refused")
            if gate.reason is None:
                gate.close(_REASON)
        elif admission.is_short_of_memory and not is_short:
            self.log.info("below limits.memory again")
            if gate.reason == _REASON:
                gate.open()
        admission.is_short_of_memory = is_short
