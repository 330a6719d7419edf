"""The answer to ``twist yoddd`` of 0.2, which is gone; it stays until 0.4.

The wheel has it in ``twisted/plugins``, where ``twist`` finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from twisted.application.service import ServiceMaker
from twisted.python import usage


class Options(usage.Options):
    """The command line, of which nothing is read."""

    def parseOptions(self, options: Sequence[str] | None = None) -> NoReturn:
        """Say what to use instead."""
        del options
        raise usage.UsageError("twist yoddd was removed: use yoddd serve, with the same options")


yoddd = ServiceMaker("yoddd", __name__, "removed: use yoddd serve", "yoddd")
