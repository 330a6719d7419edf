"""The origin of a request: the account and the address that rights and shares go by."""

from __future__ import annotations

from typing import Final

import attrs


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
