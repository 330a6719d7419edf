"""The origin of a client, its address and account, and what it may do before it logs in."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.protocol.errors import Code, PeerError


def fold(name: str) -> str:
    """The unique form of a name that `is_name` allows: ``Ann`` and ``ann`` are one."""
    return name.lower()


@attrs.frozen
class Origin:
    """The account and the address of a client.

    Attributes:
        user: the account that it is logged in to, as that account spells it; None if it is not.
        place: its IPv4 address or IPv6 /64 network; None for a client that is trusted: over a UNIX
            socket or standard streams, from a network of ``limits.exempt``, or the daemon itself.
    """

    user: str | None = None
    place: str | None = None

    @property
    def is_trusted(self) -> bool:
        """Whether it may do what the owner of any engine may, and has no share."""
        return self.place is None

    @property
    def key(self) -> str:
        """The key of its share: the account, or the address of a client without one."""
        return f"account {fold(self.user)}" if self.user is not None else f"address {self.place}"

    def owns(self, owner: Origin) -> bool:
        """Whether it may do what ``owner`` may.

        That is: it is trusted, or has the owner's address or account.
        """
        if self.is_trusted or self.place == owner.place:
            return True
        return self.user is not None and owner.user is not None and self.key == owner.key


@attrs.define(eq=False)
class Identity:
    """The log-in of a connection, which all sessions over it share.

    Attributes:
        origin: the account, which ``login`` sets, and the address.
        logged_in: whether the client has logged in; ``login`` sets it.
    """

    origin: Origin
    logged_in: bool = False

    def log_in(self, user: str) -> None:
        """Log in to an account."""
        self.origin = attrs.evolve(self.origin, user=user)
        self.logged_in = True


TRUSTED: Final = Origin()
"""The origin of the daemon's own requests, and of clients on the same machine by default."""


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

    __slots__ = ("_commands", "_identity", "_limits", "_output")

    def __init__(self, limits: LoginLimits, identity: Identity) -> None:
        """Start with nothing used; everything is admitted once ``identity`` has logged in."""
        self._limits = limits
        self._identity = identity
        # Requests admitted or refused, and bytes replied to them; both only grow.
        self._commands = 0
        self._output = 0

    @property
    def is_open(self) -> bool:
        """Whether everything is admitted."""
        return self._identity.logged_in

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
        if not self.is_open:
            self._output += size


OPEN_GATE: Final = LoginGate(LoginLimits(), Identity(TRUSTED, logged_in=True))
"""Admits everything, where no log-in is required."""
