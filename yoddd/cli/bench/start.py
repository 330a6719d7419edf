"""Start-up times of programs until they answer."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import click

from yoddd.cli.bench.measure import Figure, seconds
from yoddd.cli.main import main

_TWISTED: Final = "import click, twisted.internet.reactor, twisted.internet.stdio"
"""The imports of every such program: the yardstick for the machine."""


def _yoddd(name: str, *arguments: str) -> Figure:
    """Seconds of a command to its end; ``gtp`` gets two requests."""

    def once(variables: Mapping[str, str]) -> None:
        subprocess.run(
            [sys.executable, "-m", "yoddd", *arguments],
            input=b"name\nquit\n",
            stdout=subprocess.DEVNULL,
            check=True,
            env=variables,
        )

    with tempfile.TemporaryDirectory() as folder:
        return Figure(name, seconds(partial(once, _with_bytecode(folder))), "s")


def _with_bytecode(folder: str) -> Mapping[str, str]:
    """The environment, in which modules are compiled once, as those of an installation are.

    Where Python is told not to write bytecode it would compile them at each start.
    """
    variables = dict(os.environ)
    if variables.pop("PYTHONDONTWRITEBYTECODE", None):
        variables["PYTHONPYCACHEPREFIX"] = folder
    return variables


def _helps() -> Mapping[str, Callable[[], Figure]]:
    """The help of every command, the imports of which each run of the command makes, too."""
    names = main.list_commands(click.Context(main))
    return {
        f"start.help.{name}": partial(_yoddd, f"start.help.{name}", name, "--help")
        for name in names
    }


def _python(name: str, code: str) -> Figure:
    """Seconds of ``code`` in a new interpreter, less the start of the interpreter."""

    def once(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    bare, whole = seconds(partial(once, "pass")), seconds(partial(once, code))
    return Figure(name, max(0.0, whole - bare), "s")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "start.gtp": partial(_yoddd, "start.gtp", "gtp"),
    "start.version": partial(_yoddd, "start.version", "--version"),
    **_helps(),
    "start.twisted": partial(_python, "start.twisted", _TWISTED),
    "start.import": partial(_python, "start.import", "import yoddd"),
    "start.board": partial(_python, "start.board", "import yoddd; yoddd.Board()"),
}
