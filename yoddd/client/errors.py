"""What can go wrong with an engine that a program drives.

::

    EngineFailure          catch this one to catch them all
    ├── EngineRefusal      it answered ``?``, or does not offer what was asked; go on if you like
    ├── EngineFault        it broke the protocol or chose an illegal turn; do not go on
    ├── EngineGone         it could not be started, or has ended
    └── EngineTimeout      it did not answer in time; do not go on
"""

from __future__ import annotations


class EngineFailure(Exception):
    """Something went wrong with an engine; the text says what."""


class EngineRefusal(EngineFailure):
    """The engine answered ``?`` with this reason, or does not offer what was asked of it."""


class EngineFault(EngineFailure):
    """The engine broke the protocol, or chose what is no legal turn."""


class EngineGone(EngineFailure):
    """The engine could not be started, or has ended."""


class EngineTimeout(EngineFailure):
    """The engine did not answer in time."""
