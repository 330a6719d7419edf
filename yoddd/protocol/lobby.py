"""The interface of the lobby that a daemon may offer to its sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

import attrs

from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply

LobbyReply = str | DeferredReply
"""The text of a reply, or the call that it waits for."""


@attrs.frozen
class Put:
    """A turn, as turn ``number`` of the game if that is given, or ``resign`` at any time."""

    turn: str
    number: int | None = None


@attrs.frozen
class TakeBack:
    """A request to take back the last turn, or an answer to the one who asks.

    With a ``value`` it agrees to the request of the other that leaves so many turns.
    """

    wish: ClassVar[str] = "takeback"
    agrees: bool
    value: int | None = None


@attrs.frozen
class Pause:
    """A request for a pause of a game by the day, or an answer to the one who asks.

    With as many days as the other has asked for it agrees; None declines.
    """

    wish: ClassVar[str] = "pause"
    value: int | None

    @property
    def agrees(self) -> bool:
        """Whether it is no refusal."""
        return self.value is not None


@attrs.frozen
class Claim:
    """A claim to win: the other participant, a human, has been away for long enough."""


SeatRequest = Put | TakeBack | Pause | Claim
"""What the holder of a key may ask of the game."""


class Lobby(Protocol):
    """Serves the commands of the lobby; each method raises PeerError to refuse.

    ``origin`` is the client, ``user`` the account that it is logged in to, None if it is not.
    """

    def games(self, ids: Sequence[str] = ()) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over; or for those of ``ids``."""

    def who(self, origin: Origin, settings: Mapping[str, str]) -> Sequence[str]:
        """A line for each user who has logged in and each attached engine.

        With the settings of an offer, only the engines that play it for the client.
        """

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> LobbyReply:
        """Offer a game; the reply is its id and the key of the seat, unless an engine has it."""

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

    def play(self, key: str, request: SeatRequest) -> LobbyReply:
        """Carry out a request in the game that the key is for; the reply is empty."""

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

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        """Look up a leaderboard; the result is its lines, the best first."""
