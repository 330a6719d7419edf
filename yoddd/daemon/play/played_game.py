"""A finished game as it is archived, with the files that explain a fault."""

from __future__ import annotations

import json
from collections.abc import Mapping

import attrs

from yoddd.daemon.play.game_runner import GameRunner
from yoddd.notation import format_position
from yoddd.notation.records import FORFEITS, GameRecord
from yoddd.referee import Seat


@attrs.frozen
class PlayedGame:
    """A finished game as it is archived.

    Attributes:
        record: its line in ``games.jsonl``.
        bundle: the files about its fault by their names, if it ended by one.
    """

    record: GameRecord
    bundle: Mapping[str, str] | None = None


def fault_bundle(runner: GameRunner, record: GameRecord) -> dict[str, str] | None:
    """The files that explain a fault; None for a game without one, or without a transcript."""
    if runner.transcript is None:
        return None
    if record.reason not in FORFEITS and record.reason != "void":
        return None
    guilty: Mapping[str | None, str] = {"b": record.black, "w": record.white}
    fault = {
        "id": record.id,
        "reason": record.reason,
        "detail": record.detail,
        "blame": guilty.get(record.blame, record.blame),
        "winner": guilty.get(record.winner),
        "position": runner.game.game and format_position(runner.game.game.position),
        "turns": record.turns,
        "started": record.started,
        "ended": record.ended,
    }
    files = {"fault.json": json.dumps(fault, indent=1) + "\n"}
    files["transcript.txt"] = runner.transcript.text()
    for seat in Seat:
        files[f"stderr-{seat.key}.txt"] = runner.stderr.get(seat, "")
    return files
