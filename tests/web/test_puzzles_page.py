"""The page of puzzles in a real browser, with the proofs of a real daemon."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.reviews import PUZZLES
from tests.web.conftest import User
from yoddd.kernel import backend, make_sweep
from yoddd.library.puzzles import Puzzle
from yoddd.notation import parse_turn
from yoddd.rules import Turn, TurnKind

pytestmark = [
    pytest.mark.browser,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason="proves positions"),
]

KEPT = "() => JSON.parse(localStorage.getItem('yoddd.puzzles'))"


def solve(user: User, puzzle: Puzzle, turn: Turn) -> None:
    """Play a turn with the mouse."""
    page, start = user.page, puzzle.start()
    if turn.kind is TurnKind.PASS:
        page.get_by_role("button", name="Pass").click()
        return
    for colour, cell in turn.stones:
        choice = page.locator(f".switch input[value='{int(colour)}']")
        if not choice.is_checked():
            choice.check(force=True)
        user.cell(start.rules.geometry.labels[cell]).click()
    page.get_by_role("button", name="Play", exact=True).click()


def right(puzzle: Puzzle) -> Turn:
    start = puzzle.start()
    return parse_turn(puzzle.turns[0], start.rules, start.player)


def wrong(puzzle: Puzzle) -> Turn:
    """A turn of stones that loses."""
    start = puzzle.start()
    sweep = make_sweep(start)
    assert sweep is not None
    return next(one.turn for one in sweep.turns(start) if not one.wins and one.turn.stones)


def shown(user: User) -> Puzzle:
    link = user.page.locator(".task a[href^='?puzzle=']")
    expect(link).to_be_visible()
    return PUZZLES[link.inner_text()]


def kept(user: User) -> Any:
    return user.page.evaluate(KEPT)


NOW = 1_800_000_000
"""A time at which the clock of a page stands still: no day and no storm ends meanwhile."""


@pytest.mark.gate
@pytest.mark.firefox
def test_puzzle_that_is_named_answers_wrong_and_right_turns(user: User) -> None:
    user.visit("puzzles.html#puzzle=yodd-hex3-0")
    puzzle = shown(user)
    assert puzzle.id == "yodd-hex3-0"
    solve(user, puzzle, wrong(puzzle))
    expect(user.page.locator(".answer.wrong")).to_contain_text("answers")
    expect(user.page.locator(".answer.wrong")).to_contain_text("and wins in")
    for _ in wrong(puzzle).stones:
        user.page.get_by_role("button", name="Take back").click()
    solve(user, puzzle, right(puzzle))
    expect(user.page.locator(".answer.right")).to_contain_text("wins")
    assert kept(user)["solved"] == {puzzle.id: False}
    user.page.get_by_role("button", name="Show all values").click()
    expect(user.page.locator(".values .won")).to_have_count(len(right(puzzle).stones))


def test_puzzle_of_the_day_is_kept_and_counts_days(user: User) -> None:
    user.page.clock.set_fixed_time(NOW)
    user.visit("puzzles.html#day")
    puzzle = shown(user)
    solve(user, puzzle, right(puzzle))
    expect(user.page.locator(".answer.right")).to_be_visible()
    expect(user.page.locator(".task")).to_contain_text("Days in a row: 1")
    user.page.reload()
    assert shown(user).id == puzzle.id
    expect(user.page.locator(".task")).to_contain_text("solved today")
    assert kept(user)["days"] == 1


def test_first_puzzle_is_one_turn_deep_and_easy_ones_follow(user: User) -> None:
    user.visit("puzzles.html")
    expect(user.page.locator(".task")).to_contain_text("the only turn that wins at once")
    user.page.get_by_role("button", name="Solution").click()
    expect(user.page.locator(".answer")).to_have_text(re.compile("The turn is d2 ?e2"))
    user.page.get_by_role("button", name="Next puzzle").click()
    assert shown(user).level in range(5)


def test_puzzles_by_theme_and_grade_are_of_these(user: User) -> None:
    user.visit("puzzles.html#free")
    expect(user.page.locator("select[name=game]")).to_have_value("yodd")
    user.page.select_option("select[name=game]", "odd")
    user.page.select_option("select[name=grade]", "Easy")
    puzzle = shown(user)
    assert puzzle.id.startswith("odd-")
    assert puzzle.level is not None
    assert puzzle.level <= 4
    user.page.select_option("select[name=theme]", "Two stones")
    expect(user.page.locator(".task")).to_contain_text("No puzzle matches")
    user.page.select_option("select[name=game]", "yodd")
    puzzle = shown(user)
    turn = right(puzzle)
    assert len(turn.stones) == 2
    assert kept(user) is None
    user.page.get_by_role("button", name="Hint").click()
    assert kept(user)["rating"] < 1000, "a first try with help has failed"
    expect(user.page.locator(".answer")).to_contain_text("two stones")
    user.page.get_by_role("button", name="Solution").click()
    expect(user.page.locator(".answer")).to_contain_text("The turn is")


def test_puzzle_storm_ends_with_the_last_life_and_keeps_the_best(user: User) -> None:
    user.page.clock.set_fixed_time(NOW)
    user.visit("puzzles.html#storm")
    user.page.get_by_role("button", name="Start").click()
    expect(user.page.locator(".task")).to_contain_text("3 lives, 0 solved")
    puzzle = shown(user)
    solve(user, puzzle, right(puzzle))
    expect(user.page.locator(".task")).to_contain_text("3 lives, 1 solved")
    for lives in ("2 lives", "1 life", ""):
        puzzle = shown(user)
        solve(user, puzzle, wrong(puzzle))
        expect(user.page.locator(".task")).to_contain_text(lives or "You solved 1.")
    expect(user.page.locator(".task")).to_contain_text("Your best: 1")
    assert kept(user)["mostStorm"] == 1
    expect(user.page.get_by_role("button", name="Share")).to_be_visible()


def test_puzzle_is_rated_once_played_out_and_named(user: User) -> None:
    user.visit("puzzles.html?puzzle=yodd-hex3-66")
    puzzle = shown(user)
    expect(user.page.locator(".task")).to_contain_text("Your rating: 1000")
    solve(user, puzzle, right(puzzle))
    expect(user.page.locator(".answer.right")).to_contain_text("Motif: Double join")
    rating = kept(user)["rating"]
    assert rating > 1000
    user.page.get_by_role("button", name="Play it out").click()
    expect(user.page.locator(".answer")).to_contain_text("wins with fewer groups")
    user.page.reload()
    solve(user, puzzle, right(puzzle))
    expect(user.page.locator(".answer.right")).to_be_visible()
    assert kept(user)["rating"] == rating
