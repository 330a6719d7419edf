"""Log-in in the page, rated games, profiles and the archive, with a real store."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.daemon.stores import TOKENS, make_store
from tests.support.programs import until
from tests.support.reviews import PUZZLES
from tests.web.conftest import DESK, Server, User, new_user, serving
from tests.web.test_lobby import begin_with_turn, drop
from tests.web.test_page import violations
from tests.web.test_puzzles_page import kept, right, solve

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the accounts of the tests."""
    folder: Path = tmp_path_factory.mktemp("accounts")
    store = make_store(folder / "store.sqlite")
    with serving(folder, "--set", "registration=true", "--store", str(store)) as one:
        yield one


def log_in(user: User, name: str, token: str | None = None) -> None:
    user.page.click("#login-open")
    user.page.fill("#login-dialog [name=username]", name)
    user.page.fill("#login-dialog [name=password]", token or TOKENS[name])
    user.page.click("#login-dialog button.solid")


@contextmanager
def logged_in(browser: Browser, server: Server, *names: str) -> Iterator[list[User]]:
    with ExitStack() as stack:
        users = [stack.enter_context(new_user(browser, server, viewport=DESK)) for _ in names]
        for user, name in zip(users, names, strict=True):
            user.open()
            log_in(user, name)
            expect(user.page.locator(".account a")).to_have_text(name)
        yield users


def test_rated_game_is_played_and_then_in_profiles_ladder_and_archive(
    browser: Browser, server: Server
) -> None:
    with logged_in(browser, server, "ann", "bob") as (ann, bob):
        ann.open_offer()
        expect(ann.page.locator("#lobby-dialog [name=name]")).to_have_value("ann")
        ann.page.select_option("#lobby-dialog [name=board]", "hex3")
        ann.page.select_option("#lobby-dialog [name=seat]", "b")
        ann.page.select_option("#lobby-dialog [name=rated]", "yes")
        ann.page.select_option("#lobby-dialog [name=accept]", "one")
        ann.page.fill("#lobby-dialog [name=rival]", "bob")
        ann.page.click("text=Create the game")
        ann.wait_status("Waiting for an opponent")
        bob.page.click("#lobby-open")
        expect(bob.page.locator("tr", has_text="ann is waiting")).to_contain_text("rated · for bob")
        bob.page.click("[aria-label='Join: ann is waiting']")
        ann.wait_status("Black to move")
        drop(ann, ("c3", "b"))
        bob.wait_turns(1)
        bob.resign()
        ann.wait_status("ann wins")

        ann.page.click(".account a")
        expect(ann.page.locator("h1")).to_have_text("ann")
        expect(ann.page.locator(".facts")).to_contain_text(re.compile("Won\\s*1"))
        expect(ann.page.locator("[aria-label=Ratings] tbody")).to_contain_text("Yodd, hexagon of 3")
        row = ann.page.locator("[aria-label='Latest games'] tbody tr")
        expect(row).to_contain_text("won (resign)")
        assert violations(ann) == []
        ann.page.click("text=Search and download")
        expect(ann.page.locator("[aria-label=Games] tbody tr")).to_have_count(1)
        assert violations(ann) == []
        with ann.page.expect_download() as download:
            ann.page.click("text=Download as JSONL")
        record = json.loads(Path(download.value.path()).read_text())
        assert (record["black"], record["winner"], record["turns"]) == ("ann", "b", ["1c3"])
        ann.page.fill("[name=opponent]", "cid")
        ann.page.get_by_role("button", name="Search", exact=True).click()
        expect(ann.page.locator(".empty")).to_contain_text("No such game")
        expect(ann.page.get_by_role("link", name="Tournaments")).to_be_hidden()
        ann.page.get_by_role("link", name="Ladder").click()
        ann.page.click("th.name >> text=bob")
        expect(ann.page.locator(".facts")).to_contain_text(re.compile("Lost\\s*1"))
        ann.page.click("[aria-label='Latest games'] td a >> nth=0")
        ann.wait_status("^ann wins by resignation")
        expect(ann.page.locator("#after h2")).to_have_text("ann won")
        expect(ann.page.locator("#play")).to_be_hidden()


@pytest.mark.gate
@pytest.mark.firefox
def test_user_makes_and_renews_a_private_feed(browser: Browser, server: Server) -> None:
    with logged_in(browser, server, "bob") as (bob,):
        bob.page.click(".account a")
        address = bob.page.locator("#feed-address")
        made: list[str] = []
        for _ in range(2):
            bob.page.click("#feed-make")
            bob.page.wait_for_function(
                "old => !['', old].includes(document.querySelector('#feed-address')?.value ?? '')",
                arg="".join(made),
            )
            made.append(address.input_value())
        statuses = [bob.page.request.get(one).status for one in made]
        assert (statuses, made[1].startswith(server.url)) == ([404, 200], True)
        assert "games of bob" in bob.page.request.get(made[1]).text()
        bob.page.reload()
        expect(bob.page.locator("#feed-make")).to_have_text("Renew the address")
        expect(address).to_have_count(0)
        bob.page.click("#feed-end")
        expect(bob.page.locator("#feed-make")).to_have_text("Make a private address")


def test_log_in_lasts_and_log_out_ends_it(browser: Browser, server: Server) -> None:
    with logged_in(browser, server, "cid") as (cid,):
        cid.page.reload()
        expect(cid.page.locator(".account a")).to_have_text("cid")
        cid.visit("user.html")
        expect(cid.page.locator("h1")).to_have_text("cid")
        cid.page.click("#log-out")
        expect(cid.page.locator("#login-open")).to_be_visible()
        expect(cid.page.locator("#sheet")).to_contain_text("Whose profile?")


