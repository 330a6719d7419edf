"""The error of a text that does not follow the notation, with its place."""

from __future__ import annotations

from functools import partial


class NotationError(ValueError):
    """A text that does not follow the notation.

    Attributes:
        reason: a short description of the problem.
        line: the line it stands on, from 1.
        column: the column it begins at, from 1.
    """

    def __init__(self, reason: str, *, column: int = 1, line: int = 1) -> None:
        """Keep the reason and the place."""
        super().__init__(reason, line, column)
        self.reason = reason
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # Unpickling passes `args` by position, but `line` and `column` are keyword-only.
        return partial(NotationError, line=self.line, column=self.column), (self.reason,)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"

    def moved(self, *, line: int = 0, column: int = 0) -> NotationError:
        """Return this error with its place in a larger text: ``line`` and ``column`` are added."""
        return NotationError(self.reason, line=self.line + line, column=self.column + column)


class BadKey(Exception):
    """A value in a JSON object that does not fit.

    Attributes:
        key: which key is to blame; empty if the value as such is.
        reason: a short description of the problem.
    """

    def __init__(self, key: str, reason: str) -> None:
        """Blame ``key``."""
        super().__init__(key, reason)
        self.key = key
        self.reason = reason
