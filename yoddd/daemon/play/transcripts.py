"""Transcripts of the bytes between the referee and the engines of a game."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.daemon.connections.engine_link import Tap
from yoddd.referee import Seat

LIMIT: Final = 256 * 1024
"""Bytes that are kept of one game; the oldest are dropped first."""

_CHUNK: Final = 4096
"""Bytes of one piece that are kept: the beginning of a flood is enough to explain it."""


@attrs.frozen
class Piece:
    """Bytes that were sent or received at one moment.

    Attributes:
        when: on the referee's clock.
        seat: the seat of the engine.
        way: ``>`` to it, ``<`` from it.
        data: the first of the bytes.
        size: how many bytes there were.
    """

    when: float
    seat: Seat
    way: str
    data: bytes
    size: int


@attrs.define(eq=False)
class Transcript:
    """The bytes of one game, both ways."""

    # The referee's clock.
    _now: Callable[[], float]
    # When the transcript began; the times of its text count from here.
    _start: float = attrs.Factory(lambda self: self._now(), takes_self=True)
    # The pieces that are kept, the oldest first.
    _pieces: deque[Piece] = attrs.Factory(deque)
    # How many bytes the kept pieces have, which `LIMIT` bounds.
    _size: int = 0
    # How many pieces were dropped to keep within `LIMIT`.
    _dropped: int = 0

    def tap(self, seat: Seat) -> Tap:
        """The tap of the link of a seat's engine."""

        def record(way: str, data: bytes) -> None:
            piece = Piece(self._now(), seat, way, data[:_CHUNK], len(data))
            self._pieces.append(piece)
            self._size += len(piece.data)
            while self._size > LIMIT:
                self._size -= len(self._pieces.popleft().data)
                self._dropped += 1

        return record

    def text(self) -> str:
        """One line per piece: seconds, seat, way, and the bytes as Python writes them."""
        lines = [f"{self._dropped} earlier pieces dropped"] if self._dropped else []
        for piece in self._pieces:
            shown = ascii(piece.data)[2:-1]
            more = f" … {piece.size} bytes" if piece.size > len(piece.data) else ""
            seconds = piece.when - self._start
            lines.append(f"{seconds:12.6f} {piece.seat.key} {piece.way} {shown}{more}")
        return "\n".join([*lines, ""])
