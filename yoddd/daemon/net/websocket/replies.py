"""Splits the output of a session into WebSocket messages."""

from __future__ import annotations


class ReplySplitter:
    """Splits replies into messages.

    A session writes whole replies, the first line of a streaming reply by itself, and whole lines
    of a stream; a first line without its empty line is therefore the beginning of a stream.
    """

    def __init__(self) -> None:
        """Create it for the beginning of a session."""
        # Whether a streaming reply is open; set by its first line, cleared by its empty line.
        self._is_streaming = False

    def split(self, data: bytes) -> list[str]:
        """Return the messages of ``data``; an empty message ends a streaming reply."""
        messages: list[str] = []
        rest = data.decode()
        while rest:
            if self._is_streaming:
                message, _, rest = rest.partition("\n")
                self._is_streaming = message != ""
            else:
                message, ended, rest = rest.partition("\n\n")
                if not ended:
                    self._is_streaming = True
                    message = message.removesuffix("\n")
            messages.append(message)
        return messages
