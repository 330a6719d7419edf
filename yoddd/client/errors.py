"""The errors of an engine that a program drives.

::

    EngineFailure          the base of them all
    ├── EngineRefusal      it replied ``?``, or lacks what was asked for; it can still be used
    ├── EngineFault        it broke the protocol or chose an illegal turn; do not use it again
    ├── EngineGone         it could not be started, or has ended
    └── EngineTimeout      it did not reply in time; do not use it again
"""

from __future__ import annotations


class EngineFailure(Exception):
    """An engine failed; the text says how."""


class EngineRefusal(EngineFailure):
    """The engine replied ``?`` with this reason, or lacks what was asked for."""


class EngineFault(EngineFailure):
    """The engine broke the protocol, or chose an illegal turn."""


class EngineGone(EngineFailure):
    """The engine could not be started, or has ended."""


class EngineTimeout(EngineFailure):
    """The engine did not reply in time."""
