"""The settings in force, and the limits of memory that follow from the machine without a key."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from yoddd.system import memory

if TYPE_CHECKING:
    from yoddd.daemon.base.settings import Limits, Settings


class CurrentSettings:
    """Holds the settings in force; shared by everything that a live key concerns.

    A connection keeps the limits that were in force when it began; all else reads them here each
    time and keeps no copy, so that a reload has replaced every one at once.
    """

    def __init__(self, value: Settings | None = None) -> None:
        """Hold settings; None for the defaults."""
        # Replaced by a reload, never changed in place; None until defaults are read.
        self._value = value

    @property
    def value(self) -> Settings:
        """The settings; a reload replaces them."""
        if self._value is None:
            # Not at import: `yoddd gtp` reads none, and would take a tenth longer to start.
            from yoddd.daemon.base.settings import Settings

            self._value = Settings()
        return self._value

    @value.setter
    def value(self, value: Settings) -> None:
        self._value = value

    @property
    def limits(self) -> Limits:
        """The limits in force."""
        return self.value.limits


# -- memory ---------------------------------------------------------------------------------

_machine_memory: Final = cache(memory)

MEMORY_SHARE: Final = 0.75
"""The default of ``limits.memory`` as a part of the machine's or control group's memory."""

TREES_SHARE: Final = 0.25
"""The default of ``limits.trees`` as a part of ``limits.memory``."""


def most_memory(limits: Limits) -> int:
    """Return the bytes above which the process is short of memory."""
    return limits.memory << 20 or int(MEMORY_SHARE * _machine_memory())


def tree_memory(limits: Limits) -> int:
    """Return the bytes of all search trees together."""
    return limits.trees << 20 or int(TREES_SHARE * most_memory(limits))
