"""What a session needs of the daemon's accounts, if it has some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from yoddd.protocol.effects import Answer, Guest


class Accounts(Protocol):
    """What the daemon does for the commands about accounts.

    The methods that take an `Answer` give it their result later, a ProtocolError to refuse.
    """

    def log_in(self, guest: Guest, name: str, token: str, answer: Answer) -> None:
        """Log a peer in; the result is the name as the account spells it."""

    def who(self) -> Sequence[str]:
        """A line for each person and engine that is here."""

    def leaderboard(self, game: str, board: str, answer: Answer) -> None:
        """The result is the lines of a leaderboard, the best first."""
