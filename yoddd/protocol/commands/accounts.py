"""The commands about accounts: log-in and leaderboards."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup
from yoddd.protocol.lobby import Accounts
from yoddd.protocol.replies import DeferredReply
from yoddd.rules import make_rules

COMMANDS: Final = CommandGroup("accounts")


def _accounts(client: ClientState) -> Accounts:
    accounts = client.config.services.accounts
    assert accounts is not None  # noqa: S101 — without them there are no such commands
    return accounts


@COMMANDS.command("login", "NAME TOKEN", "log in to an account", 8)
def _login(client: ClientState, args: Args) -> DeferredReply:
    accounts, (name, token) = _accounts(client), args

    def finish(user: str) -> str:
        client.identity.log_in(user)
        return ""

    return DeferredReply(
        lambda connection, answer: accounts.log_in(connection, name, token, answer), finish
    )


@COMMANDS.command("leaderboard", "GAME [BOARD]", "the ratings of rated games, the best first", 8)
def _leaderboard(client: ClientState, args: Args) -> DeferredReply:
    accounts = _accounts(client)
    rules = make_rules(args[0], args[1] if len(args) > 1 else None)
    game, board = rules.game.name, rules.geometry.name
    return DeferredReply(
        lambda _connection, answer: accounts.leaderboard(game, board, answer), "\n".join
    )
