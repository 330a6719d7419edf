"""Keys and the secrets of invites: a key plays one seat of one game of the lobby."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from yoddd.daemon.lobby.lobby_game import LobbyGame
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee.seat import Seat
from yoddd.store.values import digest

Seated = tuple[LobbyGame, Seat]
"""One seat of one game."""


SECRET: Final = 16
"""The random bytes of the key of a seat, and of the secret that accepts an invite."""


class KeyTable:
    """The keys of the games that are not over, by their digests."""

    def __init__(self) -> None:
        """Create it without keys."""
        # By the digest of each key, its game and seat. A game that is over has none, so this bounds
        # the games.
        self._seats: dict[str, Seated] = {}
        # The digests of each game's keys, as `read` found them last.
        self._digests: dict[LobbyGame, Iterable[str]] = {}

    @property
    def games(self) -> Collection[LobbyGame]:
        """The games of humans that are offered or in play, by their keys."""
        return self._digests.keys()

    def read(self, game: LobbyGame) -> None:
        """Make the keys that a game has now valid, and void those that it had."""
        self.void(game)
        keys = game.seats.keys
        if keys:
            self._digests[game] = tuple(keys)
            self._seats |= {key: (game, seat) for key, seat in keys.items()}

    def void(self, game: LobbyGame) -> None:
        """Void the keys of a game."""
        for key in self._digests.pop(game, ()):
            del self._seats[key]

    def get(self, key: str) -> Seated | None:
        """The game and seat of a key; None if no game has it."""
        return self._seats.get(digest(key))

    def find(self, key: str) -> Seated:
        """The game and seat of a key.

        Raises:
            PeerError: no game has it.
        """
        found = self.get(key)
        if found is None:
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        return found
