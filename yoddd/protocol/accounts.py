"""The interface of the accounts that a daemon may offer to its sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from yoddd.protocol.effects import ConnectionHandle, ResultCallback


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
