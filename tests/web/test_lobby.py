"""People who meet in the lobby, and people who watch."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.web.conftest import PATIENCE, YODDD, Person, Server

pytestmark = pytest.mark.browser


def offer(person: Person, name: str, board: str = "hex3") -> None:
    person.open()
    person.page.click("#watch-open")
    person.page.fill("#watch-dialog [name=name]", name)
    person.page.select_option("#watch-dialog [name=board]", board)
    person.page.select_option("#watch-dialog [name=seat]", "b")
    person.page.click("text=Offer the game")
    person.wait_status("Waiting for an opponent")


def join(person: Person, name: str, host: str) -> None:
    person.open()
    person.page.click("#watch-open")
    person.page.fill("#watch-dialog [name=name]", name)
    person.page.click(f"[aria-label='Join: {host} waits']")
    person.wait_status("Black to move")


def drop(person: Person, *stones: tuple[str, str]) -> None:
    for label, button in stones:
        person.cell(label).click(button="right" if button == "w" else "left")
    person.page.click("#play")


def test_two_browsers_play_each_other(person: Person, other: Person) -> None:
    offer(person, "ann")
    join(other, "bob", "ann")
    person.wait_status("Black to move")
    # No key asks the engine for advice in a game that a referee counts.
    person.page.evaluate("import('./js/main.js').then(({ app }) => app.hint())")
    assert person.page.locator(".stone.pending").count() == 0
    drop(person, ("c3", "b"))
    other.wait_turns(1)
    drop(other, ("a1", "b"), ("a3", "w"))
    person.wait_turns(2)
    person.wait_count("2", "1", "3")
    expect(other.page.locator("#pass")).to_be_disabled()
    # Whoever loses the page goes on with the key that the browser kept.
    person.page.reload()
    person.wait_turns(2)
    person.page.click("#pass")
    other.wait_turns(3)
    other.page.click("#pass")
    person.wait_status("bob wins")
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


def cut(person: Person) -> None:
    """Every connection of the page breaks."""
    person.page.evaluate("for (const one of window.sockets.splice(0)) one.close()")


def test_a_game_goes_on_over_a_new_connection(person: Person, other: Person) -> None:
    person.page.add_init_script(CUT)
    offer(person, "fay")
    cut(person)
    person.wait_status("trying again")
    person.wait_status("Waiting for an opponent")
    join(other, "gus", "fay")
    drop(person, ("c3", "b"))
    other.wait_turns(1)
    cut(person)
    person.wait_status("trying again")
    drop(other, ("a1", "b"), ("a3", "w"))
    person.wait_status("Black to move")
    person.wait_turns(2, exactly=True)
    person.page.click("#pass")
    other.wait_turns(3)
    # Whoever leaves a game is not told of it any more.
    person.page.click("#new")
    person.page.click("#new-dialog button[value=start]")
    person.wait_status("^Black to move$")


def test_the_lobby_is_back_with_the_connection(person: Person, other: Person) -> None:
    offer(other, "hal")
    person.page.add_init_script(CUT)
    person.open()
    person.page.click("#watch-open")
    joining = person.page.locator("[aria-label='Join: hal waits']")
    expect(joining).to_be_visible()
    person.page.evaluate("window.away = true")
    cut(person)
    expect(person.page.get_by_text("The server is not connected.")).to_be_visible()
    person.page.evaluate("window.away = false")
    person.page.wait_for_function("window.sockets.length > 0")
    cut(person)
    expect(joining).to_be_visible()


def test_a_turn_out_of_turn_cannot_be_made(person: Person, other: Person) -> None:
    offer(person, "cid")
    join(other, "dan", "cid")
    other.cell("a1").click()
    other.wait_count("0", "0", "0")
    other.page.close()
    person.wait_status("Black to move")
    person.page.once("dialog", lambda dialog: dialog.accept())
    person.page.click("#resign")
    person.wait_status("dan wins by resignation")


@contextmanager
def attached(server: Server, *names: str) -> Iterator[None]:
    processes = [
        subprocess.Popen(
            [
                *YODDD,
                "connect",
                f"127.0.0.1:{server.text_port}",
                "--as",
                name,
                "--",
                *YODDD,
                "gtp",
                "--engine",
                "random",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in names
    ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(PATIENCE)


def test_a_match_of_two_engines_is_watched(person: Person, server: Server) -> None:
    match = ["match", "tcp:one", "tcp:two", "--board", "hex3", "--games", "1", "--wait", "20"]
    with attached(server, "one", "two"):
        subprocess.run(
            [*YODDD, *match, "--daemon", f"127.0.0.1:{server.text_port}"],
            check=True,
            timeout=60,
            stdout=subprocess.DEVNULL,
        )
        person.open()
        person.page.click("#watch-open")
        person.page.click("[aria-label^='Watch: '][aria-label*='one']")
        person.wait_status("(one|two) wins")
    assert person.turns() > 3
    person.page.keyboard.press("Home")
    person.wait_count("0", "0", "0")


def test_a_person_plays_an_attached_engine(person: Person, server: Server) -> None:
    with attached(server, "robot"):
        person.open()
        person.page.click("#watch-open")
        person.page.fill("#watch-dialog [name=name]", "eve")
        person.page.wait_for_selector("[name=rival] option[value=robot]", state="attached")
        person.page.select_option("[name=rival]", "robot")
        person.page.select_option("#watch-dialog [name=seat]", "b")
        person.page.select_option("#watch-dialog [name=board]", "hex3")
        person.page.click("text=Offer the game")
        person.wait_status("Black to move")
        drop(person, ("c3", "b"))
        person.wait_turns(2)
