"""Browsing the record while a game goes on: the game never notices."""

from __future__ import annotations

import pytest

from tests.support.programs import until
from tests.web.conftest import User
from tests.web.test_agreements import clock, seconds

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
def test_clock_goes_on_while_the_user_looks_at_earlier_turns(user: User) -> None:
    user.page.clock.install()
    user.open("game=yodd&board=hex3&black=person&white=person&clock=180%2B2")
    user.cell("c3").click()
    user.page.click("#play")
    user.wait_turns(1)
    user.page.click("#prev")
    before = seconds(clock(user, 1))
    user.page.clock.fast_forward(20_000)
    until(lambda: seconds(clock(user, 1)) <= before - 20)
    user.page.click("#end")
    user.page.clock.fast_forward(20_000)
    until(lambda: seconds(clock(user, 1)) <= before - 40)
