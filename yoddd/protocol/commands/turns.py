"""Playing turns and counting them: at once where that is quick, else as a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.engine import StopFlag
from yoddd.kernel import best_position
from yoddd.protocol.arguments import check_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.rules import IllegalTurn, PositionLike, Turn

Move = tuple[str | None, str]
"""The word for the player, or None for the player to move, and the token of the turn."""

ReadTurn = Callable[[str, PositionLike], Turn]
"""Reads a token for the player to move."""

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

    The task is not stopped: the largest board has some 430,000 turns, which take 0.2 s.
    """
    if position.rules.two_stones and position.cells.count(None) > _HEAVY_CELLS:
        snapshot = position.copy()
        return TaskReply(lambda _stop: work(snapshot), str)
    return work(position)


def play_turn(position: PositionLike, turn: Turn) -> str:
    """Play ``turn`` for the player to move; the reply is empty."""
    try:
        position.play(turn)
    except IllegalTurn as error:
        raise PeerError(Code.ILLEGAL, error.reason) from None
    return ""


def replace_after(
    client: ClientState, start: PositionLike, moves: Sequence[Move], read: ReadTurn
) -> CommandReply:
    """Play all of ``moves`` on ``start`` and make that the client's game, or refuse them all."""

    def take(position: PositionLike) -> str:
        client.position = position
        return ""

    if len(moves) * start.rules.geometry.cells < _HEAVY_MOVES:
        return take(_after(start, moves, read, lambda: False))
    return TaskReply(lambda stop: _after(start, moves, read, stop), take)


def _after(
    position: PositionLike, moves: Sequence[Move], read: ReadTurn, stop: StopFlag
) -> PositionLike:
    for number, (player, token) in enumerate(moves, 1):
        if stop():
            raise PeerError(Code.INTERRUPTED)
        try:
            if player is not None:
                check_player(player, position)
            play_turn(position, read(token, position))
        except PeerError as error:
            raise PeerError(error.code, f"turn {number}, {token}: {error.detail}") from None
    return position
