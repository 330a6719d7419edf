"""Offers, refereed games and spectators."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, expect

from tests.support.programs import YODDD, Program
from tests.web.conftest import DESK, Server, User, new_user

pytestmark = [pytest.mark.browser, pytest.mark.whole]


def fill_offer(user: User, name: str, **choices: str) -> None:
    """Offer a game as Black on hex3, with further choices of the form."""
    user.open_offer()
    for field, value in {"name": name, "board": "hex3", "seat": "b", **choices}.items():
        control = user.page.locator(f"#lobby-dialog [name={field}]")
        if control.evaluate("one => one.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    user.page.click("text=Create the game")


def offer(user: User, name: str, *, modules: bool = False, **choices: str) -> None:
    user.open(modules=modules)
    fill_offer(user, name, **choices)
    user.wait_status("Waiting for an opponent")


def join(user: User, name: str, host: str) -> None:
    user.open()
    user.page.click("#lobby-open")
    user.page.fill("#lobby-dialog [name=name]", name)
    user.page.click(f"[aria-label='Join: {host} is waiting']")
    # The game shown before has the same status.
    expect(user.page.locator("#player-0 .who")).to_have_text(host)
    user.wait_status("Black to move")


def drop(user: User, *stones: tuple[str, str]) -> None:
    chosen = "w" if user.page.is_checked("input[name=colour][value='1']") else "b"
    for label, colour in stones:
        user.cell(label).click(button="left" if colour == chosen else "right")
    user.page.click("#play")


def begin(user: User, other: User, first: str, second: str) -> None:
    """Begin a game by an offer of the first user, who plays Black."""
    offer(user, first)
    join(other, second, first)
    user.wait_status("Black to move")


def begin_with_turn(user: User, other: User, first: str, second: str) -> None:
    """Begin a game by an offer, and play its first turn."""
    begin(user, other, first, second)
    drop(user, ("c3", "b"))
    other.wait_turns(1)


@pytest.mark.gate
@pytest.mark.firefox
def test_lobby_two_users_play_each_other(user: User, other: User) -> None:
    offer(user, "ann", modules=True)
    join(other, "bob", "ann")
    user.wait_status("Black to move")
    # The hint key does nothing in a refereed game.
    user.page.evaluate("import('./js/play/main.js').then(({ app }) => app.hint())")
    expect(user.page.locator(".stone.pending")).to_have_count(0)
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    drop(other, ("a1", "b"), ("a3", "w"))
    user.wait_turns(2)
    user.wait_count("2", "1", "3")
    expect(other.page.locator("#pass")).to_be_disabled()
    # After a reload the user plays on with the key that the browser kept.
    user.page.reload()
    user.wait_turns(2)
    user.pass_turn()
    other.wait_turns(3)
    other.pass_turn()
    user.wait_status("bob wins")
    other.wait_status("bob wins")


CUT = """
  window.sockets = [];
  window.away = false;
  class Nowhere extends EventTarget {
    readyState = 0;
    close() { this.dispatchEvent(new Event('close')); }
  }
  window.WebSocket = class extends WebSocket {
    constructor(...words) {
      if (window.away) {
        const nowhere = new Nowhere();
        window.sockets.push(nowhere);
        return nowhere;
      }
      super(...words);
      window.sockets.push(this);
    }
  };
"""
"""Lets a test break the connections of a page, and keep new ones waiting while ``away``."""


def cut(user: User) -> None:
    """Every connection of the page breaks."""
    user.page.evaluate("for (const one of window.sockets.splice(0)) one.close()")


def lose_connection(user: User) -> None:
    """The connection breaks, and every new one waits."""
    user.page.evaluate("window.away = true")
    cut(user)


def find_connection(user: User) -> None:
    """The connection that waits breaks, and the next one does not."""
    user.page.wait_for_function("() => window.sockets.length > 0")
    user.page.evaluate("window.away = false")
    cut(user)


def fail_to_connect(user: User) -> None:
    """Let enough attempts fail, by the page's own clock, for the page to be offline."""
    for _ in range(6):
        user.page.clock.fast_forward(16_000)
        cut(user)


