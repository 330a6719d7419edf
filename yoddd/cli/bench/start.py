"""Start-up times of programs until they answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from yoddd.cli.bench.measure import Figure, seconds

_TWISTED: Final = "import click, twisted.internet.reactor, twisted.internet.stdio"
"""The imports of every such program: the yardstick for the machine."""


def _gtp(name: str) -> Figure:
    def once() -> None:
        subprocess.run(
            [sys.executable, "-m", "yoddd", "gtp"],
            input=b"name\nquit\n",
            stdout=subprocess.DEVNULL,
            check=True,
        )

    return Figure(name, seconds(once), "s")


def _python(name: str, code: str) -> Figure:
    """Seconds of ``code`` in a new interpreter, less the start of the interpreter."""

    def once(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    bare, whole = seconds(partial(once, "pass")), seconds(partial(once, code))
    return Figure(name, max(0.0, whole - bare), "s")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "start.gtp": partial(_gtp, "start.gtp"),
    "start.twisted": partial(_python, "start.twisted", _TWISTED),
    "start.import": partial(_python, "start.import", "import yoddd"),
    "start.board": partial(_python, "start.board", "import yoddd; yoddd.Board()"),
}
