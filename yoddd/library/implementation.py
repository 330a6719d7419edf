"""The one place that says which implementation of the rules the library plays on."""

from __future__ import annotations

from typing import Final

from yoddd.kernel import best_position
from yoddd.rules import PositionLike

Implementation: Final[type[PositionLike]] = best_position()
"""The native kernel where it is installed, else the plain reference; both pass the same tests."""
