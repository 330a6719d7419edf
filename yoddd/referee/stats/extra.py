"""Whether scipy is there: sequential tests and joint ratings need it, nothing else does."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

HINT: Final = "pip install 'yoddd[stats]'"
"""What to do where it is missing."""


def has_scipy() -> bool:
    """Whether the extra is installed."""
    return find_spec("scipy") is not None
