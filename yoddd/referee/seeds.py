"""Derived seeds: the same match seed gives the same games on every machine."""

from __future__ import annotations

import hashlib
from typing import Final

_BITS: Final = 31
"""GTP integers are 31 bits wide, and ``set_param seed`` takes one."""


def derive_seed(seed: int, *path: int) -> int:
    """The seed of the part that ``path`` names, from 0 to 2**31 - 1."""
    text = "/".join(str(number) for number in (seed, *path))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - _BITS)
