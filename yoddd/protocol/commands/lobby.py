"""The commands of the lobby: offers, games of users, and watching any game."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_number, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, Command, refuse_syntax
from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.lobby import Lobby, LobbyReply
from yoddd.protocol.replies import DeferredReply, StreamReply

_MOST_TURNS: Final = 99_999
"""The highest number of a turn in a request; no game is as long."""


def _checked_name(name: str) -> str:
    if not is_name(name):
        refuse_syntax(f"name {name!r}: {NAME_RULE}")
    return name


def _agrees(args: Args) -> bool:
    word = args[0].lower() if args else "yes"
    if word not in {"yes", "no"}:
        refuse_syntax(f"{word!r}: expected yes or no")
    return word == "yes"


def _take_back(lobby: Lobby, args: Args) -> LobbyReply:
    key, *answer = args
    if answer and answer[0].lower() == "no":
        return lobby.take_back(key, agrees=False)
    length = parse_number("number of turns", answer[0], 0, _MOST_TURNS) if answer else None
    return lobby.take_back(key, agrees=True, length=length)


def _held(lobby: Lobby, reply: LobbyReply, place: int = 0) -> DeferredReply:
    """A reply with a key, whose holder is present while the connection that gets it is open.

    Args:
        lobby: made the reply.
        reply: has the key among its words.
        place: of the key among them.
    """

    def start(connection: ConnectionHandle, answer: ResultCallback) -> None:
        def hold(result: object) -> None:
            if isinstance(result, str):
                lobby.hold(result.split()[place], connection)
            answer(result)

        if isinstance(reply, str):
            hold(reply)
        else:
            reply.start(connection, hold)

    return DeferredReply(start)


def _agreement_commands(lobby: Lobby) -> tuple[Command, ...]:
    def take_back(_client: ClientState, args: Args) -> LobbyReply:
        return _take_back(lobby, args)

    def rematch(client: ClientState, args: Args) -> LobbyReply:
        agrees = _agrees(args[1:])
        reply = lobby.rematch(client.origin, args[0], agrees=agrees)
        return _held(lobby, reply, 1) if agrees else reply

    return (
        Command(
            "takeback",
            "lobby",
            "KEY [no|LENGTH]",
            "ask to take back your last turn, or answer the one who asks",
            take_back,
            (1, 2),
            8,
        ),
        Command(
            "rematch",
            "lobby",
            "KEY [yes|no]",
            "play again with the seats exchanged: its id and your key",
            rematch,
            (1, 2),
            8,
        ),
    )


def lobby_commands(lobby: Lobby) -> tuple[Command, ...]:
    """Return the commands that ``lobby`` serves."""

    def games(_client: ClientState, args: Args) -> str:
        return "\n".join(lobby.games(args))

    def attached(_client: ClientState, _args: Args) -> str:
        return "\n".join(lobby.attached())

    def seek(client: ClientState, args: Args) -> DeferredReply:
        name, settings = _checked_name(args[0]), parse_settings(args[1:])
        return _held(lobby, lobby.seek(client.origin, name, settings), 1)

    def accept(client: ClientState, args: Args) -> DeferredReply:
        name, secret = _checked_name(args[1]), args[2] if len(args) > 2 else None
        return _held(lobby, lobby.accept(client.origin, args[0], name, secret))

    def withdraw(_client: ClientState, args: Args) -> LobbyReply:
        return lobby.withdraw(args[0])

    def put(_client: ClientState, args: Args) -> LobbyReply:
        key, turn, *rest = args
        number = parse_number("turn number", rest[0], 1, _MOST_TURNS) if rest else None
        return lobby.put(key, turn, number)

    def claim(_client: ClientState, args: Args) -> LobbyReply:
        return lobby.claim(args[0])

    def resume(client: ClientState, args: Args) -> LobbyReply:
        reply = lobby.resume(client.origin.user, *args)
        return _held(lobby, reply) if args else reply

    def observe(_client: ClientState, args: Args) -> StreamReply:
        lobby.check_watchable(args[0])
        return StreamReply("observe", args)

    return (
        Command(
            "games",
            "lobby",
            "[ID...]",
            "the games offered, played or lately over",
            games,
            (0, ANY),
            8,
        ),
        Command("attached", "lobby", "", "the attached engines, one per line", attached, cost=2),
        Command(
            "seek",
            "lobby",
            "NAME [against=NAME] [seat=b|w|any] [clock=CLOCK] [rated=yes|no] "
            "[accept=anyone|users] [invite=SECONDS] [OPTION=VALUE...]",
            "offer a game; its id and a key that is yours alone",
            seek,
            (1, ANY),
            8,
        ),
        Command(
            "accept", "lobby", "ID NAME [SECRET]", "take an offer; your key", accept, (2, 3), 8
        ),
        Command("withdraw", "lobby", "KEY", "take an offer back", withdraw, (1, 1), 2),
        Command("put", "lobby", "KEY TURN [NUMBER]", "play a turn in your game", put, (2, 3), 8),
        *_agreement_commands(lobby),
        Command(
            "claim", "lobby", "KEY", "win a game that the other has left long ago", claim, (1, 1), 4
        ),
        Command(
            "resume",
            "lobby",
            "[ID [KEY]]",
            "a new key for a game that you play; without ID, the ids of those games",
            resume,
            (0, 2),
            4,
        ),
        Command(
            "observe",
            "lobby",
            "ID [KEY|-]",
            "watch a game from its start; a streaming reply",
            observe,
            (1, 2),
            8,
        ),
    )
