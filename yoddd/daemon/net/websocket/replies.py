"""Cuts what a session sends into the messages of a WebSocket."""

from __future__ import annotations


class ReplySplitter:
    """Bytes of replies in, messages out.

    A session hands over whole replies, or the first line of a streaming one by itself, or whole
    lines of a stream: that is how the two kinds are told apart.
    """

    def __init__(self) -> None:
        """No stream is open."""
        self._streaming = False

    def split(self, data: bytes) -> list[str]:
        """The messages that ``data`` comes to; an empty one ends a streaming reply."""
        messages: list[str] = []
        rest = data.decode()
        while rest:
            if self._streaming:
                message, _, rest = rest.partition("\n")
                self._streaming = message != ""
            else:
                message, ended, rest = rest.partition("\n\n")
                if not ended:
                    self._streaming = True
                    message = message.removesuffix("\n")
            messages.append(message)
        return messages
