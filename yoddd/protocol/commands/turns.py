"""Playing turns and counting them: at once where that is quick, else as a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from yoddd.engine import StopFlag
from yoddd.kernel import best_position
from yoddd.protocol.arguments import parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PositionLike

T = TypeVar("T")

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


def until(stop: StopFlag, items: Iterable[T]) -> Iterator[T]:
    """Yield ``items`` and poll ``stop`` before each.

    Raises:
        PeerError: ``stop`` said True.
    """
    for item in items:
        if stop():
            raise PeerError(Code.INTERRUPTED)
        yield item


def reply_about_turns(
    position: PositionLike, work: Callable[[PositionLike, StopFlag], str]
) -> CommandReply:
    """Reply with ``work(position, stop)``, which enumerates turns: as a task on a large board.

    The largest board has some 430,000 turns. To list them takes half a second of a processor, and
    many times that while other threads want the interpreter.
    """
    if position.rules.two_stones and position.cells.count(None) > _HEAVY_CELLS:
        snapshot = position.copy()
        return TaskReply(lambda stop: work(snapshot, stop), str)
    return work(position, lambda: False)


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
    for number, (player, token) in until(stop, enumerate(moves, 1)):
        try:
            if player is None:
                entry.play(spelling.read_turn(token, entry.position.player), spelling)
            else:
                entry.enter(parse_player(player), token, spelling)
        except PeerError as error:
            detail = f"turn {number}, {token}: {error.detail}"
            raise PeerError(error.subcode or error.code, detail) from None
    return entry
