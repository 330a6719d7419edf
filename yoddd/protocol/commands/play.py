"""The commands that play turns, and turns in a row: at once where that is quick, else as a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.engine import StopFlag
from yoddd.kernel import best_position
from yoddd.protocol.arguments import parse_number, parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PASS, PositionLike, Turn

Move = tuple[str | None, str]
"""The word for the player, or None for the player to move, and the token of the turn."""

_HEAVY_MOVES: Final = 20_000
"""Turns times cells from which playing them is a task: some 20 ms of flood fill."""

_HEAVY_CELLS: Final = 170
"""Empty cells above which enumerating turns of two stones takes more than some 20 ms."""


def fast_copy(position: PositionLike) -> PositionLike:
    """Return a position of the same content without history, on the kernel if there is one.

    It counts turns a thousand times as fast as the reference, and without the interpreter's lock.
    """
    if position.is_over:
        return position.copy()
    return best_position().set_up(
        position.rules, position.cells, position.player, position.passes, position.number
    )


def reply_about_turns(position: PositionLike, work: Callable[[PositionLike], str]) -> CommandReply:
    """Reply with ``work(position)``, which enumerates turns: as a task on a large board.

    The task is not stopped: the largest board has some 430,000 turns, whose last 10,000 take 0.2 s.
    """
    if position.rules.two_stones and position.cells.count(None) > _HEAVY_CELLS:
        snapshot = position.copy()
        return TaskReply(lambda _stop: work(snapshot), str)
    return work(position)


def replace_after(client: ClientState, start: TurnEntry, moves: Sequence[Move]) -> CommandReply:
    """Play all of ``moves`` on ``start`` and make that the client's game, or refuse them all."""
    spelling = client.spelling_of(start.position.rules)

    def take(entry: TurnEntry) -> str:
        client.entry = entry
        return ""

    if len(moves) * start.position.rules.geometry.cells < _HEAVY_MOVES:
        return take(_after(start, moves, spelling, lambda: False))
    return TaskReply(lambda stop: _after(start, moves, spelling, stop), take)


def _after(
    entry: TurnEntry, moves: Sequence[Move], spelling: Spelling, stop: StopFlag
) -> TurnEntry:
    for number, (player, token) in enumerate(moves, 1):
        if stop():
            raise PeerError(Code.INTERRUPTED)
        try:
            if player is None:
                entry.play(spelling.read_turn(token, entry.position.player), spelling)
            else:
                entry.enter(parse_player(player), token, spelling)
        except PeerError as error:
            detail = f"turn {number}, {token}: {error.detail}"
            raise PeerError(error.subcode or error.code, detail) from None
    return entry


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
