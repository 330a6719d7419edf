"""The pages that are made from one shell."""

from __future__ import annotations

import json
import re

import pytest

from yoddd.daemon.pages.shell import NAVIGATION, PAGES, Page, render_error, render_pages
from yoddd.referee.game.facts import facts

LINK = re.compile(
    r'<a href="([^"]+)"( aria-current="page")?(?: hidden data-if="\w+")?'
    r' data-t="([^"]+)">[^<]+</a>'
)
SOURCES = render_pages()

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)


def links_of(page: Page) -> list[tuple[str, str, str]]:
    found = re.search(
        r'<nav class="pages" aria-label="Main"[^>]*>(.*?)</nav>', SOURCES[page.path], re.DOTALL
    )
    assert found is not None
    return LINK.findall(found[1])


@every_page
def test_page_links_to_the_others_and_says_which_one_it_is(page: Page) -> None:
    links = links_of(page)
    assert {href: key for href, _, key in links} == NAVIGATION
    here = [href for href, current, _ in links if current]
    assert here == ([page.address] if page.address in NAVIGATION else [])
    assert "$" not in re.sub(r"<script.*?</script>", "", SOURCES[page.path])
    held = re.search(
        r'<script type="application/json" id="facts">(.*?)</script>', SOURCES[page.path]
    )
    assert held is not None
    assert json.loads(held[1]) == facts()
    # On a phone the same links are in the menu that this button opens.
    assert 'popovertarget="menu" aria-label="Menu"' in SOURCES[page.path]


@pytest.mark.parametrize(
    ("accepted", "language", "title"),
    [
        ("", "en", "There is no such page"),
        ("fr,en;q=0.5", "en", "There is no such page"),
        ("de-AT,de;q=0.9,en;q=0.5", "de", "Diese Seite gibt es nicht"),
    ],
)
def test_missing_page_is_in_the_language_of_the_request(
    accepted: str, language: str, title: str
) -> None:
    source = render_error("missing", "../", accepted)
    assert f'<html lang="{language}"' in source
    assert f">{title}</h1>" in source
    assert 'href="../games.html"' in source
