"""What a WebSocket message weighs while it comes, frame by frame (RFC 6455, section 5.2)."""

from __future__ import annotations

from typing import Final

_CONTROL: Final = 0x08
"""The bit of an opcode that tells a ping, a pong or a goodbye, which are part of no message."""

_FINISHED: Final = 0x80
_MASKED: Final = 0x80
_LONGER: Final = {126: 2, 127: 8}
"""Further bytes of a length, by what stands in its place."""


class Scale:
    """Weighs the message that a peer has begun.

    Attributes:
        pending: bytes of its payload so far; 0 between two messages.
    """

    def __init__(self) -> None:
        """Nothing has come."""
        self.pending = 0
        self._header = bytearray()
        self._left = 0

    def add(self, data: bytes) -> None:
        """Further bytes, cut wherever the network has cut them."""
        place = 0
        while place < len(data):
            if self._left:
                taken = min(self._left, len(data) - place)
                self._take(taken)
                place += taken
            else:
                self._header.append(data[place])
                place += 1
                self._read_header()

    def _read_header(self) -> None:
        """Begin the payload, if the header is complete."""
        header = self._header
        if len(header) < 2:  # noqa: PLR2004 — flags and the short length
            return
        length = header[1] & 0x7F
        more = _LONGER.get(length, 0)
        if len(header) == 2 + more + (4 if header[1] & _MASKED else 0):
            self._left = int.from_bytes(header[2 : 2 + more]) if more else length
            self._take(0)

    def _take(self, size: int) -> None:
        self._left -= size
        is_message = not self._header[0] & _CONTROL
        if is_message:
            self.pending += size
        if not self._left:
            if is_message and self._header[0] & _FINISHED:
                self.pending = 0
            self._header.clear()
