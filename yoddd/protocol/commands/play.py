"""The commands that play turns and take them back."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import parse_number, parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command
from yoddd.rules import PASS, RESIGN, SWAP, Turn

_MAX_UNDO: Final = 10**6


def _play_next(client: ClientState, turn: Turn) -> str:
    client.entry.play(turn, client.spelling)
    return ""


def _drop(client: ClientState, args: Args) -> str:
    return _play_next(client, Turn.drop(*client.spelling.read_stones(args, client.position.player)))


def _pass(client: ClientState, _args: Args) -> str:
    return _play_next(client, PASS)


def _swap(client: ClientState, _args: Args) -> str:
    return _play_next(client, SWAP)


def _resign(client: ClientState, _args: Args) -> str:
    return _play_next(client, RESIGN)


def _play(client: ClientState, args: Args) -> str:
    player, token = args
    client.entry.enter(parse_player(player), token, client.spelling)
    return ""


def _undo(client: ClientState, args: Args) -> str:
    client.entry.undo(parse_number("turns", args[0], 0, _MAX_UNDO) if args else 1)
    return ""


COMMANDS: Final = (
    Command(
        "drop",
        "play",
        "STONE [STONE]",
        "play a whole turn for the player to move",
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
