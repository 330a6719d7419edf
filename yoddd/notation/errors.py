"""What is wrong with a text, and where."""

from __future__ import annotations

from functools import partial


class NotationError(ValueError):
    """A text that does not follow the notation.

    Attributes:
        reason: what is wrong, in a few words.
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
        # Exceptions are unpickled with all of `args` by position, which ours does not take.
        return partial(NotationError, line=self.line, column=self.column), (self.reason,)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"

    def moved(self, *, line: int = 0, column: int = 0) -> NotationError:
        """The same error seen from a larger text: ``line`` and ``column`` are added."""
        return NotationError(self.reason, line=self.line + line, column=self.column + column)
