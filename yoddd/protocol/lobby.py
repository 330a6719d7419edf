"""The interface of the lobby that a daemon may offer to its sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply

LobbyReply = str | DeferredReply
"""The text of a reply, or the call that it waits for."""


class Lobby(Protocol):
    """Serves the commands of the lobby; each method raises PeerError to refuse.

    ``origin`` is the client, ``user`` the account that it is logged in to, None if it is not.
    """

    def games(self, ids: Sequence[str] = ()) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over; or for those of ``ids``."""

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> LobbyReply:
        """Offer a game; the reply is its id and the key of the seat."""

    def accept(
        self, origin: Origin, game_id: str, name: str, secret: str | None = None
    ) -> LobbyReply:
        """Accept an offer, an invite with its secret; the reply is the key of the seat."""

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        """Count the holder of a key as present until a connection is lost.

        An offer ends with the last connection of its owner.
        """

    def withdraw(self, key: str) -> LobbyReply:
        """Withdraw an offer; the reply is empty."""

    def put(self, key: str, turn: str, number: int | None = None) -> LobbyReply:
        """Play a turn in the game that the key is for; the reply is empty.

        With ``number`` it is refused unless it is that turn of the game.
        """

    def claim(self, key: str) -> LobbyReply:
        """Win a game whose other participant has been away too long; the reply is empty."""

    def take_back(self, key: str, *, agrees: bool, length: int | None = None) -> LobbyReply:
        """Ask to take back a turn, or answer the one who asks; the reply is empty.

        With a length, agree to the request of the other that leaves so many turns.
        """

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> LobbyReply:
        """Offer or accept a rematch of a game that is over, or decline it.

        The reply is the id of the new game and the key of the seat, or empty.
        """

    def resume(
        self, user: str | None, game_id: str | None = None, key: str | None = None
    ) -> LobbyReply:
        """Make a new key for a game that ``user`` plays; without an id, list those games' ids.

        With a key of the game the reply is the key to go on with.
        """

    def check_watchable(self, game_id: str) -> None:
        """Refuse the id of an unknown game."""


class Accounts(Protocol):
    """Serves the commands about accounts.

    The methods that take an ``answer`` pass it their result later, a ProtocolError to refuse.
    """

    def log_in(
        self, connection: ConnectionHandle, name: str, token: str, answer: ResultCallback
    ) -> None:
        """Log a connection in; the result is the name as the account spells it."""

    def who(self) -> Sequence[str]:
        """A line for each user and engine that is connected."""

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        """Look up a leaderboard; the result is its lines, the best first."""
