"""The navigation, which every page has in its own file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "yoddd" / "web").glob("*.html"))
LINK = re.compile(r'<a href="([^"]+)"( aria-current="page")?>([^<]+)</a>')


def links_of(page: Path) -> list[tuple[str, str, str]]:
    found = re.search(
        r'<nav class="pages" aria-label="Main">(.*?)</nav>', page.read_text(), re.DOTALL
    )
    assert found is not None, f"{page.name} has no navigation"
    return [(href, text, current) for href, current, text in LINK.findall(found[1])]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_navigation_of_any_page_is_that_of_the_board(page: Path) -> None:
    board = [(href, text) for href, text, _ in links_of(page.with_name("index.html"))]
    assert len(board) > 3
    assert [(href, text) for href, text, _ in links_of(page)] == board
    here = [href for href, _, current in links_of(page) if current]
    own = "./" if page.name == "index.html" else page.name
    assert here == ([own] if own in dict(board) else [])
    # On a phone the same links are in the menu that this button opens.
    assert 'popovertarget="menu" aria-label="Menu"' in page.read_text()
    for href, _ in board:
        assert href == "./" or page.with_name(href).exists()
