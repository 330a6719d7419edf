"""The view of a complete table: the worth of every stone and every completion."""

from __future__ import annotations

import functools

import pytest
from playwright.sync_api import expect

from tests.support.programs import until
from tests.web.conftest import User
from yoddd.engine import SmallBoards, values_of
from yoddd.kernel import NativePosition, TurnValue, backend
from yoddd.rules import Stone, TurnKind, make_rules

pytestmark = [
    pytest.mark.browser,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason="builds tables"),
]

Turns = tuple[TurnValue, ...]
GAMES = [
    ("yodd", "hex2"),
    ("xodd", "square3"),
    ("odd", "square3"),
    ("yoin", "hex2"),
    ("product", "hex2"),
]


@functools.cache
def opening(game: str, board: str) -> Turns:
    """The values of the turns before turn 3, the best first."""
    rules = make_rules(game, board)
    position = NativePosition(rules)
    for _ in range(2):
        position.play(next(position.legal_turns()))
    return values_of(SmallBoards(), position, lambda: False)


def fragment(game: str, board: str) -> str:
    first = {"yodd": "1a1.1a2", "xodd": "1a1.1b1", "odd": "1a1.1b1", "yoin": "a1.a2"}
    turns = first.get(game, "1a1.1a2,1b1")
    return f"game={game}&board={board}&black=person&white=person&turns={turns}"


def look(user: User, game: str, board: str) -> None:
    user.open(fragment(game, board))
    user.page.check("#analyse")
    expect(user.page.locator("#table li").first).to_be_visible()


def best(turns: Turns) -> dict[Stone | TurnKind, TurnValue]:
    """The worth of each first stone, and of a turn without stones."""
    found: dict[Stone | TurnKind, TurnValue] = {}
    for value in turns:
        keys: list[Stone | TurnKind] = [*value.turn.stones] or [value.turn.kind]
        for key in keys:
            found.setdefault(key, value)
    return found


def spelled(values: dict[Stone | TurnKind, TurnValue]) -> list[str]:
    return sorted(f"{'won' if one.wins else 'lost'} in {one.distance}" for one in values.values())


def listed(user: User) -> list[str]:
    return sorted(user.page.locator("#table b").all_text_contents())


@pytest.mark.parametrize(("game", "board"), GAMES)
def test_table_lists_and_marks_every_stone(user: User, game: str, board: str) -> None:
    look(user, game, board)
    turns = opening(game, board)
    value = turns[0]
    wanted = best(turns)
    until(lambda: listed(user) == spelled(wanted))
    stones = {key: one for key, one in wanted.items() if isinstance(key, Stone)}
    expect(user.page.locator(".values .value")).to_have_count(len(stones))
    for place, colour in enumerate(("black", "white")):
        won = sum(one.wins for stone, one in stones.items() if stone.colour == place)
        expect(user.page.locator(f".values .{colour}.won")).to_have_count(won)
    marks = user.page.locator(".values text").all_text_contents()
    assert sorted(marks) == sorted(str(one.distance) for one in stones.values())
    verdict = f"{'wins' if value.wins else 'loses'} in {value.distance} turns"
    expect(user.page.locator("#table-value")).to_contain_text(verdict)
    expect(user.page.locator("#engine-view")).to_be_hidden()


def test_table_gives_way_to_the_engine_on_a_board_without_one(user: User) -> None:
    look(user, "xodd", "square3")
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1d4")
    user.page.check("#analyse")
    expect(user.page.locator("#lines li").first).to_be_visible()
    expect(user.page.locator("#table-view")).to_be_hidden()
    expect(user.page.locator(".values .value")).to_have_count(0)
