"""The folder that outlives a clone: what was built, by its content, and the ledger of flaky tests.

It is named by ``YODDD_CI_CACHE``, or lies below the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


def folder() -> Path:
    """Return the folder, which need not exist."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("YODDD_CI_CACHE") or caches / "yoddd-ci")


def key(files: Iterable[Path], *words: str) -> str:
    """Return the digest of all that a build depends on: its files, flags and tools."""
    digest = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        digest.update(f"\0{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def keep(out: Path, name: str, build: Callable[[], None]) -> bool:
    """Copy what was built under this name to ``out``, or build it there and keep it.

    Returns:
        Whether it was built.
    """
    kept = folder() / "built" / name
    if kept.is_file():
        shutil.copyfile(kept, out)
        return False
    build()
    kept.parent.mkdir(parents=True, exist_ok=True)
    half = kept.with_suffix(f".{os.getpid()}")
    shutil.copyfile(out, half)
    half.replace(kept)  # at once, since another clone may read it
    return True
