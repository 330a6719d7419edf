"""The application on a simulated terminal, against the real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.programs import PATIENCE
from yoddd.engine import ENGINES, STRONGEST, Budget
from yoddd.notation import parse_position, parse_sgf, read_sgf_game
from yoddd.rules import Colour, Position, Stone, make_rules
from yoddd.terminal.app import BoardView, PlayApp
from yoddd.terminal.seats import Opponent, Seats

pytestmark = pytest.mark.whole

ENGINE = Opponent(STRONGEST, ENGINES[STRONGEST], Budget(20), seed=1)
HUMANS: Seats = (None, None)

Play = Callable[[PlayApp, Pilot[None]], Awaitable[None]]


def run(app: PlayApp, play: Play, size: tuple[int, int] = (100, 30)) -> None:
    async def session() -> None:
        async with app.run_test(size=size) as pilot:
            await play(app, pilot)

    asyncio.run(asyncio.wait_for(session(), PATIENCE))


def board(tmp_path: Path, game: str, name: str, seats: Seats = HUMANS, turns: int = 0) -> PlayApp:
    position = Position(make_rules(game, name))
    for _ in range(turns):
        position.play(next(position.legal_turns()))
    return PlayApp(position, seats, ENGINE, tmp_path / "game.sgf")


def text(app: PlayApp, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).content)


def test_app_two_humans_play_a_game_by_keys(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("p")
        assert text(app, "status") == "Not allowed: 0 groups, even"
        await pilot.press("b", "enter")
        assert app.position.number == 2
        await pilot.press("up", "b")  # joins the first: one group, odd
        assert "total 1 odd" in text(app, "helper")
        await pilot.press("w")  # another colour: two groups, even
        assert app.draft.stones[0].colour is Colour.WHITE
        assert "stones complete the turn" in text(app, "helper")
        await pilot.press("enter")
        assert text(app, "status") == "Not allowed: 2 groups, even"
        await pilot.press("backspace", "x", "space", "backspace", "b", "enter")
        assert app.position.count() == (1, 0)
        await pilot.press("p", "p")
        assert "White has won" in text(app, "helper")
        await pilot.press("u")
        assert not app.position.is_over
        await pilot.press("R")
        assert app.position.resigned is not None

    run(board(tmp_path, "yodd", "hex3"), play)


def test_app_engine_answers_and_undo_takes_both_back(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("b", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert len(app.position.history) == 2
        assert app.mine
        await pilot.press("u")
        assert len(app.position.history) == 0

    run(board(tmp_path, "yodd", "hex3", (None, ENGINE)), play)


def test_app_hint_is_a_pending_turn(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("h")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.draft.problem is None
        assert "hint" in text(app, "status")
        await pilot.press("enter")
        assert app.position.number == 2

    run(board(tmp_path, "odd", "hex3"), play)


def test_app_mouse_buttons_drop_on_the_drawn_cell(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        view = app.query_one(BoardView)
        left = (view.size.width - view.frame.width) // 2
        top = (view.size.height - view.frame.height) // 2
        row = app.position.rules.geometry.rows[-1]
        corner = (left + view.frame.indent(row) + 1, top)
        await pilot.click(BoardView, offset=corner)
        assert list(app.draft.stones) == [Stone(Colour.BLACK, row[0])]
        await pilot.click(BoardView, offset=corner, button=3)
        assert list(app.draft.stones) == []
        await pilot.click(BoardView, offset=corner, button=3)
        assert list(app.draft.stones) == [Stone(Colour.WHITE, row[0])]
        await pilot.click(BoardView, offset=(0, 0))
        assert len(app.draft.stones) == 1

    run(board(tmp_path, "xodd", "square3", turns=1), play)


def test_app_yoin_swap_exchanges_participants(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("x")
        assert app.colour is Colour.WHITE
        await pilot.press("s")
        await app.workers.wait_for_complete()
        await pilot.pause()
        # The engine began as Black, is White now, and has played.
        assert app.position.number == 4
        assert app.position.player is Colour.BLACK
        assert "Black  You" in text(app, "players")

    run(board(tmp_path, "yoin", "hex2", (ENGINE, None)), play)


def test_app_saved_game_is_read_back(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("b", "enter", "ctrl+s")
        assert "saved in" in text(app, "status")

    app = board(tmp_path, "yodd", "hex3")
    run(app, play)
    trees, errors = parse_sgf((tmp_path / "game.sgf").read_text())
    assert errors == []
    assert read_sgf_game(trees[0]).turns == app.position.history


def test_app_unwritable_file_shows_the_error(tmp_path: Path) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+s")
        assert "not saved" in text(app, "status")

    app = PlayApp(
        Position(make_rules("yodd", "hex3")), HUMANS, ENGINE, tmp_path / "no" / "game.sgf"
    )
    run(app, play)


@pytest.mark.parametrize("size", [(80, 24), (140, 50)])
def test_app_both_sizes_are_drawn(tmp_path: Path, size: tuple[int, int]) -> None:
    async def play(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("left", "b")
        view = app.query_one(BoardView)
        assert view.frame.width <= view.size.width
        assert "to move" in text(app, "status")

    position = parse_position("yodd hex8 8/9/10/11/12/13/14/7b7/14/13/12/11/10/9/8 b 0 6")
    run(PlayApp(position, HUMANS, ENGINE, tmp_path / "game.sgf"), play, size)
