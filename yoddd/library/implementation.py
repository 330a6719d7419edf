"""The implementation of the rules that the library plays on."""

from __future__ import annotations

from typing import Final

from yoddd.kernel import best_position
from yoddd.rules import PositionLike

Implementation: Final[type[PositionLike]] = best_position()
"""The native kernel if it is installed, else the plain reference; both pass the same tests."""
