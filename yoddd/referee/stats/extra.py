"""The optional scipy, which sequential tests and joint ratings need."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

HINT: Final = "pip install 'yoddd[stats]'"
"""The hint for an installation without it."""


def has_scipy() -> bool:
    """Whether the extra is installed."""
    return find_spec("scipy") is not None
