"""Accounts: logging in, who is here, and who stands where."""

from __future__ import annotations

from yoddd.protocol.accounts import Accounts
from yoddd.protocol.command import Args, Client, Command, Later, refuse_syntax
from yoddd.rules import RulesError, make_rules


def account_commands(accounts: Accounts) -> tuple[Command, ...]:
    """The commands, served by ``accounts``."""

    def login(client: Client, args: Args) -> Later:
        name, token = args

        def finish(user: str | None) -> str:
            client.user, client.logged_in = user, True
            return ""

        return Later(lambda guest, answer: accounts.log_in(guest, name, token, answer), finish)

    def who(_client: Client, _args: Args) -> str:
        return "\n".join(accounts.who())

    def leaderboard(_client: Client, args: Args) -> Later:
        try:
            rules = make_rules(args[0], args[1] if len(args) > 1 else None)
        except RulesError as error:
            refuse_syntax(str(error))
        game, board = rules.game.name, rules.geometry.name
        return Later(
            lambda _guest, answer: accounts.leaderboard(game, board, answer),
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
