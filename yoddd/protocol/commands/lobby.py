"""The commands of the lobby: offers, games of users, and watching any game."""

from __future__ import annotations

from yoddd.protocol.arguments import NAME_RULE, is_name, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ANY, Args, Command, refuse_syntax
from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.lobby import Lobby, LobbyReply
from yoddd.protocol.replies import DeferredReply, StreamReply


def _checked_name(name: str) -> str:
    if not is_name(name):
        refuse_syntax(f"name {name!r}: {NAME_RULE}")
    return name


def _agrees(args: Args) -> bool:
    word = args[0].lower() if args else "yes"
    if word not in {"yes", "no"}:
        refuse_syntax(f"{word!r}: expected yes or no")
    return word == "yes"


def _held(lobby: Lobby, reply: LobbyReply) -> DeferredReply:
    """The reply to ``seek``, whose offer ends with the connection that gets it."""

    def start(connection: ConnectionHandle, answer: ResultCallback) -> None:
        def hold(result: object) -> None:
            if isinstance(result, str):
                lobby.hold(result, connection)
            answer(result)

        if isinstance(reply, str):
            hold(reply)
        else:
            reply.start(connection, hold)

    return DeferredReply(start)


def _agreement_commands(lobby: Lobby) -> tuple[Command, ...]:
    def take_back(_client: ClientState, args: Args) -> LobbyReply:
        return lobby.take_back(args[0], agrees=_agrees(args[1:]))

    def rematch(client: ClientState, args: Args) -> LobbyReply:
        return lobby.rematch(client.origin, args[0], agrees=_agrees(args[1:]))

    return (
        Command(
            "takeback",
            "lobby",
            "KEY [yes|no]",
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

    def games(_client: ClientState, _args: Args) -> LobbyReply:
        found = lobby.games()
        return found if isinstance(found, DeferredReply) else "\n".join(found)

    def attached(_client: ClientState, _args: Args) -> str:
        return "\n".join(lobby.attached())

    def seek(client: ClientState, args: Args) -> DeferredReply:
        name, settings = _checked_name(args[0]), parse_settings(args[1:])
        return _held(lobby, lobby.seek(client.origin, name, settings))

    def accept(client: ClientState, args: Args) -> LobbyReply:
        return lobby.accept(client.origin, args[0], _checked_name(args[1]))

    def withdraw(_client: ClientState, args: Args) -> LobbyReply:
        return lobby.withdraw(args[0])

    def put(_client: ClientState, args: Args) -> LobbyReply:
        return lobby.put(args[0], args[1])

    def resume(client: ClientState, args: Args) -> LobbyReply:
        return lobby.resume(client.origin.user, args[0] if args else None)

    def observe(_client: ClientState, args: Args) -> StreamReply:
        lobby.check_watchable(args[0])
        return StreamReply("observe", args)

    return (
        Command("games", "lobby", "", "the games offered, played or lately over", games, cost=8),
        Command("attached", "lobby", "", "the attached engines, one a line", attached, cost=2),
        Command(
            "seek",
            "lobby",
            "NAME [against=NAME] [seat=b|w|any] [clock=CLOCK] [rated=yes|no] "
            "[accept=anyone|users] [OPTION=VALUE...]",
            "offer a game; its id and a key that is yours alone",
            seek,
            (1, ANY),
            8,
        ),
        Command("accept", "lobby", "ID NAME", "take an offer; your key", accept, (2, 2), 8),
        Command("withdraw", "lobby", "KEY", "take an offer back", withdraw, (1, 1), 2),
        Command("put", "lobby", "KEY TURN", "play a turn in your game", put, (2, 2), 8),
        *_agreement_commands(lobby),
        Command(
            "resume",
            "lobby",
            "[ID]",
            "a new key for a game that you play; without ID, the ids of those games",
            resume,
            (0, 1),
            4,
        ),
        Command(
            "observe",
            "lobby",
            "ID [KEY]",
            "watch a game from its start; a streaming reply",
            observe,
            (1, 2),
            8,
        ),
    )
