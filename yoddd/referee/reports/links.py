"""The files of games, and links to them in the pages of reports."""

from __future__ import annotations

import re
from html import escape
from typing import Final
from urllib.parse import quote

_STRANGE: Final = re.compile(r"[^\w+=.-]|^\.+")
"""What some file system refuses, what a path gives a meaning, and the dots of hidden files."""


def game_file(game_id: str) -> str:
    """The name of the SGF file of a game, which stays in its folder whatever the id is."""
    return _STRANGE.sub("-", game_id.replace(":", "")) + ".sgf"


def href(path: str) -> str:
    """The attribute ``href`` of a link to a file beside the page, whose name may be anybody's.

    Its name is quoted and comes after a folder, so no part of it is a scheme such as
    ``javascript:``.
    """
    return f'href="{escape("./" + quote(path))}"'
