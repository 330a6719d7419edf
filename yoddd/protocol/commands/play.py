"""The commands that play turns and take them back."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import parse_number, parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup
from yoddd.rules import PASS, Turn

_MAX_UNDO: Final = 10**6

COMMANDS: Final = CommandGroup("play")


def _play_next(client: ClientState, turn: Turn) -> str:
    client.entry.play(turn, client.spelling)
    return ""


@COMMANDS.command("drop", "STONE [STONE]", "play a whole turn for the player to move", 8)
def _drop(client: ClientState, args: Args) -> str:
    return _play_next(client, Turn.drop(*client.spelling.read_stones(args, client.position.player)))


@COMMANDS.command("pass", "", "pass", 4)
def _pass(client: ClientState, _args: Args) -> str:
    return _play_next(client, PASS)


@COMMANDS.command("play", "PLAYER TURN", "play a turn such as 1c3,2d4, pass, swap or resign", 8)
def _play(client: ClientState, args: Args) -> str:
    player, token = args
    client.entry.enter(parse_player(player), token, client.spelling)
    return ""


@COMMANDS.command("undo", "[N]", "take back the last turn, or the last N", 4)
def _undo(client: ClientState, args: Args) -> str:
    client.entry.undo(parse_number("turns", args[0], 0, _MAX_UNDO) if args else 1)
    return ""
