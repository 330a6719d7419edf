"""What a peer may do before it has logged in, where it has to."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.protocol.errors import Code, PeerError

OPEN: Final = frozenset(
    (
        "attach",  # carries its own token
        "hello",
        "help",
        "known_command",
        "list_commands",
        "login",
        "name",
        "protocol_version",
        "quit",
        "register",
        "version",
    )
)
"""The commands that are served to anybody."""


@attrs.frozen
class LoginLimits:
    """How much a peer gets before it logs in.

    Attributes:
        commands: requests.
        output: bytes of replies.
    """

    commands: int
    output: int


class Entrance:
    """Counts what a peer has had so far."""

    def __init__(self, limits: LoginLimits) -> None:
        """It has had nothing."""
        self._limits = limits
        self._commands = 0
        self._output = 0

    def check(self, command: str) -> None:
        """Count a request in.

        Raises:
            PeerError: the command is for those who have logged in; fatal where the peer had enough.
        """
        self._commands += 1
        if self._commands > self._limits.commands or self._output > self._limits.output:
            raise PeerError(Code.LOGIN, "enough asked without it", fatal=True)
        if command not in OPEN:
            raise PeerError(Code.LOGIN, command)

    def replied(self, size: int) -> None:
        """Count ``size`` bytes of a reply."""
        self._output += size
