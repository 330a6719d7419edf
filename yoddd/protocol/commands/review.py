"""The command that judges every turn of the current game."""

from __future__ import annotations

from typing import Final

from yoddd.protocol.arguments import parse_number, parse_pairs
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_syntax
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import AnalysisReply

_RANGES: Final = {"visits": (1, 100_000), "seed": (0, (1 << 63) - 1)}
_DEFAULTS: Final = {"visits": 1000, "seed": 0}

_INTERVAL: Final = 0.25
"""Seconds between two lines of progress."""

COMMANDS: Final = CommandGroup("engine")


@COMMANDS.command("review", "[KEY VALUE]...", "judge every turn of the game; a stream", 8)
def _review(client: ClientState, args: Args) -> AnalysisReply:
    numbers = _read(args)
    start = client.position.copy()
    turns = start.history
    for _ in turns:
        start.undo()
    if not turns:
        raise PeerError(Code.SYNTAX, "the game has no turn yet")
    # Not at import, which would make every session start later.
    from yoddd.protocol.review_work import ReviewWork

    work = ReviewWork(client, start, numbers)
    return AnalysisReply(work.run, None, _INTERVAL, None, resumes=True)


def _read(args: Args) -> dict[str, int]:
    numbers = dict(_DEFAULTS)
    for key, value in parse_pairs(args):
        if key not in _RANGES:
            refuse_syntax(f"{key!r}: expected one of {', '.join(_RANGES)}")
        numbers[key] = parse_number(key, value, *_RANGES[key])
    return numbers
