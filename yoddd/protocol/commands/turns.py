"""Playing turns and counting them: at once where that is quick, else as a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yoddd.protocol.arguments import parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import PeerError
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PositionLike

Move = tuple[str | None, str]
"""The word for the player, or None for the player to move, and the token of the turn."""

_HEAVY_MOVES: Final = 20_000
"""Turns times cells from which playing them is a task: some 20 ms of flood fill."""

_HEAVY_CELLS: Final = 250
"""Empty cells above which enumerating turns of two stones takes more than some 20 ms."""


def reply_about_turns(position: PositionLike, work: Callable[[PositionLike], str]) -> CommandReply:
    """Reply with ``work(position)``, which enumerates turns: as a task on a large board."""
    if position.rules.two_stones and position.cells.count(None) > _HEAVY_CELLS:
        snapshot = position.copy()
        return TaskReply(lambda _stop: work(snapshot), str)
    return work(position)


def replace_after(client: ClientState, start: TurnEntry, moves: Sequence[Move]) -> CommandReply:
    """Play all of ``moves`` on ``start`` and make that the client's game, or refuse them all."""
    spelling = client.spelling_of(start.position.rules)

    def take(entry: TurnEntry) -> str:
        client.entry = entry
        client.tables.prepare(entry.position.rules)
        return ""

    if len(moves) * start.position.rules.geometry.cells < _HEAVY_MOVES:
        return take(_after(start, moves, spelling))
    return TaskReply(lambda _stop: _after(start, moves, spelling), take)


def _after(entry: TurnEntry, moves: Sequence[Move], spelling: Spelling) -> TurnEntry:
    for number, (player, token) in enumerate(moves, 1):
        try:
            if player is None:
                entry.play(spelling.read_turn(token, entry.position.player), spelling)
            else:
                entry.enter(parse_player(player), token, spelling)
        except PeerError as error:
            raise PeerError(error.code, f"turn {number}, {token}: {error.detail}") from None
    return entry
