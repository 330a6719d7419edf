"""Extras, the optional dependencies: one message wherever one of them is missing."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


class ExtraMissing(ImportError):
    """An extra is not installed; the text names the command that installs it."""


def missing_text(purpose: str, extra: str) -> str:
    """Return the message that ``purpose`` needs an extra, with the command that installs it.

    The command is for this interpreter's environment: another one's pip would find no yoddd there
    and look for it elsewhere.
    """
    command = f"{shlex.quote(sys.executable)} -m pip install 'yoddd[{extra}]'"
    return f"{purpose}: the extra '{extra}' is not installed; install it with: {command}"


@contextmanager
def needs_extra(purpose: str, extra: str) -> Iterator[None]:
    """Import within this context what an extra holds.

    Raises:
        ExtraMissing: a module other than ours is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "yoddd":
            raise
        raise ExtraMissing(missing_text(purpose, extra)) from error


def has_scipy() -> bool:
    """Whether the extra ``stats`` is installed, for what does without it."""
    return find_spec("scipy") is not None
