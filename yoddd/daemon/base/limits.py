"""The limits of memory that follow from the machine where no key sets them."""

from __future__ import annotations

from functools import cache
from typing import Final

from yoddd.daemon.base.settings import Limits
from yoddd.system import memory

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
