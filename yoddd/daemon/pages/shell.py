"""The pages for browsers, made from one shell: its head, its navigation and the facts.

Elements name their texts by the attribute ``data-t``; the catalogues are read here.

``yoddd/web/shell`` has the shell, ``page.html``, and what differs between pages. Nothing in that
folder is served as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from string import Template
from typing import Any, Final

import attrs

from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.negotiation import best_language
from yoddd.pictures.scripts import data_element, read_resource
from yoddd.protocol.arguments import LONGEST_NAME
from yoddd.referee.game.facts import facts
from yoddd.rules.games import GAMES

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de", "es")

_NAMED: Final = re.compile(r'(<[^<>]*?) data-t="([^"]*)"([^<>]*>(?:<i [^<>]*></i>)?)')
"""A start tag that names its texts: a key for the text in it, after an icon if there is one, and
NAME=KEY for attributes."""


@cache
def read_catalogue(language: str) -> Mapping[str, Any]:
    """Return the texts of a language by key: a string, or strings by plural category."""
    if language == ENGLISH:  # a module, so that it costs no request
        module = read_resource("web/js/base/en.js")
        text = module[module.index("{") : module.rindex("}") + 1]
    else:
        text = read_resource(f"web/texts/{language}.json")
    texts: dict[str, Any] = json.loads(text)
    return texts


def write_texts(source: str, language: str = ENGLISH) -> str:
    """Return HTML with the texts that its elements name; the names stay, for another language.

    A text that the language lacks is English.
    """
    texts = {**read_catalogue(ENGLISH), **read_catalogue(language)}

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


FOLDER: Final = "shell"
"""The folder within ``yoddd/web``."""

NAVIGATION: Final = {
    "./": "nav.play",
    "learn.html": "nav.learn",
    "puzzles.html": "nav.puzzles",
    "runs.html": "nav.runs",
    "ladder.html": "nav.ladder",
    "games.html": "nav.games",
}
"""The keys of the links that every page has, by their addresses."""

OCCASIONAL: Final = {"runs.html": "runs", "ladder.html": "ladder"}
"""The links that are hidden until the reply of ``/api/session`` says that there is something behind
them, with the names there."""


@attrs.frozen
class Page:
    """A page of the site.

    Attributes:
        path: its path on the site.
        script: the module that it runs.
        styles: its style sheets besides ``style.css``.
        look: the class of its body.
        content: the file of its content.
        bar: the file of what it adds to its head; empty without.
        title: the key of its title; empty for that of its link, if there is one.
    """

    path: str
    script: str
    styles: tuple[str, ...] = ("pages.css",)
    look: str = "page"
    content: str = "sheet.html"
    bar: str = ""
    title: str = ""

    @property
    def address(self) -> str:
        """The address of the page in links."""
        return "./" if self.path == "index.html" else self.path


PAGES: Final = (
    Page(
        "index.html",
        "play/main.js",
        ("learn.css", "study.css", "grades.css", "judge.css"),
        look="",
        content="board.html",
        bar="board-bar.html",
    ),
    Page(
        "editor.html",
        "pages/editor.js",
        ("study.css",),
        look="editor",
        content="editor.html",
        title="editor.title",
    ),
    Page("learn.html", "pages/learn.js", ("pages.css", "learn.css")),
    Page("puzzles.html", "pages/puzzles.js", ("pages.css", "learn.css", "judge.css")),
    Page("rules.html", "pages/rulespage.js", ("pages.css", "learn.css"), title="learn.rules"),
    Page("runs.html", "pages/runs.js"),
    Page("ladder.html", "pages/ladder.js"),
    Page("games.html", "pages/archive.js"),
    Page("user.html", "pages/user.js", title="terms.user"),
)

STATIC: Final = ("index.html", "editor.html", "learn.html", "puzzles.html", "rules.html")
"""The pages that need no server."""

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data: blob:; media-src blob:; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""The sources that a page may load from."""


def render_pages() -> dict[str, str]:
    """Return the HTML of every page, by path."""
    return {page.path: _render(page) for page in PAGES}


def render_error(name: str, root: str, accepted: str) -> str:
    """Return the page of an error; it has no script to choose its language.

    Args:
        name: ``missing`` for an address that leads nowhere, ``refused`` for a method that is none
            of its own.
        root: the address of the site.
        accepted: the header ``Accept-Language``.
    """
    language = best_language(accepted, LANGUAGES, ENGLISH)
    source = Template(_read("error.html")).substitute(name=name, root=root, language=language)
    return write_texts(source, language)


def render_static_pages(data: str) -> dict[str, str]:
    """Return the HTML of the pages of a site without a server.

    Args:
        data: the folder of the lessons and puzzles, with a slash at its end.
    """
    pages = [page for page in PAGES if page.path in STATIC]
    return {page.path: _render(page, data) for page in pages}


def render_file() -> str:
    """Return the HTML of the board in a file of its own, without links, engine and policy."""
    return _render(PAGES[0], "./", is_alone=True)


def _render(page: Page, data: str = "", *, is_alone: bool = False) -> str:
    addresses = [one.address for one in PAGES if not data or one.path in STATIC]
    linked = [] if is_alone else [one for one in NAVIGATION if one in addresses]
    *titles, last = (escape(game.title) for game in GAMES.values())
    is_of_site = data and not is_alone
    target, place = ("sheet", "content") if page.content == "sheet.html" else ("board", "board")
    title = page.title or NAVIGATION.get(page.path)
    source = Template(_read("page.html")).substitute(
        games=f"{', '.join(titles)} and {last}",
        title=f' data-t="{title}"> &ndash; yoddd' if title else ">yoddd",
        styles="".join(map(_style, ("style.css", *page.styles))),
        script=page.script,
        look=page.look,
        target=target,
        place=place,
        navigation="".join(_link(page, one) for one in linked),
        dialogs=_part("dialogs.html"),
        bar=_part("static-bar.html" if data and page.bar else page.bar),
        policy=policy_element(POLICY) if is_of_site else "",
        installed="" if is_alone else _INSTALLED,
        static=f' data-static="{data}"' if data else "",
        content=_part(page.content),
        engine="" if is_alone else _engine(shipped_engine().worker),
        facts=data_element("facts", facts()),
    )
    return write_texts(source)


def _read(name: str) -> str:
    return read_resource(f"web/{FOLDER}/{name}")


def _part(name: str) -> str:
    return Template(_read(name)).substitute(longest_name=LONGEST_NAME) if name else ""


def _style(path: str) -> str:
    return f'  <link rel="stylesheet" href="{path}">\n'


def policy_element(policy: str) -> str:
    """Return the line of a page that has its policy."""
    return f'  <meta http-equiv="Content-Security-Policy" content="{policy}">\n'


_INSTALLED: Final = (
    '  <link rel="manifest" href="manifest.webmanifest">\n'
    '  <link rel="apple-touch-icon" href="icon-192.png">\n'
)


def _engine(worker: str) -> str:
    return f'  <meta name="engine" content="{worker}">\n' if worker else ""


def _link(page: Page, address: str) -> str:
    state = ' aria-current="page"' if page.address == address else ""
    if address in OCCASIONAL:
        state += f' hidden data-if="{OCCASIONAL[address]}"'
    return f'<a href="{address}"{state} data-t="{NAVIGATION[address]}"></a>'
