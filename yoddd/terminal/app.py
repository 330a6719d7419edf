"""The board in a terminal; needs the extra ``tui``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

import attrs
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Footer, Static
from textual.worker import get_current_worker

from yoddd.notation import position_to_sgf, write_sgf
from yoddd.rules import PASS, RESIGN, SWAP, Colour, PositionLike, Turn
from yoddd.terminal import panel
from yoddd.terminal.draft import Draft
from yoddd.terminal.drawing import Frame, Look, draw, fitting_frame
from yoddd.terminal.seats import Opponent, Seats, names, seat_on_turn

_RIGHT: Final = 3
"""The number of the right mouse button."""

AnswerTo = Callable[[Turn], None]
"""Called with the turn that a search has found."""

_STEPS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class BoardView(Widget, can_focus=True):
    """The board: draws a position, and posts messages for clicks and the cursor."""

    @attrs.define
    class Tapped(Message):
        """A cell was clicked."""

        cell: int
        other: bool

        def __attrs_pre_init__(self) -> None:
            super().__init__()

    def __init__(self, position: PositionLike) -> None:
        """Show ``position``; the cursor begins in the middle."""
        super().__init__()
        rows = position.rules.geometry.rows
        middle = rows[len(rows) // 2]
        self._position, self._look = position, Look()
        self.cursor = middle[len(middle) // 2]

    @property
    def frame(self) -> Frame:
        """The layout of the cells in the available space."""
        return fitting_frame(self._position.rules.geometry, self.size.width, self.size.height)

    @property
    def _corner(self) -> tuple[int, int]:
        frame = self.frame
        left, top = self.size.width - frame.width, self.size.height - frame.height
        return max(0, left // 2), max(0, top // 2)

    def show(self, position: PositionLike, look: Look) -> None:
        """Draw ``position`` with the marks of ``look``."""
        self._position, self._look = position, look
        self.refresh()

    def render(self) -> Text:
        """The board, centred."""
        left, top = self._corner
        look = attrs.evolve(self._look, cursor=self.cursor)
        lines = draw(self.frame, self._position, look).split("\n")
        rows = [*([Text()] * top), *(Text(" " * left) + line for line in lines)]
        return Text("\n", no_wrap=True, overflow="crop").join(rows)

    def cell_under(self, event: events.MouseEvent) -> int | None:
        """The cell that the mouse is over."""
        left, top = self._corner
        return self.frame.cell_at(event.x - left, event.y - top)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The cursor follows the mouse."""
        self.point_at(self.cell_under(event))

    def on_click(self, event: events.Click) -> None:
        """A click drops a stone; the right button one of the other colour."""
        cell = self.cell_under(event)
        if cell is not None:
            self.point_at(cell)
            self.post_message(self.Tapped(cell, event.button == _RIGHT))

    def on_key(self, event: events.Key) -> None:
        """Arrow keys move the cursor."""
        if event.key in _STEPS:
            event.stop()
            self.point_at(self._beside(*_STEPS[event.key]))

    def _beside(self, across: int, down: int) -> int:
        rows = self._position.rules.geometry.rows
        number = next(n for n, row in enumerate(rows) if self.cursor in row)
        row = rows[number]
        if across:
            place = row.index(self.cursor) + across
            return row[min(max(place, 0), len(row) - 1)]
        beside = rows[min(max(number - down, 0), len(rows) - 1)]
        column = self.frame.indent(row) + row.index(self.cursor) * self.frame.scale.width
        step = (column - self.frame.indent(beside)) // self.frame.scale.width
        return beside[min(max(step, 0), len(beside) - 1)]

    def point_at(self, cell: int | None) -> None:
        """Move the cursor."""
        if cell is not None and cell != self.cursor:
            self.cursor = cell
            self.refresh()
            self.post_message(Pointed())


class Pointed(Message):
    """The cursor has moved."""


