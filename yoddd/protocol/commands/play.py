"""The commands that play turns and take them back."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import check_player, parse_number, read_stones
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command
from yoddd.protocol.commands.turns import play_turn
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import PASS, RESIGN, SWAP, Turn

_MAX_UNDO: Final = 10**6


def _drop(client: ClientState, args: Args) -> str:
    return play_turn(client.position, Turn.drop(*read_stones(args, client.position)))


def _pass(client: ClientState, _args: Args) -> str:
    return play_turn(client.position, PASS)


def _swap(client: ClientState, _args: Args) -> str:
    return play_turn(client.position, SWAP)


def _resign(client: ClientState, _args: Args) -> str:
    return play_turn(client.position, RESIGN)


def _play(client: ClientState, args: Args) -> str:
    player, token = args
    turn = client.read_turn(token, client.position)
    check_player(player, client.position)
    return play_turn(client.position, turn)


def _undo(client: ClientState, args: Args) -> str:
    wanted = parse_number("turns", args[0], 0, _MAX_UNDO) if args else 1
    played = len(client.position.history)
    if wanted > played:
        detail = f"only {played} played" if played else "no turn was played"
        raise PeerError(Code.CANNOT_UNDO, detail)
    for _ in range(wanted):
        client.position.undo()
    return ""


COMMANDS: Final = (
    Command(
        "drop",
        "play",
        "STONE [STONE]",
        "play a whole turn for the player on turn",
        _drop,
        (1, 2),
        8,
    ),
    Command("pass", "play", "", "pass", _pass, cost=4),
    Command("swap", "play", "", "swap sides (Yoin, White's first turn)", _swap, cost=4),
    Command("resign", "play", "", "give up", _resign, cost=4),
    Command(
        "play",
        "play",
        "PLAYER TURN",
        "play a turn such as 1c3,2d4, pass, swap or resign",
        _play,
        (2, 2),
        8,
    ),
    Command("undo", "play", "[N]", "take back the last turn, or the last N", _undo, (0, 1), 4),
    Command("gg-undo", "play", "N", "take back the last N turns", _undo, (1, 1), 4),
)
