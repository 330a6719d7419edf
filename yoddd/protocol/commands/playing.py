"""What several groups need: playing one turn, or many or none, and putting off what takes long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.protocol.command import Client, Outcome, Task
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.words import check_player
from yoddd.rules import IllegalTurn, PositionLike, Turn

Move = tuple[str | None, str]
"""The player's word, or None for whoever is on turn, and the turn's token."""

ReadTurn = Callable[[str, PositionLike], Turn]
"""Reads a token for the player on turn."""

_HEAVY_MOVES: Final = 20_000
"""Turns times cells from which on playing them is a task; some 20 ms of flood fill."""

_HEAVY_CELLS: Final = 250
"""Empty cells from which on going through turns of two stones takes more than some 20 ms."""


def perhaps_later(position: PositionLike, work: Callable[[PositionLike], str]) -> Outcome:
    """Go through the turns at once on a small board, as a task on a large one."""
    if position.rules.two_stones and position.cells.count(None) > _HEAVY_CELLS:
        snapshot = position.copy()
        return Task(lambda _stop: work(snapshot), str)
    return work(position)


def play_turn(position: PositionLike, turn: Turn) -> str:
    """Play ``turn`` for the player on turn and answer nothing."""
    try:
        position.play(turn)
    except IllegalTurn as error:
        raise PeerError(Code.ILLEGAL, error.reason) from None
    return ""


def replace_after(
    client: Client, start: PositionLike, moves: Sequence[Move], read: ReadTurn
) -> Outcome:
    """Play all of ``moves`` on ``start``, then make that the client's game: all or nothing."""

    def take(position: PositionLike) -> str:
        client.position = position
        return ""

    if len(moves) * start.rules.geometry.cells < _HEAVY_MOVES:
        return take(_after(start, moves, read))
    return Task(lambda _stop: _after(start, moves, read), take)


def _after(position: PositionLike, moves: Sequence[Move], read: ReadTurn) -> PositionLike:
    for number, (player, token) in enumerate(moves, 1):
        try:
            if player is not None:
                check_player(player, position)
            play_turn(position, read(token, position))
        except PeerError as error:
            raise PeerError(error.code, f"turn {number}, {token}: {error.detail}") from None
    return position
