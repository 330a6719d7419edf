"""The login gate: what a peer may do before it has logged in, where log-in is required."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.origin import Identity

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
"""The commands that are served before log-in."""


@attrs.frozen
class LoginLimits:
    """The share of a peer that has not logged in.

    Attributes:
        commands: requests.
        output: bytes of replies.
    """

    commands: int = 32
    output: int = 16 * 1024


class LoginGate:
    """Admits the requests of a peer that has not logged in, and counts them."""

    __slots__ = ("_commands", "_identity", "_is_required", "_limits", "_output")

    def __init__(self, limits: LoginLimits, identity: Identity, *, is_required: bool) -> None:
        """Start with nothing used; everything is admitted unless a log-in ``is_required``."""
        self._limits = limits
        self._identity = identity
        self._is_required = is_required
        # Requests admitted or refused, and bytes replied to them; both only grow.
        self._commands = 0
        self._output = 0

    @property
    def is_open(self) -> bool:
        """Whether everything is admitted."""
        return self._identity.logged_in or not self._is_required

    def check(self, command: str) -> None:
        """Count one request and check that it may be served.

        Raises:
            PeerError: the command requires log-in; fatal if the limits are used up.
        """
        if self.is_open:
            return
        self._commands += 1
        if self._commands > self._limits.commands or self._output > self._limits.output:
            raise PeerError(Code.LOGIN, "enough asked without it", fatal=True)
        if command not in OPEN:
            raise PeerError(Code.LOGIN, command)

    def replied(self, size: int) -> None:
        """Count ``size`` bytes of a reply."""
        self._output += size
