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


def script_elements(data: Mapping[str, object], modules: Sequence[str]) -> str:
    """Return the elements of a page's data and of the script that reads it from ``#data``.

    Args:
        data: values that JSON can hold, by name.
        modules: the paths of JavaScript modules, each behind those that it imports; together they
            become one module, so no name may be declared twice.
    """
    # An escaped "<" in a name cannot end the script element.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    code = "".join(_EXPORT.sub("", _IMPORT.sub("", read_resource(path))) for path in modules)
    return (
        f'<script type="application/json" id="data">{text}</script>'
        f'<script type="module">{code}</script>'
    )
