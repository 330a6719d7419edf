"""What was said between the referee and its engines, kept until a game turns out to be sound."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.daemon.connections.engine_link import Tap
from yoddd.referee import Seat

LIMIT: Final = 256 * 1024
"""Bytes that are kept of one game; the oldest go first."""

_CHUNK: Final = 4096
"""Bytes of one piece that are kept: a flood is as telling in short."""


@attrs.frozen
class Piece:
    """Bytes that went one way at one moment.

    Attributes:
        when: on the referee's clock.
        seat: whose engine.
        way: ``>`` to it, ``<`` from it.
        data: the first of the bytes.
        size: how many there were.
    """

    when: float
    seat: Seat
    way: str
    data: bytes
    size: int


class Transcript:
    """One game's bytes, both ways."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Nothing yet; ``now`` is the referee's clock."""
        self._now = now
        self._start = now()
        self._pieces: deque[Piece] = deque()
        self._size = 0
        self._dropped = 0

    def tap(self, seat: Seat) -> Tap:
        """What an engine's link is to tell."""

        def hear(way: str, data: bytes) -> None:
            self._add(Piece(self._now(), seat, way, data[:_CHUNK], len(data)))

        return hear

    def _add(self, piece: Piece) -> None:
        self._pieces.append(piece)
        self._size += len(piece.data)
        while self._size > LIMIT:
            self._size -= len(self._pieces.popleft().data)
            self._dropped += 1

    def text(self) -> str:
        """One line a piece: seconds, person, way, and the bytes as Python writes them."""
        lines = [f"{self._dropped} earlier pieces dropped"] if self._dropped else []
        for piece in self._pieces:
            shown = ascii(piece.data)[2:-1]
            more = f" … {piece.size} bytes" if piece.size > len(piece.data) else ""
            seconds = piece.when - self._start
            lines.append(f"{seconds:12.6f} {piece.seat.key} {piece.way} {shown}{more}")
        return "\n".join([*lines, ""])
