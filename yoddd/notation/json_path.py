"""Access to a decoded JSON value that names the path of whatever does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import attrs

from yoddd.notation.errors import NotationError

_T = TypeVar("_T")

_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number"}


@attrs.frozen
class JsonPath:
    """A value and the path that leads to it, such as ``header.players[0].name``."""

    value: Any
    path: str = ""

    def error(self, reason: str) -> NotationError:
        """The error of this value."""
        return NotationError(f"{self.path}: {reason}" if self.path else reason)

    def expect(self, kind: type[_T]) -> _T:
        """The value itself.

        Raises:
            NotationError: it is of another type.
        """
        if type(self.value) is not kind:
            raise self.error(f"expected {_NAMES[kind]}")
        return self.value

    def get(self, key: str) -> JsonPath | None:
        """The value of a key of an object; None where it is absent or null."""
        value = self.expect(dict).get(key)
        return None if value is None else self._inner(value, key)

    def __getitem__(self, key: str) -> JsonPath:
        found = self.get(key)
        if found is None:
            raise self._inner(None, key).error("missing")
        return found

    def _inner(self, value: object, key: str) -> JsonPath:
        return JsonPath(value, f"{self.path}.{key}" if self.path else key)

    def items(self) -> Iterator[JsonPath]:
        """The values of a list."""
        for at, value in enumerate(self.expect(list)):
            yield JsonPath(value, f"{self.path}[{at}]")
