"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.5) -> str:
    """Return ``; did you mean 'NAME'?`` with the known name that is most alike, or nothing.

    Args:
        name: as it was written.
        known: the names that exist.
        likeness: from 0 to 1, the least that the suggestion has to resemble `name`.
    """
    near = difflib.get_close_matches(name, list(known), 1, likeness)
    return f"; did you mean {near[0]!r}?" if near else ""
