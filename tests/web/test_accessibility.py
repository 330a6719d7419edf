"""Every page and every state of the board by axe, in each theme and on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from tests.daemon.stores import make_store
from tests.support.runs import write_archive
from tests.web.conftest import DESK, Server, User, new_user, serving
from tests.web.test_page import violations
from tests.web.test_page_review import GAME as LOST

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex5&black=person&white=person&turns=1e5.1c3,2g5.2g4"
OVER = "game=yodd&board=hex3&black=person&white=person&turns=1c3.pass.pass"
SOLVED = "game=xodd&board=square3&black=person&white=person&turns=1b2"
WIDE: Final = {"viewport": {"width": 1440, "height": 900}}
PHONE: Final = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
VARIANTS: Final[Mapping[str, dict[str, Any]]] = {
    "light": WIDE,
    "dark": WIDE,
    "contrast": {"viewport": DESK},
    "light phone": PHONE,
    "dark phone": PHONE,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with accounts and a tournament."""
    folder: Path = tmp_path_factory.mktemp("accessible")
    write_archive(folder / "runs" / "cup")
    runs, store = folder / "runs", make_store(folder / "store.sqlite")
    with serving(runs, "--store", str(store), "--runs", str(runs)) as one:
        yield one


def drop(user: User) -> None:
    user.open(GAME)
    user.cell("a1").click()


def press(user: User, button: str) -> None:
    """Press a button, also one in the menu of a phone."""
    user.page.dispatch_event(button, "click")


def analyse(user: User, game: str = GAME, found: str = "#lines li") -> None:
    user.open(game)
    press(user, "#analyse")
    press(user, "#analysis-tab")
    expect(user.page.locator(found).first).to_be_visible()


def weigh_policy(user: User) -> None:
    analyse(user)
    user.page.get_by_text("Policy", exact=True).click()
    expect(user.page.locator(".heat .spot").first).to_be_visible()


def board_menu(user: User) -> None:
    user.open(GAME)
    press(user, "#board-menu-open")
    expect(user.page.locator("#board-menu")).to_be_visible()


def end(user: User) -> None:
    user.open(OVER)
    user.wait_status("wins|draw")


def dialog(button: str) -> Callable[[User], None]:
    def opened(user: User) -> None:
        user.open(GAME)
        press(user, button)
        expect(user.page.locator("dialog[open]")).to_be_visible()

    return opened


def lesson(number: int, *labels: str, answer: str | None = None) -> Callable[[User], None]:
    """A step of the lessons of Yodd, with stones on it."""

    def reach(user: User) -> None:
        shown(f"learn.html#yodd.{number}")(user)
        for label in labels:
            user.cell(label).click()
        if answer is not None:
            expect(user.page.locator(f".answer.{answer}")).to_be_visible()

    return reach


def judge(user: User) -> None:
    user.open(LOST)
    press(user, "#after [data-after=review]")
    expect(user.page.locator("#review .judged")).to_have_count(2)
    user.page.locator("[data-review=before]").click()
    expect(user.page.locator("#review .verdict")).to_be_visible()


def puzzle(user: User) -> None:
    user.visit("puzzles.html#puzzle=yodd-hex3-0")
    user.page.locator(".cell[aria-label$=', empty']").first.click()


def study(user: User) -> None:
    user.open(GAME)
    user.page.keyboard.press("Home")
    user.cell("a1").click()
    press(user, "#play")
    user.page.keyboard.press("!")
    user.page.locator("#moves .variation .turn").first.click(button="right")
    expect(user.page.locator("#turn-menu")).to_be_visible()


def shown(name: str) -> Callable[[User], None]:
    """A page that is drawn without waiting for the server."""

    def reach(user: User) -> None:
        user.page.goto(f"{user.server.url}{name}")
        expect(user.page.locator("h1")).to_be_visible()

    return reach


def refused_position(user: User) -> None:
    shown("editor.html")(user)
    user.cell("h8").click()
    user.cell("a1").click()
    expect(user.page.locator("#problem")).not_to_be_empty()


def page(name: str) -> Callable[[User], object]:
    return lambda user: user.visit(name)


STATES: Final[Mapping[str, Callable[[User], object]]] = {
    "the board": lambda user: user.open(),
    "a first stone": drop,
    "analysis": analyse,
    "policy": weigh_policy,
    "a solved board": lambda user: analyse(user, SOLVED, "#table li"),
    "a game that is over": end,
    "the board's menu": board_menu,
    "a study": study,
    "a review": judge,
    "new game": dialog("#new"),
    "lobby": dialog("#lobby-open"),
    "settings": dialog("#settings-open"),
    "share": dialog("#files-open"),
    "help": dialog("#help-open"),
    "log in": dialog("#login-open"),
    "the position editor": shown("editor.html"),
    "a position that is refused": refused_position,
    "lessons": shown("learn.html"),
    "a lesson": lesson(1, "a1", "g2"),
    "a wrong answer": lesson(6, "a1", answer="wrong"),
    "a right answer": lesson(6, "d4", answer="right"),
    "the first puzzle": page("puzzles.html"),
    "the puzzle of the day": page("puzzles.html#day"),
    "a puzzle": puzzle,
    "rules": shown("rules.html#product"),
    "runs": page("runs.html"),
    "a run": page("runs.html#cup"),
    "ladder": page("ladder.html"),
    "games": page("games.html"),
    "a user": page("user.html#ann"),
}


def check_state(browser: Browser, server: Server, variant: str, state: str) -> None:
    with new_user(browser, server, **VARIANTS[variant]) as user:
        settings = json.dumps({"theme": variant.partition(" ")[0], "number": True})
        keep = f"localStorage.setItem('yoddd.settings', '{settings}')"
        user.page.add_init_script(f"if (location.host) {keep}")
        STATES[state](user)
        user.settle()
        assert violations(user) == []


@pytest.mark.gate
def test_board_is_accessible(browser: Browser, server: Server) -> None:
    check_state(browser, server, "light", "the board")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("state", STATES)
def test_every_state_of_every_page_is_accessible(
    browser: Browser, server: Server, variant: str, state: str
) -> None:
    check_state(browser, server, variant, state)


@pytest.mark.firefox
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_first_visit_is_accessible(browser: Browser, server: Server, scheme: str) -> None:
    options: dict[str, Any] = {"viewport": DESK, "color_scheme": scheme}
    with new_user(browser, server, is_first_visit=True, **options) as user:
        user.page.goto(server.url)
        expect(user.page.locator("#welcome .small-board .stone").first).to_be_attached()
        user.settle()
        assert violations(user) == []
