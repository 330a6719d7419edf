"""The size of a WebSocket message that is being received (frames of RFC 6455, section 5.2)."""

from __future__ import annotations

from typing import Final

_CONTROL: Final = 0x08
"""The opcode bit of control frames (ping, pong, close), which are not part of a message."""

_FIN: Final = 0x80
"""The bit of the first byte of a message's last frame."""

_MASK: Final = 0x80
"""The bit of the second byte of a frame with a masking key of 4 bytes."""

_EXTENDED: Final = {126: 2, 127: 8}
"""Bytes of the extended payload length, by the value of the short one."""


class MessageSizeCounter:
    """Counts the payload bytes of the message that is being received, before it is complete.

    Attributes:
        pending: its bytes so far; 0 between two messages.
    """

    def __init__(self) -> None:
        """Create it for the beginning of a connection."""
        self.pending = 0
        # The header of the current frame, as far as it has been received; cleared at its end.
        self._header = bytearray()
        # Bytes of the current frame's payload that are still to be received.
        self._left = 0

    def add(self, data: bytes) -> None:
        """Take received bytes, which may end anywhere in a frame."""
        position = 0
        while position < len(data):
            if self._left:
                size = min(self._left, len(data) - position)
                self._skip(size)
                position += size
            else:
                self._header.append(data[position])
                position += 1
                self._read_header()

    def _read_header(self) -> None:
        """Begin the payload, if the header is complete."""
        header = self._header
        if len(header) < 2:
            return
        length = header[1] & 0x7F
        more = _EXTENDED.get(length, 0)
        if len(header) == 2 + more + (4 if header[1] & _MASK else 0):
            self._left = int.from_bytes(header[2 : 2 + more]) if more else length
            self._skip(0)

    def _skip(self, size: int) -> None:
        """Count ``size`` bytes of payload, and end the frame if they are its last."""
        self._left -= size
        is_message = not self._header[0] & _CONTROL
        if is_message:
            self.pending += size
        if not self._left:
            if is_message and self._header[0] & _FIN:
                self.pending = 0
            self._header.clear()
