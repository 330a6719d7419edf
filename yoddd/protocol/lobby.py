"""What a session needs of a lobby, if the daemon has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Lobby(Protocol):
    """What the daemon does for the lobby's commands; each method raises PeerError to refuse."""

    def games(self) -> Sequence[str]:
        """A line for each game that is offered, played, or lately over."""

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""

    def seek(self, name: str, settings: Mapping[str, str]) -> str:
        """Offer a game; its id and the key of whoever offers it."""

    def accept(self, game_id: str, name: str) -> str:
        """Take an offer; the key of whoever takes it."""

    def withdraw(self, key: str) -> None:
        """Take an offer back."""

    def put(self, key: str, turn: str) -> None:
        """Play a turn in the game that the key is for."""

    def check_watchable(self, game_id: str) -> None:
        """Refuse the id of a game that is not known."""
