"""The pages beside the board: tournaments with their crosstables, and the ladder."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.programs import YODDD, Program
from tests.web.conftest import PHONE, Server, User, new_user
from tests.web.test_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
@pytest.mark.firefox
def test_crosstable_opens_the_games_of_a_pair(user: User) -> None:
    user.open()
    user.page.click(".bar >> text=Tournaments")
    user.page.click("text=cup")
    expect(user.page.locator("h1")).to_have_text("cup")
    expect(user.page.locator("td.pair button")).to_have_count(6)
    expect(user.page.locator("td.self")).to_have_count(3)
    wins = user.page.locator("[aria-label=Crosstable] td:nth-child(5)").all_inner_texts()
    assert sum(map(int, wins)) == 6
    user.page.locator("[aria-label^='ann against bob']").click()
    expect(user.page.locator("main h2").last).to_have_text("ann against bob")
    rows = user.page.locator("[aria-label='ann against bob'] tbody tr")
    expect(rows).to_have_count(2)
    rows.first.locator("a").click()
    user.page.wait_for_function("() => Number(document.getElementById('slider')?.max) > 3")
    players = user.page.locator(".player .who")
    expect(players.filter(has_text=re.compile("^(ann|bob)$"))).to_have_count(2)
    names = players.all_inner_texts()
    assert sorted(names) == ["ann", "bob"]
    expect(user.page.locator("#status")).to_contain_text("wins")
    expect(user.page.locator("#resign")).to_be_disabled()
    user.page.reload()
    expect(user.page.locator("#status")).to_contain_text("wins")
    user.wait_turns(3)
    expect(players).to_have_text(names)


def test_knockout_shows_its_bracket_its_tie_breaks_and_its_champion(
    user: User, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "cup.toml"
    entrants = "".join(f'[[engine]]\nengine = "builtin:random"\nname = "e{n}"\n' for n in range(3))
    for form, folder in (("knockout", "k"), ("round-robin", "rr")):
        file.write_text(f'board = "hex2"\nformat = "{form}"\n{entrants}', encoding="utf-8")
        run = [*YODDD, "tournament", str(file), "--out", str(server.runs / folder)]
        subprocess.run(run, stdout=subprocess.DEVNULL, check=True)
    try:
        user.visit("runs.html#k")
        report = json.loads((server.runs / "k" / "report.json").read_text(encoding="utf-8"))
        expect(user.page.locator("dl").first).to_contain_text(f"Champion{report['champion']}")
        expect(user.page.locator(".bracket section")).to_have_count(2)
        final = user.page.locator(".bracket section").last
        expect(final.locator("h3")).to_have_text("Round 2")
        expect(final.locator("b")).to_have_text(report["champion"])
        user.visit("runs.html#rr")
        head = user.page.locator("[aria-label='Standings'] thead th")
        expect(head.nth(4)).to_have_text("Direct encounter")
        expect(head.nth(5)).to_have_text("Sonneborn-Berger tie-break")
        expect(head.nth(2)).to_have_text("Points")
        expect(head.nth(3)).to_have_text("Games")
        expect(user.page.locator(".bracket")).to_have_count(0)
    finally:
        for folder in ("k", "rr"):
            shutil.rmtree(server.runs / folder)


def test_game_of_a_local_tournament_is_watched_while_it_is_played(
    user: User, server: Server
) -> None:
    match = ["match", "builtin:mcts", "builtin:random", "--board", "hex13", "--clock", "move=1"]
    command = [*YODDD, *match, "--out", str(server.runs / "now")]
    with Program(command, stdout=subprocess.DEVNULL) as tournament:
        user.page.goto(f"{server.url}runs.html#now")
        user.page.click("[aria-label='In play'] a")
        user.wait_turns(1)
        first = user.turns()
        user.wait_turns(first + 1)
        user.page.reload()
        user.wait_turns(first + 1)
        tournament.terminate()
        tournament.rest()
    shutil.rmtree(server.runs / "now")
    # The browser reports in its console that the tournament was not there at first.
    assert all("404" in problem for problem in user.problems)
    user.problems.clear()


def test_crosstable_on_a_phone_scrolls_under_its_names(browser: Browser, server: Server) -> None:
    with new_user(browser, server, viewport=PHONE, is_mobile=True) as user:
        user.visit("runs.html#cup")
        table = user.page.locator("[aria-label=Crosstable]")
        user.settle()
        table.evaluate("one => one.scrollTo({ left: 1000, behavior: 'instant' })")
        assert table.evaluate("one => one.scrollLeft") > 50
        name, frame = table.locator("tbody .name").first.bounding_box(), table.bounding_box()
        assert name is not None
        assert frame is not None
        assert abs(name["x"] - frame["x"]) < 3
        on_top = "([x, y]) => document.elementFromPoint(x, y).textContent"
        spot = [name["x"] + 20, name["y"] + name["height"] / 2]
        assert user.page.evaluate(on_top, spot) == table.locator("tbody .name").first.inner_text()


def test_tournament_that_does_not_exist_is_reported(user: User) -> None:
    user.visit("runs.html")
    expect(user.page.locator(".runs b")).to_have_text("cup")
    expect(user.page.locator(".runs a")).to_contain_text("6 games")
    user.visit("runs.html#league")
    expect(user.page.locator(".empty")).to_contain_text("No such tournament")
    # The browser reports the missing run in its console, too.
    assert all("404" in problem for problem in user.problems)
    user.problems.clear()
    expect(user.page.get_by_role("link", name="Tournaments", exact=True)).to_be_visible()
    expect(user.page.get_by_role("link", name="Ladder")).to_be_hidden()
    user.page.click("text=All tournaments")
    expect(user.page.locator(".runs b")).to_have_text("cup")


def test_ladder_is_shown_per_game(user: User) -> None:
    standing = {"name": "ann", "elo": 123.4, "error": 0.0, "games": 12, "won": 9, "anchor": True}
    fresh = {**standing, "name": "bob", "error": 350.0, "anchor": False, "provisional": True}
    ladder = {"game": "yodd", "board": "hex6", "standings": [standing, fresh]}
    user.page.route(
        "**/api/ladder", lambda route: route.fulfill(body=json.dumps({"ladders": [ladder]}))
    )
    user.visit("ladder.html")
    expect(user.page.locator("main h2")).to_have_text("Yodd, hexagon of 6")
    rows = user.page.locator("main tbody tr")
    expect(rows.last).to_contain_text("bob (provisional)")
    assert rows.first.inner_text().split() == [
        *("1", "ann", "(fixed)", "1623", "\u2013", "12", "75", "%")
    ]
    assert violations(user) == []
