"""A game as one animated SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from yoddd.pictures.board import Canvas
from yoddd.pictures.style import PLAIN, Style
from yoddd.rules import Colour, PositionLike, Turn

_REST: Final = 3
"""How long the final position is shown, in turns."""


def animate(
    start: PositionLike, turns: Iterable[Turn], style: Style = PLAIN, seconds: float = 1.0
) -> str:
    """The game from ``start`` as an SVG that shows one turn after the other in a loop.

    Stones never leave a board, so each is drawn once and appears at its time (SMIL). A viewer that
    does not animate shows the final position. Groups are not numbered and cells not marked.

    Args:
        start: the position before the first turn; it is left as it is.
        turns: legal one after the other.
        style: colours and labels.
        seconds: the time of each turn.

    Raises:
        IllegalTurn: a turn is illegal.
    """
    position = start.copy()
    played = list(turns)
    for turn in played:
        position.play(turn)
    reel = _Reel(len(played), seconds)
    canvas = Canvas(position.rules.geometry, style)
    arrival = _arrivals(start, played)
    parts = [*canvas.ground(), *canvas.coordinates(start.cells)]
    for colour in Colour:
        for frame, pairs in _ties(arrival, position, colour):
            parts.append(reel.from_frame(frame, canvas.tie(pairs, colour)))
    for cell, content in enumerate(position.cells):
        if content is not None:
            parts.append(reel.from_frame(arrival[cell], canvas.stone(cell, content)))
    for frame, turn in enumerate(played, start=1):
        marks = "".join(canvas.last_mark(stone.cell) for stone in turn.stones)
        if marks:
            parts.append(reel.only_frame(frame, marks))
    rules = position.rules
    return canvas.document(f"{rules.game.title} on {rules.geometry.name}: a game", parts)


def _arrivals(start: PositionLike, turns: list[Turn]) -> dict[int, int]:
    """For each stone on the final board the frame it appears in; 0 for those of the start."""
    arrival = {cell: 0 for cell, content in enumerate(start.cells) if content is not None}
    for frame, turn in enumerate(turns, start=1):
        arrival |= {stone.cell: frame for stone in turn.stones}
    return arrival


def _ties(
    arrival: dict[int, int], final: PositionLike, colour: Colour
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """For each frame the pairs of neighbours of a colour that it completes."""
    found: dict[int, list[tuple[int, int]]] = {}
    for one, frame in arrival.items():
        for other in final.rules.geometry.neighbours[one]:
            same = final.cells[one] is colour and final.cells[other] is colour
            if same and (arrival[other], other) < (frame, one):
                found.setdefault(frame, []).append((other, one))
    yield from sorted(found.items())


class _Reel:
    """Animates elements by frames; times are fractions of the whole loop."""

    def __init__(self, turns: int, seconds: float) -> None:
        self._frames = turns + _REST
        self._length = f"{self._frames * seconds:g}s"
        self._last = turns

    def from_frame(self, frame: int, elements: str) -> str:
        """Shown from a frame to the end."""
        return self._animated(elements, [(0, 0), (frame, 1)] if frame else [], at_rest=1)

    def only_frame(self, frame: int, elements: str) -> str:
        """Shown at one frame; at the last one also during the rest."""
        if frame == self._last:
            return self.from_frame(frame, elements)
        return self._animated(elements, [(0, 0), (frame, 1), (frame + 1, 0)], at_rest=0)

    def _animated(self, elements: str, steps: list[tuple[int, int]], at_rest: int) -> str:
        if not steps:
            return elements
        times = ";".join(f"{frame / self._frames:.5g}" for frame, _ in steps)
        values = ";".join(str(value) for _, value in steps)
        return (
            f'<g opacity="{at_rest}">{elements}<animate attributeName="opacity" calcMode="discrete"'
            f' values="{values}" keyTimes="{times}" dur="{self._length}"'
            ' repeatCount="indefinite"/></g>'
        )
