"""The engine's view, streamed onto the board."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.programs import until
from tests.web.conftest import User
from yoddd.engine import SmallBoards, values_of
from yoddd.kernel import NativePosition, TurnValue, backend
from yoddd.rules import Stone, make_rules

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4.2c2,2e5"


def look(user: User, fragment: str = GAME, *, modules: bool = False) -> None:
    user.open(fragment, modules=modules)
    user.page.check("#analyse")
    expect(user.page.locator("#lines li").first).to_be_visible()


@pytest.mark.gate
@pytest.mark.firefox
def test_analysis_switched_on_then_off_shows_then_clears_the_heat_map(user: User) -> None:
    look(user)
    expect(user.page.locator(".heat .spot").nth(5)).to_be_attached()
    expect(user.page.locator(".heat .figure").first).to_have_text(re.compile(r"^\d+(\.\d)?$"))
    figures = user.page.locator(".heat .figure").all_text_contents()
    assert all(re.fullmatch(r"\d+(\.\d)?", figure) for figure in figures)
    expect(user.page.locator("#lines li:first-child b")).to_have_text(re.compile(r"^\d+\.\d%"))
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#lines li").first).to_be_visible()
    user.page.uncheck("#analyse")
    expect(user.page.locator(".heat .spot")).to_have_count(0)
    expect(user.page.locator("#lines li")).to_have_count(0)


@pytest.mark.firefox
def test_analysis_line_or_cell_under_the_pointer_shows_numbered_stones(user: User) -> None:
    look(user)
    # The list may have appeared below the pointer that pressed the switch.
    user.page.mouse.move(5, 5)
    expect(user.page.locator(".stones .number")).to_have_count(0)
    expect(user.page.locator(".stones circle.stone")).to_have_count(5)
    for place in ("#lines li", ".heat .spot"):
        user.page.locator(place).first.hover(force=True)
        expect(user.page.locator(".stones .number").first).to_have_text("1")
        expect(user.page.locator(".stones circle.stone").nth(5)).to_be_attached()
        user.page.mouse.move(5, 5)
        expect(user.page.locator(".stones .number")).to_have_count(0)


def test_analysis_after_a_first_stone_rates_every_second_one(user: User) -> None:
    look(user)
    user.cell("f5").click()
    cells = user.page.locator(".cell[aria-label$='completes the turn']")
    expect(cells.nth(10)).to_be_attached()
    expect(user.page.locator("#analysis-state")).to_contain_text("Every completion")
    expect(user.page.locator(".heat .spot")).to_have_count(cells.count())
    expect(user.page.locator("#lines li .played").first).to_contain_text("f5")
    user.page.keyboard.press("Escape")
    # No turn is looked at as often as that after a first stone.
    expect(user.page.locator("#lines .visits").first).to_contain_text("k")


@pytest.mark.firefox
def test_analysis_views_show_the_end_and_the_policy(user: User) -> None:
    look(user)
    user.page.get_by_text("Expected end", exact=True).click()
    expect(user.page.locator(".outlook .owned")).to_have_count(37 - 5)
    expect(user.page.locator(".heat .spot")).to_have_count(0)
    user.page.get_by_text("Visits", exact=True).click()
    expect(user.page.locator(".heat .spot").first).to_be_attached()
    expect(user.page.locator(".outlook .owned")).to_have_count(0)
    user.page.locator("input[name=view][value=visits]").focus()
    user.page.keyboard.press("ArrowRight")
    expect(user.page.locator("input[name=view][value=policy]")).to_be_checked()
    expect(user.page.locator("#analysis-legend")).to_contain_text("before any search")


def test_analysis_over_a_lost_connection_goes_on_when_it_is_back(user: User) -> None:
    look(user.ask_server(), modules=True)
    said = user.page.evaluate(
        """async () => {
          const { app } = await import('./js/play/main.js');
          app.server.connection.lose('');
          return document.getElementById('analysis-state').textContent;
        }"""
    )
    assert "connection is lost" in said
    expect(user.page.locator("#analysis-state")).to_contain_text("visits")
    expect(user.page.locator("#analysis-resume")).to_be_hidden()


@pytest.mark.skipif(not backend().is_native, reason="solves boards")
def test_analysis_of_a_solved_board_marks_the_worth_of_every_stone(user: User) -> None:
    position, worth = NativePosition(make_rules("xodd", "square3")), dict[Stone, TurnValue]()
    for _ in range(2):
        position.play(next(position.legal_turns()))
    for value in values_of(SmallBoards(), position):
        for stone in value.turn.stones:
            worth.setdefault(stone, value)
    user.open("game=xodd&board=square3&black=person&white=person&turns=1a1.1b1")
    user.page.check("#analyse")
    marks = user.page.locator(".values")
    wanted = sorted(str(one.distance) for one in worth.values())
    until(lambda: sorted(marks.locator("text").all_text_contents()) == wanted)
    expect(marks.locator(".won")).to_have_count(sum(one.wins for one in worth.values()))
    expect(user.page.locator("#table b").first).to_have_text(re.compile(r"^(won|lost) in \d+$"))
    expect(user.page.locator("#engine-view")).to_be_hidden()
    look(user)
    expect(user.page.locator("#table-view")).to_be_hidden()
    expect(marks.locator(".value")).to_have_count(0)


def test_analysis_restyles_a_part_of_the_page_with_each_frame(user: User) -> None:
    """A slow machine that draws a whole report at once answers no press for 0.2 s."""
    user.open("game=yodd&board=hex8&black=person&white=person&turns=1h8.2g7,1i8.1j5,2c4")
    events: list[dict[str, Any]] = []
    ends: list[bool] = []
    devtools = user.page.context.new_cdp_session(user.page)
    devtools.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    devtools.on("Tracing.tracingComplete", lambda _: ends.append(True))
    config = {"includedCategories": ["devtools.timeline"]}
    devtools.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    user.page.check("#analyse")
    expect(user.page.locator(".heat .spot").nth(40)).to_be_attached()
    state = user.page.locator("#analysis-state")
    expect(state).to_contain_text(re.compile(r"\d\d.*k visits"))
    for _ in range(11):  # a busy machine draws few frames until then
        expect(state).not_to_have_text(state.inner_text())
    devtools.send("Tracing.end")
    while not ends:
        user.page.evaluate("0")  # lets events come
    styled = [one["args"] for one in events if one["name"] == "UpdateLayoutTree"]
    counts = [args.get("elementCount", 0) for args in styled]
    assert len(counts) > 10
    assert max(counts) < 450, counts