@pytest.mark.gate
@pytest.mark.firefox
def test_refereed_game_after_a_lost_connection_goes_on(user: User, other: User) -> None:
    user.page.add_init_script(CUT)
    offer(user, "fay")
    lose_connection(user)
    user.wait_status("reconnecting")
    find_connection(user)
    user.wait_status("Waiting for an opponent")
    join(other, "gus", "fay")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    lose_connection(user)
    user.wait_status("reconnecting")
    drop(other, ("a1", "b"), ("a3", "w"))
    find_connection(user)
    user.wait_status("Black to move")
    user.wait_turns(2, exactly=True)
    user.pass_turn()
    other.wait_turns(3)
    # A game that the user has left changes nothing on the page.
    user.start_new_game()
    user.wait_status("^Black to move$")


def test_lobby_after_a_lost_connection_lists_its_games_again(user: User, other: User) -> None:
    offer(other, "hal")
    user.page.add_init_script(CUT)
    user.open()
    user.page.click("#lobby-open")
    joining = user.page.locator("[aria-label='Join: hal is waiting']")
    expect(joining).to_be_visible()
    lose_connection(user)
    expect(user.page.get_by_text("The server is not connected.")).to_be_visible()
    find_connection(user)
    expect(joining).to_be_visible()


@contextmanager
def attached(server: Server, *names: str, plays: str = "") -> Iterator[None]:
    where = f"127.0.0.1:{server.text_port}"
    engine = [*YODDD, "gtp", "--engine", "random"]
    with ExitStack() as running:
        for name in names:
            stated = [part for word in plays.split() for part in ("--plays", word)]
            command = [*YODDD, "connect", where, "--as", name, *stated, "--", *engine]
            program = running.enter_context(Program(command, stdout=subprocess.DEVNULL))
            running.callback(program.rest)
            running.callback(program.terminate)
        yield


def test_refereed_game_of_two_engines_can_be_watched(user: User, server: Server) -> None:
    match = ["match", "tcp:one", "tcp:two", "--board", "hex3", "--games", "1", "--wait", "120"]
    where = f"127.0.0.1:{server.text_port}"
    with attached(server, "one", "two"):
        with Program([*YODDD, *match, "--daemon", where]) as playing:
            _, errors = playing.rest()
            assert playing.returncode == 0, errors
        user.open()
        user.page.click("#lobby-open")
        user.page.click(":is([aria-label^='Watch: '], [aria-label^='View: '])[aria-label*='one']")
        user.wait_status("(one|two) wins")
    user.wait_turns(4)
    user.page.keyboard.press("Home")
    user.wait_count("0", "0", "0")


def test_lobby_offers_an_engine_only_the_games_that_it_plays(user: User, server: Server) -> None:
    form = user.page.locator("#offer")
    board, clock, rival = (form.locator(f"[name={one}]") for one in ("board", "clock", "opponent"))
    with attached(server, "narrow", plays="boards=hex3..hex5 clock=60..1800"):
        user.open()
        user.open_offer()
        user.page.fill("#lobby-dialog [name=name]", "lou")
        choice = rival.locator("option[value=narrow]")
        boards, clocks = "hexagon of 3 \u2013 hexagon of 5", "1 min \u2013 30 min"
        expect(choice).to_have_text(f"narrow (engine): {boards} · {clocks}")
        expect(choice).to_be_disabled()  # on hex8
        board.select_option("hex4")
        expect(choice).to_be_disabled()  # without a clock
        clock.select_option("600+5")
        expect(choice).to_be_enabled()
        rival.select_option("narrow")
        board.select_option("hex6")
        expect(choice).to_be_disabled()
        user.page.click("text=Create the game")
        assert rival.evaluate("one => one.validationMessage").startswith("narrow (engine): ")
        expect(form).to_be_visible()
        board.select_option("hex4")
        expect(choice).to_be_enabled()
        form.locator("[name=seat]").select_option("b")
        user.page.click("text=Create the game")
        user.wait_status("Black to move")


