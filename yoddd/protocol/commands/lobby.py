"""The commands of the lobby and of accounts: offers, games, watching, log-in and leaderboards."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_number, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_syntax
from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.lobby import Accounts, Claim, Lobby, LobbyReply, Pause, Put, TakeBack
from yoddd.protocol.replies import DeferredReply, StreamReply
from yoddd.rules import make_rules

_MOST_TURNS: Final = 99_999
"""The highest number of a turn in a request; no game is as long."""

_MOST_DAYS: Final = 14
"""The most days of a pause."""

COMMANDS: Final = CommandGroup("lobby")


def _lobby(client: ClientState) -> Lobby:
    lobby = client.config.services.lobby
    assert lobby is not None  # noqa: S101 — without one there are no such commands
    return lobby


def _checked_name(name: str) -> str:
    if not is_name(name):
        refuse_syntax(f"name {name!r}: {NAME_RULE}")
    return name


def _agrees(args: Args) -> bool:
    word = args[0].lower() if args else "yes"
    if word not in {"yes", "no"}:
        refuse_syntax(f"{word!r}: expected yes or no")
    return word == "yes"


def _held(lobby: Lobby, reply: LobbyReply, place: int = 0) -> DeferredReply:
    """A reply with a key, whose holder is present while the connection that gets it is open.

    That of a game between engines has none.

    Args:
        lobby: made the reply.
        reply: has the key among its words.
        place: of the key among them.
    """

    def start(connection: ConnectionHandle, answer: ResultCallback) -> None:
        def hold(result: object) -> None:
            words = result.split() if isinstance(result, str) else []
            for key in words[place : place + 1]:
                lobby.hold(key, connection)
            answer(result)

        if isinstance(reply, str):
            hold(reply)
        else:
            reply.start(connection, hold)

    return DeferredReply(start)


@COMMANDS.command("games", "[ID...]", "the games offered, played or lately over", 8)
def _games(client: ClientState, args: Args) -> str:
    return "\n".join(_lobby(client).games(args))


@COMMANDS.command(
    "who",
    "[game=GAME] [board=BOARD] [clock=CLOCK] [OPTION=VALUE...]",
    "the users who have logged in, and the attached engines; of an offer, the engines that play it",
    4,
)
def _who(client: ClientState, args: Args) -> str:
    return "\n".join(_lobby(client).who(client.origin, parse_settings(args)))


@COMMANDS.command(
    "seek",
    "NAME [against=NAME] [as=human|engine] [seat=b|w|any] [clock=CLOCK] [rated=yes|no] "
    "[accept=anyone|users] [invite=SECONDS] [OPTION=VALUE...]",
    "offer a game; its id and a key that is yours alone",
    8,
)
def _seek(client: ClientState, args: Args) -> DeferredReply:
    lobby, name, settings = _lobby(client), _checked_name(args[0]), parse_settings(args[1:])
    return _held(lobby, lobby.seek(client.origin, name, settings), 1)


@COMMANDS.command("accept", "ID NAME [SECRET]", "take an offer; your key", 8)
def _accept(client: ClientState, args: Args) -> DeferredReply:
    lobby, name = _lobby(client), _checked_name(args[1])
    return _held(lobby, lobby.accept(client.origin, args[0], name, *args[2:]))


@COMMANDS.command("withdraw", "KEY", "take an offer back", 2)
def _withdraw(client: ClientState, args: Args) -> LobbyReply:
    return _lobby(client).withdraw(args[0])


@COMMANDS.command("put", "KEY TURN [NUMBER]", "play a turn in your game", 8)
def _put(client: ClientState, args: Args) -> LobbyReply:
    key, turn, *rest = args
    number = parse_number("turn number", rest[0], 1, _MOST_TURNS) if rest else None
    return _lobby(client).play(key, Put(turn, number))


@COMMANDS.command(
    "takeback", "KEY [no|LENGTH]", "ask to take back your last turn, or answer the one who asks", 8
)
def _take_back(client: ClientState, args: Args) -> LobbyReply:
    key, *answer = args
    if answer and answer[0].lower() == "no":
        return _lobby(client).play(key, TakeBack(agrees=False))
    length = parse_number("number of turns", answer[0], 0, _MOST_TURNS) if answer else None
    return _lobby(client).play(key, TakeBack(agrees=True, value=length))


@COMMANDS.command(
    "pause", "KEY DAYS|no", "ask for a pause of a game by the day, or answer the one who asks", 8
)
def _pause(client: ClientState, args: Args) -> LobbyReply:
    key, answer = args
    is_answer = answer.lower() == "no"
    days = None if is_answer else parse_number("number of days", answer, 1, _MOST_DAYS)
    return _lobby(client).play(key, Pause(days))


@COMMANDS.command(
    "rematch", "KEY [yes|no]", "play again with the seats exchanged: its id and your key", 8
)
def _rematch(client: ClientState, args: Args) -> LobbyReply:
    lobby, agrees = _lobby(client), _agrees(args[1:])
    reply = lobby.rematch(client.origin, args[0], agrees=agrees)
    return _held(lobby, reply, 1) if agrees else reply


@COMMANDS.command("claim", "KEY", "win a game that the other has left long ago", 4)
def _claim(client: ClientState, args: Args) -> LobbyReply:
    return _lobby(client).play(args[0], Claim())


@COMMANDS.command(
    "resume",
    "[ID [KEY]]",
    "a new key for a game that you play; without ID, the ids of those games",
    4,
)
def _resume(client: ClientState, args: Args) -> LobbyReply:
    lobby = _lobby(client)
    reply = lobby.resume(client.origin.user, *args)
    return _held(lobby, reply) if args else reply


@COMMANDS.command("observe", "ID [KEY|-]", "watch a game from its start; a streaming reply", 8)
def _observe(client: ClientState, args: Args) -> StreamReply:
    _lobby(client).check_watchable(args[0])
    return StreamReply("observe", args)


ACCOUNTS: Final = CommandGroup("accounts")


def _accounts(client: ClientState) -> Accounts:
    accounts = client.config.services.accounts
    assert accounts is not None  # noqa: S101 — without them there are no such commands
    return accounts


@ACCOUNTS.command("login", "NAME TOKEN", "log in to an account", 8)
def _login(client: ClientState, args: Args) -> DeferredReply:
    accounts, (name, token) = _accounts(client), args

    def finish(user: str) -> str:
        client.identity.log_in(user)
        return ""

    return DeferredReply(
        lambda connection, answer: accounts.log_in(connection, name, token, answer), finish
    )


@ACCOUNTS.command("leaderboard", "GAME [BOARD]", "the ratings of rated games, the best first", 8)
def _leaderboard(client: ClientState, args: Args) -> DeferredReply:
    accounts = _accounts(client)
    rules = make_rules(args[0], args[1] if len(args) > 1 else None)
    game, board = rules.game.name, rules.geometry.name
    return DeferredReply(
        lambda _connection, answer: accounts.leaderboard(game, board, answer), "\n".join
    )
