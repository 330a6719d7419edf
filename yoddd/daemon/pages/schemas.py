"""JSON Schemas of types: of typed dictionaries, of classes of attrs, and of what these hold."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, Final, NotRequired, get_args, get_origin, get_type_hints

GAME_NAME: Final = "^[a-z][a-z0-9]{0,30}$"

_PLAIN: Final[Mapping[Any, Mapping[str, Any]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    Any: {},
}
_MOMENT: Final = {"format": "date-time", "description": "ISO 8601 in UTC."}
_BY_NAME: Final[Mapping[str, Mapping[str, Any]]] = {
    "game": {"pattern": GAME_NAME},
    "kind": {"enum": ["human", "engine", None]},
    "winner": {
        "enum": ["b", "w", None],
        "description": "The participant who began as that colour; null for a void game.",
    },
    "times": {"items": {"type": "number", "minimum": 0}},
    **dict.fromkeys(("started", "ended", "updated", "created", "computed"), _MOMENT),
}
"""What a field of this name has besides its type, in every class."""


def descriptions(kind: type) -> dict[str, str]:
    """The texts of the fields of a class by its docstring; empty for those that it leaves out."""
    text = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:")[2]
    said = {
        name: " ".join(about.split())
        for name, about in re.findall(r"^    (\w+): (.+(?:\n {8,}.+)*)", text, re.MULTILINE)
    }
    return {name: _sentence(said.get(name, "")) for name in get_type_hints(kind)}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


class Schemas:
    """The schemas of types, those that have a name as references to it."""

    def __init__(self, names: Mapping[type, str]) -> None:
        """Create it; ``names`` are the names of types in the document."""
        self._names = names

    def of(self, hint: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Annotated, NotRequired):
            return {**self.of(arguments[0]), **(getattr(hint, "__metadata__", ({},))[0])}
        if origin is UnionType:  # of a type and None
            found = self.of(arguments[0])
            return {**found, "type": [found["type"], "null"]}
        if origin is dict:
            rest = self.of(arguments[1])
            return {"type": "object", **({"additionalProperties": rest} if rest else {})}
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(arguments[0])}
        if hint in self._names:
            return {"$ref": f"#/components/schemas/{self._names[hint]}"}
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
        return self.of_class(hint)

    def of_class(self, kind: type, fields: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the schema of a class; or of some of its fields, without their descriptions."""
        hints = get_type_hints(kind, include_extras=True)
        about = descriptions(kind) if fields is None else {}
        names = list(hints if fields is None else fields)
        properties = {
            name: {
                **self.of(hints[name]),
                **_BY_NAME.get(name, {}),
                **({"description": about[name]} if about.get(name) else {}),
            }
            for name in names
        }
        required = [name for name in names if get_origin(hints[name]) is not NotRequired]
        return {"type": "object", "required": required, "properties": properties}
