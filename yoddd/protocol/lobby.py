"""What a session needs of a lobby, if the daemon has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # which needs the configuration, and that needs this
    from yoddd.protocol.command import Later

Reply: TypeAlias = "str | Later"
"""The text of a reply, or what it has to wait for."""


class Lobby(Protocol):
    """What the daemon does for the lobby's commands; each method raises PeerError to refuse.

    ``user`` is the account that the peer has logged in to, None if none.
    """

    def games(self) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over."""

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""

    def seek(self, user: str | None, name: str, settings: Mapping[str, str]) -> Reply:
        """Offer a game; its id and the key of whoever offers it."""

    def accept(self, user: str | None, game_id: str, name: str) -> Reply:
        """Take an offer; the key of whoever takes it."""

    def withdraw(self, key: str) -> Reply:
        """Take an offer back; an empty reply."""

    def put(self, key: str, turn: str) -> Reply:
        """Play a turn in the game that the key is for; an empty reply."""

    def resume(self, user: str | None, game_id: str | None) -> Reply:
        """A new key for a game that ``user`` plays; without an id, the ids of those games."""

    def check_watchable(self, game_id: str) -> None:
        """Refuse the id of a game that is not known."""
