"""The end of a game: nothing that plays can be pressed any more, however and for whom it ended."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.conftest import DESK, PHONE, User
from tests.web.test_lobby import begin_with_turn, drop

pytestmark = [pytest.mark.browser, pytest.mark.whole]

PRESSES = "#play, #pass, #back, #swap, input[name=colour], #resign, #hint"
"""What plays."""

NARROW = {"width": 320, "height": 640}

EMPTY = "yodd hex3 3/4/5/4/3 b 0 1"
FULL = "yodd hex2 bb/bbb/bb b 1 9"
"""A board on which only the second of two passes is left."""

ENDS: dict[str, tuple[str, list[str], str, int | None]] = {
    "resign": (EMPTY, ["1c3"], "bob wins by resignation", 1),
    "time": (EMPTY, ["1c3", "pass"], "bob wins: ann ran out of time", 1),
    "disconnect": (EMPTY, [], "ann wins: bob disconnected", 0),
    "void": (EMPTY, ["1c3"], "The game is void", None),
    "groups": (EMPTY, ["1c3", "pass", "pass"], "bob wins", 1),
    "groups on a full board": (FULL, ["pass"], "bob wins", 1),
}
"""By reason: the start, the turns, the termination, and the seat that has won."""

ROLES: dict[str, dict[str, Any]] = {
    "black": {"key": "k", "seat": 0},
    "white": {"key": "k", "seat": 1},
    "spectator": {"key": None, "seat": None},
    "reader of the record": {},
}

LIVE = """async ({ ends, roles }) => {
  const { app } = await import('./js/play/main.js');
  const game = await import('./js/play/game.js');
  const { readRecord } = await import('./js/rules/link.js');
  const { showRecord } = await import('./js/play/archived.js');
  const { parsePosition } = await import('./js/rules/notation.js');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const found = [];
  for (const [name, [start, turns, termination, winner]] of Object.entries(ends))
    for (const { key, seat } of Object.values(roles)) {
      if (key === undefined) {
        const reason = name.split(' ')[0];
        const record = { position: start, turns, times: turns.map(() => 1), clock: '60+5', reason,
          black: 'ann', white: 'bob', winner: winner === null ? null : 'bw'[winner] };
        app.apply(showRecord, (await readRecord(record)).tree, record, '#archive=1');
      } else {
        app.apply(game.joinGame, { id: 'g1', key, seat }, parsePosition(start));
        app.apply(game.beginGame, ['ann', 'bob'], '60+5', 0);
        turns.forEach((token, at) =>
          app.apply(game.receiveTurn, { seat: at % 2, seconds: 1, token }, at));
        app.apply(game.tapCell, 0, 'main'); // the turn in the making is given up
        app.apply(game.endGame, termination, winner, 9);
      }
      const cell = [...document.querySelectorAll('.cell')].at(-1);
      for (const pressed of ['b', 'Enter', 'p'])
        cell.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
      await frame();
      await frame();
      found.push([
        termination,
        document.getElementById('status').textContent,
        [...document.querySelectorAll('PRESSES')]
          .filter((one) => one.checkVisibility() && !one.disabled)
          .map(({ id, value }) => id || value),
        document.getElementById('hover-title').textContent,
        document.querySelectorAll('.stone.pending').length,
        Number(document.getElementById('slider').max) - turns.length,
        [...document.querySelectorAll('.player :is(.who, .clock)')]
          .map((one) => one.textContent),
      ]);
    }
  return found;
}"""
"""Plays games to each end for each role; what the page shows after keys that would play."""


@pytest.mark.gate
def test_nothing_plays_at_any_end_of_a_game_for_anyone(user: User) -> None:
    user.open(modules=True)
    code = LIVE.replace("PRESSES", PRESSES)
    for size in (DESK, PHONE, NARROW):
        user.page.set_viewport_size({"width": size["width"], "height": size["height"]})
        found = user.page.evaluate(code, {"ends": ENDS, "roles": ROLES})
        assert len(found) == len(ENDS) * len(ROLES)
        for termination, status, presses, hover, pending, more, players in found:
            assert status.startswith(termination)
            assert (presses, hover, pending, more) == ([], "", 0, 0)
            assert players[::2] == ["ann", "bob"]
            assert all(players[1::2])


def expect_the_end(user: User, result: str) -> None:
    """The page says once how the game ended, and nothing plays."""
    page = user.page
    expect(page.locator("#status")).to_have_text(result)
    expect(page.locator("#verdict")).to_be_empty()
    for key in ("b", "Enter", "p"):
        page.locator(".cell").last.press(key)
    user.settle()
    for one in page.locator(PRESSES).all():
        assert not (one.is_visible() and one.is_enabled())
    expect(page.locator("#status")).to_have_text(result)


@pytest.mark.gate
def test_game_that_was_resigned_ends_for_both_and_after_a_reload(user: User, other: User) -> None:
    begin_with_turn(user, other, "oda", "pip")
    other.resign()
    for one in (user, other):
        expect_the_end(one, "oda wins by resignation")
        one.page.reload()
        expect_the_end(one, "oda wins by resignation")
    # An earlier turn can be tried in another way, and the game is a button away.
    user.page.keyboard.press("Home")
    expect(user.page.locator("#verdict")).to_have_text("The board is empty")
    drop(user, ("a1", "b"))
    user.wait_status("^White to move")
    expect(user.page.locator("#after")).to_contain_text("Rematch")
    user.page.click("#after >> text=Back to the game")
    expect_the_end(user, "oda wins by resignation")
