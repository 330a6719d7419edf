"""JSON values as instances of attrs classes, without implicit conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, get_args, get_origin

from cattrs import (
    AttributeValidationNote,
    ClassValidationError,
    Converter,
    IterableValidationError,
)

from yoddd.notation.errors import BadKey

_T = TypeVar("_T")


def structure(value: object, kind: type[_T]) -> _T:
    """The instance of ``kind``, an attrs class, that ``value`` describes.

    Raises:
        BadKey: a key is missing or has a value of the wrong type.
    """
    try:
        return _CONVERTER.structure(value, kind)
    except ClassValidationError as error:
        raise BadKey(*_first_problem(error)) from None


def _strictly(kind: type, name: str, *also: type) -> Any:
    def structure(value: Any, _type: Any) -> Any:
        if type(value) not in (kind, *also):
            raise ValueError(f"expected {name}")
        try:
            return kind(value)
        except OverflowError:
            raise ValueError("too large a number") from None

    return structure


def _text(value: Any, _type: Any) -> str:
    if type(value) is not str:
        raise ValueError("expected a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        # JSON can escape a lone surrogate, but UTF-8 cannot encode it.
        raise ValueError("half of a surrogate pair") from None
    return value


def _is_tuple(kind: Any) -> bool:
    origin: object = get_origin(kind)
    return origin is tuple


def _list_of(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    """The hook of ``tuple[X, ...]``: a JSON list, and no string, whose letters would do as well."""
    item = get_args(kind)[0]
    structure = converter.get_structure_hook(item)

    def read(value: Any, _type: Any) -> tuple[Any, ...]:
        if type(value) is not list:
            raise ValueError("expected a list")
        return tuple(structure(one, item) for one in value)

    return read


def _converter() -> Converter:
    converter = Converter()
    converter.register_structure_hook_factory(_is_tuple, _list_of)
    converter.register_structure_hook(bool, _strictly(bool, "true or false"))
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
