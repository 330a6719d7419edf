"""The answer to ``twist yoddd`` of 0.2, which is gone; it stays until 0.4.

The wheel has it in ``twisted/plugins``, where ``twist`` finds it, and ``make`` links it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from twisted.application.service import ServiceMaker
from twisted.python import usage

from yoddd.gone import NAMES, removal


class Options(usage.Options):
    """The command line, of which nothing is read."""

    def parseOptions(self, options: Sequence[str] | None = None) -> NoReturn:
        """Say what to use instead."""
        del options
        raise usage.UsageError(f"twist {removal('twist yoddd', NAMES)}")


yoddd = ServiceMaker("yoddd", __name__, "removed: use yoddd serve", "yoddd")
