"""Drawing the page: a function of the state alone."""

from __future__ import annotations

import pytest

from tests.web.conftest import User

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4"

STATES = """
  const { app } = await import('./js/main.js');
  const game = await import('./js/game.js');
  const freeze = (value) => {
    const isValue = Object(value) !== value || ArrayBuffer.isView(value);
    if (isValue || Object.isFrozen(value)) return value;
    Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const candidates = [{ token: '1b2,2e5', visits: 9, winrate: 0.6, pv: ['1b2,2e5', 'pass'] }];
  const report = { candidates, visits: 9, lead: null, ownership: [] };
  const shown = game.point(game.answer(game.connect(app.state, true, true), report), 0);
  const one = freeze(game.hover(game.set(shown, { number: true, theme: 'dark' }), 3));
  const pending = game.setPending(game.goTo(app.state, 1, 0), [{ cell: 0, colour: 1 }]);
  const two = freeze(game.refuse(pending, 'no'));
  const seen = (state) => {
    app.render(state, 0);
    const fields = [...document.querySelectorAll('input, select, textarea')];
    const values = fields.map(({ checked, value }) => `${checked} ${value}`);
    return document.documentElement.outerHTML + values;
  };
"""
"""Two frozen states, and what the page shows of a state."""


def test_render_of_one_state_twice_draws_the_same(user: User) -> None:
    user.open(GAME, modules=True)
    first, second, between = user.page.evaluate(
        f"async () => {{ {STATES} const [a, b, c] = [one, two, one].map(seen); return [a, c, b]; }}"
    )
    assert first == second
    assert first != between
