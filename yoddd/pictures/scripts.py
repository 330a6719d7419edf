"""Files of this package, and data inside a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files


def read_resource(path: str) -> str:
    """Return the text of a file of this package, such as ``web/js/base/svg.js``."""
    return files("yoddd").joinpath(*path.split("/")).read_text(encoding="utf-8")


def data_element(name: str, data: Mapping[str, object] | Sequence[object]) -> str:
    """Return the element ``#name`` of a page, whose text is ``data`` as JSON."""
    # An escaped "<" in a text cannot end the element.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
