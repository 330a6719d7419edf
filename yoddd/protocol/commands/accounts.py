"""The commands about accounts: log-in, presence, leaderboards."""

from __future__ import annotations

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command, refuse_syntax
from yoddd.protocol.lobby import Accounts
from yoddd.protocol.replies import DeferredReply
from yoddd.rules import RulesError, make_rules


def account_commands(accounts: Accounts) -> tuple[Command, ...]:
    """Return the commands that ``accounts`` serves."""

    def login(client: ClientState, args: Args) -> DeferredReply:
        name, token = args

        def finish(user: str) -> str:
            client.identity.log_in(user)
            return ""

        return DeferredReply(
            lambda connection, answer: accounts.log_in(connection, name, token, answer), finish
        )

    def who(_client: ClientState, _args: Args) -> str:
        return "\n".join(accounts.who())

    def leaderboard(_client: ClientState, args: Args) -> DeferredReply:
        try:
            rules = make_rules(args[0], args[1] if len(args) > 1 else None)
        except RulesError as error:
            refuse_syntax(str(error))
        game, board = rules.game.name, rules.geometry.name
        return DeferredReply(
            lambda _connection, answer: accounts.leaderboard(game, board, answer),
            "\n".join,
        )

    return (
        Command("login", "accounts", "NAME TOKEN", "log in to an account", login, (2, 2), 8),
        Command("who", "accounts", "", "the people and engines that are here", who, cost=4),
        Command(
            "leaderboard",
            "accounts",
            "GAME [BOARD]",
            "the ratings of rated games, the best first",
            leaderboard,
            (1, 2),
            8,
        ),
    )
