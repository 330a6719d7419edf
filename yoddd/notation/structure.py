"""Values of JSON as instances of attrs classes, nothing converted that is not what it says."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from cattrs import (
    AttributeValidationNote,
    ClassValidationError,
    Converter,
    IterableValidationError,
)

_T = TypeVar("_T")


class StructureError(Exception):
    """The value is no instance.

    Attributes:
        key: which key is to blame; empty if the value as such is.
        reason: what is wrong with it.
    """

    def __init__(self, key: str, reason: str) -> None:
        """Blame ``key``."""
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason


def structure(value: object, kind: type[_T]) -> _T:
    """The instance of ``kind``, an attrs class, that ``value`` describes.

    Raises:
        StructureError: it describes none.
    """
    try:
        return _CONVERTER.structure(value, kind)
    except ClassValidationError as error:
        raise StructureError(*_first_problem(error)) from None


def _strictly(kind: type, name: str, *also: type) -> Any:  # noqa: ANN401 — any value comes in
    def structure(value: Any, _type: Any) -> Any:  # noqa: ANN401 — as cattrs calls its hooks
        if type(value) not in (kind, *also):
            raise ValueError(f"expected {name}")
        try:
            return kind(value)
        except OverflowError:
            raise ValueError("too large a number") from None

    return structure


def _text(value: Any, _type: Any) -> str:  # noqa: ANN401 — likewise
    if type(value) is not str:
        raise ValueError("expected a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        # JSON can spell it, but no file can hold it.
        raise ValueError("half of a surrogate pair") from None
    return value


def _converter() -> Converter:
    converter = Converter()
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(int, _strictly(int, "a whole number"))
    converter.register_structure_hook(float, _strictly(float, "a number", int))
    return converter


_CONVERTER: Final = _converter()


def _first_problem(error: Exception) -> tuple[str, str]:
    """The key to blame and what is wrong, out of the tree of errors that cattrs raises."""
    key = ""
    while isinstance(error, ClassValidationError | IterableValidationError):
        first = error.exceptions[0]
        for note in getattr(first, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                key = note.name
        error = first
    if isinstance(error, KeyError):
        return str(error.args[0]), "missing"
    return key, str(error) if isinstance(error, ValueError) else "expected a list or an object"
