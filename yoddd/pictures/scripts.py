"""The script and the data of a page that loads nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)


def read_resource(path: str) -> str:
    """Return the text of a file of this package, such as ``web/js/svg.js``."""
    return files("yoddd").joinpath(*path.split("/")).read_text(encoding="utf-8")


def data_element(name: str, data: Mapping[str, object] | Sequence[object]) -> str:
    """Return the element ``#name`` of a page, whose text is ``data`` as JSON."""
    # An escaped "<" in a text cannot end the element.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def script_elements(data: Mapping[str, object], modules: Sequence[str]) -> str:
    """Return the elements of a page's data and of the script that reads it from ``#data``.

    Args:
        data: values that JSON can hold, by name.
        modules: the paths of JavaScript modules, each behind those that it imports; together they
            become one module, so no name may be declared twice.
    """
    code = "".join(_EXPORT.sub("", _IMPORT.sub("", read_resource(path))) for path in modules)
    return f'{data_element("data", data)}<script type="module">{code}</script>'
