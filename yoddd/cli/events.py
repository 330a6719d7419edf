"""The event stream of ``--events``: a JSON object a line."""

from __future__ import annotations

import json
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yoddd.daemon.runs.run import RunNews


def display_stream(events: IO[str] | None) -> IO[str]:
    """The stream for the display: standard error where the events take standard output."""
    taken = events is not None and events.name == sys.stdout.name
    return sys.stderr if taken else sys.stdout


class EventWriter:
    """Writes the event stream; each object is flushed at once."""

    def __init__(self, stream: IO[str]) -> None:
        """Write to ``stream``."""
        self._stream = stream

    def write(self, news: RunNews) -> None:
        """Write a piece of news."""
        self._stream.write(json.dumps(event_values(news)) + "\n")
        self._stream.flush()


def event_values(news: RunNews) -> dict[str, Any]:
    """A piece of news as an object of the event stream."""
    from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
    from yoddd.daemon.runs.run import RunBegins, RunEnds, RunStands
    from yoddd.notation import dump_record
    from yoddd.referee.progress import progress_values

    match news:
        case RunBegins(progress, torn, unread, killed, where):
            about = {"torn": torn, "unread": [*unread], "killed": killed, "listening": where}
            return {"event": "begin", **about, **progress_values(progress)}
        case GameBegins(number, game, black, white):
            return {"event": "game", "number": number, "id": game, "black": black, "white": white}
        case TurnSeen(number, seat, token, seconds):
            turn = {"person": seat, "turn": token, "seconds": seconds}
            return {"event": "turn", "number": number, **turn}
        case GameEnds(number, record):
            return {"event": "result", "number": number, "record": json.loads(dump_record(record))}
        case RunStands(progress):
            return {"event": "status", **progress_values(progress)}
        case RunEnds(progress, reason):
            return {"event": "end", "ending": reason.name.lower(), **progress_values(progress)}
