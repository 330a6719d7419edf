"""The pages beside the board: tournaments with their crosstables, and the ladder."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import TELEPHONE, Person, Server, somebody
from tests.web.test_page import violations

pytestmark = pytest.mark.browser


def test_from_the_board_to_a_crosstable_to_a_game(person: Person) -> None:
    person.open()
    person.page.click(".bar >> text=Tournaments")
    person.page.click("text=cup")
    expect(person.page.locator("h1")).to_have_text("cup")
    expect(person.page.locator("td.pair button")).to_have_count(6)
    expect(person.page.locator("td.self")).to_have_count(3)
    wins = person.page.locator("[aria-label=Crosstable] td:nth-child(5)").all_inner_texts()
    assert sum(map(int, wins)) == 6
    person.page.locator("[aria-label^='ann against bob']").click()
    expect(person.page.locator("h2").last).to_have_text("ann against bob")
    rows = person.page.locator("[aria-label='ann against bob'] tbody tr")
    expect(rows).to_have_count(2)
    rows.first.locator("a").click()
    person.page.wait_for_function("() => Number(document.getElementById('slider')?.max) > 3")
    names = person.page.locator(".player .who").all_inner_texts()
    assert sorted(names) == ["ann", "bob"]
    person.page.keyboard.press("End")
    expect(person.page.locator("#status")).to_contain_text("wins")
    person.page.reload()
    person.wait_turns(3)
    assert person.page.locator(".player .who").all_inner_texts() == names


def test_the_list_of_tournaments_and_one_that_is_not_there(person: Person) -> None:
    person.visit("runs.html")
    expect(person.page.locator(".runs b")).to_have_text("cup")
    expect(person.page.locator(".runs a")).to_contain_text("6 games")
    person.visit("runs.html#league")
    expect(person.page.locator(".empty")).to_contain_text("No such tournament")
    # The browser says in its console what the page says better.
    assert all("404" in problem for problem in person.problems)
    person.problems.clear()
    person.page.click("text=All tournaments")
    expect(person.page.locator(".runs b")).to_have_text("cup")


def test_a_ladder_that_nobody_keeps(person: Person) -> None:
    person.visit("ladder.html")
    expect(person.page.locator(".empty")).to_contain_text("keeps no ladder")


def test_a_ladder_is_shown_game_by_game(person: Person) -> None:
    standing = {"name": "ann", "elo": 1523.4, "error": 61.0, "games": 12, "won": 9, "anchor": True}
    ladder = {"game": "yodd", "board": "hex6", "standings": [standing]}
    person.page.route(
        "**/api/ladder", lambda route: route.fulfill(body=json.dumps({"ladders": [ladder]}))
    )
    person.visit("ladder.html")
    expect(person.page.locator("h2")).to_have_text("Yodd, hex6")
    assert person.page.locator("tbody tr").all_inner_texts()[0].split() == [
        *("1", "ann", "(fixed)", "1523", "61", "12", "75", "%")
    ]
    assert violations(person) == []


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_no_violation_on_the_pages_in_any_theme(person: Person, theme: str) -> None:
    person.page.add_init_script(
        f"localStorage.setItem('yoddd.settings', '{json.dumps({'theme': theme})}')"
    )
    for page in ("runs.html", "runs.html#cup", "ladder.html"):
        person.visit(page)
        assert violations(person) == [], page


@pytest.mark.parametrize("page", ["runs.html", "runs.html#cup", "ladder.html"])
def test_the_pages_fit_a_telephone(browser: Browser, server: Server, page: str) -> None:
    with somebody(browser, server, viewport=TELEPHONE, is_mobile=True) as person:
        person.visit(page)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
