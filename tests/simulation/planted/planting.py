"""Plants faults in the daemon: each a few words of a function that are replaced by others."""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

FOUND: Final = Path(__file__).parent / "found.txt"
"""The plan that has found each fault, which is tried first."""


@attrs.frozen
class Planted:
    """A fault.

    Attributes:
        name: a few words.
        module: below ``yoddd``.
        function: the path of the function in its module.
        old: words of its source.
        new: what they become.
    """

    name: str
    module: str
    function: str
    old: str
    new: str

    @contextmanager
    def plant(self) -> Iterator[None]:
        """Let the daemon have the fault for a while.

        Raises:
            LookupError: the source has not these words, exactly once.
        """
        owner: Any = importlib.import_module(f"yoddd.{self.module}")
        for part in self.function.split("."):
            owner = inspect.getattr_static(owner, part)
        function: Any = owner.fget if isinstance(owner, property) else owner
        function = inspect.unwrap(function)
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise LookupError(f"{self.name}: {self.function} has {source.count(self.old)} of it")
        tree = ast.parse(source.replace(self.old, self.new))
        tree.body[0].decorator_list = []  # type: ignore[attr-defined]  # a function
        made: dict[str, Any] = {}
        flags = __future__.annotations.compiler_flag
        code = compile(tree, inspect.getfile(function), "exec", flags)
        exec(code, function.__globals__, made)  # noqa: S102 — our own text
        kept = function.__code__
        # Its code, not the function itself, of which tables of commands have references.
        function.__code__ = made[function.__name__].__code__
        try:
            yield
        finally:
            function.__code__ = kept


def found() -> dict[str, str]:
    """The plans that have found the faults, by their names."""
    lines = FOUND.read_text(encoding="utf-8").splitlines() if FOUND.exists() else []
    pairs = [line.partition(" | ") for line in lines]
    return {name: plan for name, _, plan in pairs}