def test_lobby_tile_offers_a_game_and_pairs_with_the_next_one(user: User, other: User) -> None:
    for one, name in ((user, "ida"), (other, "jan")):
        one.open()
        one.page.click("#lobby-open")
        one.page.fill("#lobby-dialog [name=name]", name)
        expect(one.page.locator("#lobby-dialog .tiles button")).to_have_count(4)
        expect(one.page.locator("#lobby-dialog [name=clock]")).not_to_be_visible()
        one.page.click("#lobby-dialog .tiles [data-board=hex4]")
        one.wait_status("Waiting for an opponent" if one is user else "Black to move")
    user.wait_status("Black to move")
    names = user.page.locator(".player .who")
    expect(names.filter(has_text=re.compile("^(ida|jan)$"))).to_have_count(2)
    expect(user.page.locator("#player-0 .clock")).to_contain_text(":")
    user.resign()
    other.wait_status("jan wins")
    other.page.click("#lobby-open")
    expect(other.page.locator("#my-games")).to_contain_text("over")


@pytest.mark.gate
def test_lobby_says_that_games_are_over_and_has_no_rated_ones_without_an_account(
    user: User, other: User, browser: Browser, server: Server
) -> None:
    offer(user, "lea")
    join(other, "mo", "lea")
    with new_user(browser, server, viewport=DESK) as spectator:
        spectator.open()
        spectator.page.click("#lobby-open")
        spectator.page.click("[aria-label^='Watch: lea']")
        spectator.wait_status("Black to move")
        user.resign()
        spectator.wait_status("mo wins")
        user.page.click("#after >> text=Rematch")
        expect(other.page.locator("#agreement")).to_contain_text("lea asks for a rematch")
        other.page.click("#agreement button >> text=Agree")
        for one in (user, other, spectator):
            expect(one.page.locator("#player-0 .who")).to_have_text("mo")
            one.wait_status("Black to move")
        drop(other, ("c3", "b"))
        user.wait_turns(1)
        spectator.open_offer()
        row = spectator.page.locator("tr", has_text="mo wins").first
        expect(row.locator("button")).to_have_text("View")
        expect(spectator.page.locator("#lobby-dialog [name=rated]")).not_to_be_visible()


def test_friend_is_invited_to_the_game_that_was_asked_for_while_the_engine_is_played(
    user: User, other: User
) -> None:
    user.open()
    user.page.click("#lobby-open")
    user.page.fill("#lobby-name", "nia")
    for name, value in {"board": "hex3", "seat": "w", "clock": "600+5"}.items():
        user.page.select_option(f"[name=link-{name}]", value)
    user.page.click("text=Invite a friend")
    expect(user.page.locator("#invite-expiry")).to_contain_text("valid until")
    link = user.page.input_value("#invite-link")
    expect(user.page.locator("#link")).to_have_value(re.compile("board=hex3$"))
    expect(user.page.locator("#position-line")).to_have_value(re.compile("^yodd hex3 "))
    user.page.click("#files-dialog .solid")
    expect(user.page.locator("#player-1 .who")).to_have_text("nia")
    expect(user.page.locator("#status")).to_contain_text("10 min + 5 s a turn · unrated")
    user.page.click("#agreement >> text=Play the engine meanwhile")
    expect(user.page.locator("#player-1 .who")).to_have_text("Engine 4")
    expect(user.page.locator("#return")).to_contain_text("waiting for your friend, open until")
    drop(user, ("c3", "b"))
    user.wait_turns(2)
    look_away = "(is) => { Object.defineProperty(document, 'hidden', { get: () => is,"
    look_away += " configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    user.page.evaluate(look_away, True)
    other.open(link.partition("#")[2])
    expect(other.page.locator("#join-text")).to_contain_text("nia invites you")
    other.page.fill("#join-name", "pia")
    other.page.click("#join-game")
    expect(user.page.locator("#player-0 .who")).to_have_text("pia")
    expect(user.page).to_have_title(re.compile("● Your game has begun"))
    assert user.turns() == 0
    expect(user.page.locator("#status")).to_contain_text("pia is here")
    for one in (user, other):
        expect(one.page.locator("#player-0 .note")).to_contain_text("first turn until")
        expect(one.page.locator("#player-0 .clock")).to_have_text("10:00")
    user.page.evaluate(look_away, False)
    expect(user.page).to_have_title(re.compile("^Yodd, hexagon of 3"))
    drop(other, ("c3", "b"))
    user.wait_turns(1)
    other.page.goto("about:blank")
    other.open(link.partition("#")[2])
    expect(other.page.locator("#join-text")).to_contain_text("The game has begun without you")
    expect(other.page.locator("#join-game")).to_be_hidden()
