"""Names of 0.2 that are gone: they are read until 0.4, have no effect, and warn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

_SOLVED: Final = "small boards are solved when they are needed, without a setting"

GONE: Final[Mapping[str, str]] = {
    "tables": _SOLVED,
    "build_tables": _SOLVED,
    "--tables": _SOLVED,
    "--build-tables": _SOLVED,
}
"""What is instead, by the name of a key or parameter, or of an option with a value (``--NAME``)."""


def warning(name: str) -> str:
    """Return the warning about a name of `GONE`."""
    return f"{name} is gone and has no effect: {GONE[name]}"


def without_gone(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without removed keys, with a FutureWarning for each of these."""
    for name in GONE.keys() & values.keys():
        warnings.warn(warning(name), FutureWarning, stacklevel=2)
    return {name: value for name, value in values.items() if name not in GONE}