def test_log_in_with_a_wrong_token_says_so(user: User) -> None:
    user.open()
    log_in(user, "ann", "guess")
    expect(user.page.locator("#login-dialog .problem")).to_have_text("wrong name or token")
    assert violations(user) == []
    # The browser reports the refusal in its console, too.
    assert all("401" in problem for problem in user.problems)
    user.problems.clear()


def test_rating_graph_shows_its_course(user: User) -> None:
    point = {"game": "yodd", "board": "hex3", "elo": 10.0, "error": 90.0}
    course = [{**point, "games": 2 + n, "elo": 10.0 * n, "computed": "x"} for n in range(5)]
    profile: dict[str, object] = {
        "name": "eve",
        "created": "2026-11-21T12:00:00Z",
        "anchor": None,
        "kind": "human",
    }
    profile |= {"games": 6, "won": 4, "lost": 2, "course": course}
    profile["ratings"] = [{**point, "games": 6, "won": 4}]
    user.page.route("**/api/user/eve", lambda route: route.fulfill(body=json.dumps(profile)))
    user.visit("user.html#eve")
    graph = user.page.locator("svg.course")
    expect(graph).to_have_attribute(
        "aria-label", "Rating in Yodd, hexagon of 3: from 1500 to 1539 in 6 games"
    )
    expect(graph.locator("circle")).to_have_count(5)
    assert violations(user) == []


def test_seat_of_an_account_is_taken_on_another_device(browser: Browser, server: Server) -> None:
    with logged_in(browser, server, "ann", "bob") as (ann, bob):
        ann.open_offer()
        ann.page.select_option("#lobby-dialog [name=board]", "hex3")
        ann.page.select_option("#lobby-dialog [name=seat]", "b")
        ann.page.click("text=Create the game")
        ann.wait_status("Waiting for an opponent")
        bob.page.click("#lobby-open")
        bob.page.click("[aria-label='Join: ann is waiting']")
        ann.wait_status("Black to move")
        drop(ann, ("b2", "b"))
        bob.wait_turns(1, exactly=True)
        with logged_in(browser, server, "ann") as (device,):
            device.page.click("#lobby-open")
            mine = device.page.locator("#my-games")
            expect(mine).to_contain_text("against bob")
            mine.locator("button").first.click()
            device.wait_turns(1, exactly=True)
            bob.pass_turn()
            device.wait_turns(2, exactly=True)
            device.pass_turn()
            bob.wait_status("wins")


def test_page_of_a_server_that_requires_a_login_connects_after_it(
    browser: Browser, tmp_path: Path
) -> None:
    store = make_store(tmp_path / "store.sqlite")
    with (
        serving(tmp_path, "--login", "--store", str(store)) as closed,
        new_user(browser, closed, viewport=DESK) as user,
    ):
        user.page.goto(closed.url)
        expect(user.page.locator("#login-open")).to_be_visible()
        expect(user.page.locator("body.offline")).to_have_count(1)
        log_in(user, "ann")
        expect(user.page.locator(".account a")).to_have_text("ann")
        expect(user.page.locator("body.offline")).to_have_count(0)
        user.page.reload()
        expect(user.page.locator("body.offline")).to_have_count(0)
        user.problems.clear()  # the browser logs each connection that is refused


def test_visitor_makes_an_account_and_keeps_the_games(
    browser: Browser, server: Server, user: User, other: User
) -> None:
    begin_with_turn(user, other, "nia", "oto")
    other.resign()
    user.wait_status("nia wins")
    user.page.click("#login-open")
    user.page.fill("#login-dialog [name=username]", "ann")
    user.page.get_by_role("button", name="Make an account").click()
    expect(user.page.locator("#login-dialog .problem")).to_contain_text("the name ann is taken")
    user.page.fill("#login-dialog [name=username]", "nia")
    user.page.get_by_role("button", name="Make an account").click()
    expect(user.page.locator("#new-token")).not_to_have_value("")
    token = user.page.locator("#new-token").input_value()
    assert violations(user) == []
    user.page.click("text=I have saved it")
    expect(user.page.locator(".account a")).to_have_text("nia")
    user.visit("games.html#player=nia")
    expect(user.page.locator("[aria-label=Games] tbody tr")).to_have_count(1)
    user.problems.clear()  # the browser logs the name that is refused
    with new_user(browser, server, viewport=DESK) as device:
        device.open()
        log_in(device, "nia", token)
        expect(device.page.locator(".account a")).to_have_text("nia")


def test_puzzles_of_an_account_are_those_of_all_its_devices(
    browser: Browser, server: Server
) -> None:
    first, second = PUZZLES["yodd-hex3-0"], PUZZLES["yodd-hex3-1"]
    with logged_in(browser, server, "bob", "bob") as (here, there):
        for user, puzzle in ((here, first), (there, second)):
            user.visit(f"puzzles.html#puzzle={puzzle.id}")
            with user.page.expect_response("**/api/puzzles?**") as response:
                solve(user, puzzle, right(puzzle))
            assert response.value.status == 200
            expect(user.page.locator(".answer.right")).to_contain_text("wins")
        here.page.reload()
        expect(here.page.locator(".task")).to_contain_text("Solved: 2 of")
        # It is kept once its page has joined what the account has.
        until(lambda: kept(here) == kept(there))
        # Another user of the browser begins with what is theirs.
        here.page.context.clear_cookies()
        here.open()
        log_in(here, "cid")
        expect(here.page.locator(".account a")).to_have_text("cid")
        here.visit(f"puzzles.html#puzzle={first.id}")
        expect(here.page.locator(".task")).to_contain_text("Solved: 0 of")