class PlayApp(App[None]):
    """A game on one screen, between humans and engines."""

    TITLE = "yoddd"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Horizontal { height: 1fr; }
    BoardView { width: 1fr; height: 100%; }
    #side { width: 41; padding: 0 1; border-left: solid $primary-darken-2; }
    #side Static { width: 100%; height: auto; margin-bottom: 1; }
    #turns { height: 1fr; }
    #status { height: 1; padding: 0 1; background: $boost; }
    #status.refused { color: $error; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "drop", "Drop"),
        Binding("b", "place(0)", "Black", show=False),
        Binding("w", "place(1)", "White", show=False),
        Binding("x", "colour", "Colour"),
        Binding("backspace", "take_back", "Back"),
        Binding("enter", "commit", "Play"),
        Binding("p", "play('pass')", "Pass"),
        Binding("s", "play('swap')", "Swap", show=False),
        Binding("u", "undo", "Undo"),
        Binding("h", "hint", "Hint"),
        Binding("R", "play('resign')", "Resign", show=False),
        Binding("ctrl+s", "save", "Save"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, position: PositionLike, seats: Seats, adviser: Opponent, file: Path) -> None:
        """Play on from ``position``.

        Args:
            position: changed by the game.
            seats: the participants.
            adviser: the engine that gives hints.
            file: the file that the game is saved to.
        """
        super().__init__()
        self.position = position
        self.draft = Draft(position)
        self.colour = Colour.BLACK
        self.thinking = False
        self._seats, self._adviser, self._file = seats, adviser, file
        self._searches = 0

    def compose(self) -> ComposeResult:
        """Lay out the board, with players, helper and record next to it."""
        with Horizontal():
            yield BoardView(self.position)
            with Vertical(id="side"):
                yield Static(id="players")
                yield Static(id="helper")
                with VerticalScroll(id="turns", can_focus=False):
                    yield Static(id="record")
        yield Static(id="status")
        yield Footer()

    def on_mount(self) -> None:
        """Show the position, and start the engine if it is to move."""
        self.query_one(BoardView).focus()
        self.go_on()

    # -- turns ------------------------------------------------------------------------------

    @property
    def rival(self) -> Opponent | None:
        """The engine that is to move; None for a human."""
        return None if self.position.is_over else self._seats[seat_on_turn(self.position)]

    @property
    def mine(self) -> bool:
        """Whether a human is to move and no search runs."""
        return not (self.position.is_over or self.thinking or self.rival)

    def go_on(self, status: str = "") -> None:
        """Continue after a turn was played or taken back."""
        self.draft = Draft(self.position)
        if self.colour not in self.draft.colours:
            self.colour = self.draft.colours[0]
        self.redraw(status)
        if self.rival is not None:
            self._think(self.rival, self._answered)

    def on_board_view_tapped(self, event: BoardView.Tapped) -> None:
        """Drop a stone by mouse."""
        self._drop(event.cell, self.colour.opponent if event.other else self.colour)

    def on_pointed(self) -> None:
        """Update the helper for the cell under the cursor."""
        self.redraw()

    def _drop(self, cell: int, colour: Colour) -> None:
        if self.mine:
            self.draft.tap(cell, colour)
            self.redraw()

    def action_drop(self) -> None:
        """Drop a stone of the chosen colour under the cursor."""
        self._drop(self.query_one(BoardView).cursor, self.colour)

    def action_place(self, colour: int) -> None:
        """Drop a stone of a colour under the cursor."""
        if self.mine:
            self.draft.place(self.query_one(BoardView).cursor, Colour(colour))
            self.redraw()

    def action_colour(self) -> None:
        """Choose the other colour."""
        if self.colour.opponent in self.draft.colours:
            self.colour = self.colour.opponent
        self.redraw()

    def action_take_back(self) -> None:
        """Take the last pending stone back."""
        self.draft.back()
        self.redraw()

    def action_commit(self) -> None:
        """Play the pending turn."""
        if self.draft.stones:
            self._play(self.draft.turn)

    def action_play(self, kind: str) -> None:
        """Pass, swap or resign."""
        self._play({"pass": PASS, "swap": SWAP, "resign": RESIGN}[kind])

    def _play(self, turn: Turn) -> None:
        if not self.mine:
            return
        problem = self.position.illegality(turn)
        if problem is not None:
            self.redraw(f"Not allowed: {problem}", refused=True)
            return
        self.position.play(turn)
        self.go_on()

    def action_undo(self) -> None:
        """Take the pending stones back, or else turns until a human is to move."""
        self._cancel_searches()
        if not self.draft.stones:
            while self.position.history:
                self.position.undo()
                if self.rival is None:
                    break
        self.go_on("taken back")

    # -- engines ----------------------------------------------------------------------------

    def action_hint(self) -> None:
        """Ask the engine for a turn."""
        if self.mine:
            self._think(self._adviser, self._advised)

    def _think(self, engine: Opponent, answer: AnswerTo) -> None:
        self._searches += 1
        self.thinking = True
        self.redraw()
        job = partial(self._search, self._searches, engine, self.position.copy(), answer)
        self.run_worker(job, thread=True, exclusive=True, exit_on_error=True)

    def _search(
        self, number: int, engine: Opponent, position: PositionLike, answer: AnswerTo
    ) -> None:
        worker = get_current_worker()
        seed = engine.seed + position.number
        found = engine.make().search(position, engine.budget, seed, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.call_from_thread(self._found, number, found.turn, answer)

    def _found(self, number: int, turn: Turn, answer: AnswerTo) -> None:
        if number == self._searches:
            self.thinking = False
            answer(turn)

    def _answered(self, turn: Turn) -> None:
        self.position.play(turn)
        self.go_on()

    def _advised(self, turn: Turn) -> None:
        self.draft.stones = turn.stones
        self.redraw("a hint: Enter plays it" if turn.stones else f"a hint: {turn.kind.value}")

    def _cancel_searches(self) -> None:
        self._searches += 1
        self.thinking = False
        self.workers.cancel_all()

    # -- showing and saving -----------------------------------------------------------------

    def redraw(self, status: str = "", *, refused: bool = False) -> None:
        """Draw the whole screen, with ``status`` in the line at the bottom."""
        position, draft = self.position, self.draft
        view = self.query_one(BoardView)
        last = position.history[-1].stones if position.history else ()
        view.show(
            position,
            Look(
                pending=draft.stones,
                last=frozenset(stone.cell for stone in last),
                fits=draft.fits() if self.mine else frozenset(),
                shade=self.mine and draft.remaining > 0 and position.rules.game.odd_total,
            ),
        )
        self.query_one("#players", Static).update(panel.players(position, self._seats))
        self.query_one("#helper", Static).update(panel.helper(draft, view.cursor, self.colour))
        self.query_one("#record", Static).update(panel.record(position))
        self.query_one("#turns", VerticalScroll).scroll_end(animate=False)
        line = self.query_one("#status", Static)
        line.set_class(refused, "refused")
        line.update(status or self._state())

    def _state(self) -> str:
        if self.position.is_over:
            return "The game is over: u takes back, Ctrl+S saves, q leaves"
        player = self.position.player.title
        if self.thinking:
            return f"{player} to move: the engine is thinking…"
        if self.draft.stones:
            problem = self.draft.problem
            return f"{player} to move: {problem or 'Enter plays the turn'}"
        return f"{player} to move, {self.colour.title.lower()} stone in hand"

    def action_save(self) -> None:
        """Write the game to its file."""
        tree = position_to_sgf(self.position)
        for name, player in zip(("PB", "PW"), names(self._seats), strict=True):
            tree.put(name, player)
        try:
            self._file.write_text(write_sgf([tree]), encoding="utf-8")
        except OSError as error:
            self.redraw(f"not saved: {error.strerror}: {self._file}", refused=True)
        else:
            self.redraw(f"saved in {self._file}")
