"""The limits in force, which a reload of the configuration can replace."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.daemon.base.machine import machine_memory
from yoddd.daemon.base.settings import Limits

MEMORY_SHARE: Final = 0.75
"""The default of ``limits.memory`` as a part of the machine's or control group's memory."""

TREES_SHARE: Final = 0.25
"""The default of ``limits.trees`` as a part of ``limits.memory``."""


def most_memory(limits: Limits) -> int:
    """Return the bytes above which the process is short of memory."""
    return limits.memory << 20 or int(MEMORY_SHARE * machine_memory())


def tree_memory(limits: Limits) -> int:
    """Return the bytes of all search trees together."""
    return limits.trees << 20 or int(TREES_SHARE * most_memory(limits))


@attrs.define(eq=False)
class CurrentLimits:
    """Holds the limits of a daemon; shared by everything that enforces them.

    A connection keeps the limits that were in force when it began; `Admission` reads them here each
    time.

    Attributes:
        value: the limits of new connections; replaced by a reload, never changed in place.
    """

    value: Limits = attrs.Factory(Limits)
