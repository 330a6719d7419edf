"""The texts of the page: the catalogues of its languages, and the texts in its shells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any, Final

from yoddd.pictures.scripts import read_resource

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de", "es")

_NAMED: Final = re.compile(r'(<[^<>]*?) data-t="([^"]*)"([^<>]*>(?:<i [^<>]*></i>)?)')
"""A start tag that names its texts: a key for the text in it, behind an icon if there is one, and
NAME=KEY for attributes."""


@cache
def read_catalogue(language: str) -> Mapping[str, Any]:
    """Return the texts of a language by key: a string, or strings by plural category."""
    if language == ENGLISH:  # a module, so that it costs no request
        module = read_resource("web/js/en.js")
        text = module[module.index("{") : module.rindex("}") + 1]
    else:
        text = read_resource(f"web/texts/{language}.json")
    texts: dict[str, Any] = json.loads(text)
    return texts


def write_texts(source: str, language: str = ENGLISH) -> str:
    """Return HTML with the texts that its elements name; the names stay, for another language."""
    texts = read_catalogue(language)

    def write(found: re.Match[str]) -> str:
        text, attributes = "", ""
        for part in found[2].split(" "):
            name, _, key = part.rpartition("=")
            if name:
                attributes += f' {name}="{escape(texts[key])}"'
            else:
                text = escape(texts[key], quote=False)
        return f'{found[1]}{attributes} data-t="{found[2]}"{found[3]}{text}'

    return _NAMED.sub(write, source)
