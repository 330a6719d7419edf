"""The commands that play turns and take them back."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import parse_number, parse_player, read_stones
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PASS, RESIGN, SWAP, Turn

_MAX_UNDO: Final = 10**6


def play_next(entry: TurnEntry, turn: Turn) -> str:
    """Play a turn of the player to move; the reply is empty."""
    entry.play_next(turn)
    return ""


def _drop(client: ClientState, args: Args) -> str:
    return play_next(client.entry, Turn.drop(*read_stones(args, client.position)))


def _pass(client: ClientState, _args: Args) -> str:
    return play_next(client.entry, PASS)


def _swap(client: ClientState, _args: Args) -> str:
    return play_next(client.entry, SWAP)


def _resign(client: ClientState, _args: Args) -> str:
    return play_next(client.entry, RESIGN)


def _play(client: ClientState, args: Args) -> str:
    player, token = args
    turn = client.read_turn(token, client.position)
    client.entry.play(parse_player(player), turn)
    return ""


def _undo(client: ClientState, args: Args) -> str:
    client.entry.undo(parse_number("turns", args[0], 0, _MAX_UNDO) if args else 1)
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
