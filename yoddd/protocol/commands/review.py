"""The command that judges every turn of the current game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from yoddd.engine import STRONGEST, StopFlag
from yoddd.library.review import (
    ExactLimits,
    GameReview,
    Reviewer,
    ReviewInterrupted,
    ReviewSettings,
)
from yoddd.library.review.as_json import Heading, as_json
from yoddd.protocol.arguments import parse_number
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, Command, refuse_syntax
from yoddd.protocol.effects import Say
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import AnalysisReply
from yoddd.rules import PositionLike

_RANGES: Final = {"visits": (1, 100_000), "seed": (0, (1 << 63) - 1)}
_DEFAULTS: Final = {"visits": 1000, "seed": 0}

_SECONDS: Final = 1.0
_NODES: Final = 10_000
"""The limits of what is solved: a preempted solver begins again, so it has to be brief."""

_INTERVAL: Final = 0.25
"""Seconds between two lines of progress."""

_STAGES: Final = (0, 50, 70, 85, 100)
"""The percentages at which the rounds of searches of a review begin, and at which the last ends."""


def _review(client: ClientState, args: Args) -> AnalysisReply:
    numbers = _read(args)
    start = client.position.copy()
    turns = start.history
    for _ in turns:
        start.undo()
    if not turns:
        raise PeerError(Code.SYNTAX, "the game has no turn yet")
    work = _Work(client, start, numbers)
    return AnalysisReply(work.run, None, _INTERVAL, None, resumes=True)


def _read(args: Args) -> dict[str, int]:
    numbers = dict(_DEFAULTS)
    words = [part for word in args for part in word.split("=", 1)]
    if len(words) % 2:
        refuse_syntax(f"{words[-1]!r}: expected a value behind it")
    for key, value in zip(words[::2], words[1::2], strict=True):
        if key.lower() not in _RANGES:
            refuse_syntax(f"{key!r}: expected one of {', '.join(_RANGES)}")
        numbers[key.lower()] = parse_number(key, value, *_RANGES[key.lower()])
    return numbers


class _Work:
    """A review in a thread, which may be preempted between two searches."""

    def __init__(self, client: ClientState, start: PositionLike, numbers: dict[str, int]) -> None:
        services, memory = client.config.services, client.parameters.memory << 20
        engine = STRONGEST if STRONGEST in services.engines else next(iter(services.engines))
        self._heading = Heading(
            id="game", black="", white="", result=None, engine=engine, **numbers
        )
        settings = ReviewSettings(
            engine=services.engines[engine],
            memory=memory,
            exact=ExactLimits(tables=client.tables, memory=memory, seconds=_SECONDS, nodes=_NODES),
            each=self._each,
            stop=self._is_stopped,
            **numbers,
        )
        self._reviewer = Reviewer(start, client.position.history, settings)
        # Those of the current run.
        self._stop: StopFlag = lambda: False
        self._say: Say = lambda _text: None
        self._stage = 0
        # The percentage that was said last.
        self._done = -1

    def run(self, stop: StopFlag, say: Say) -> object:
        """Review, as far as the stop flag allows, and say the result."""
        self._stop, self._say, self._stage = stop, say, 0
        try:
            review = self._reviewer.review()
        except ReviewInterrupted:
            return PeerError(Code.INTERRUPTED)
        say("\n".join(_lines(review, self._heading)))
        return None

    def _is_stopped(self) -> bool:
        return self._stop()

    def _each(self, function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
        begin, end = _STAGES[self._stage : self._stage + 2]
        self._stage += 1
        return self._track(function, items, begin, end)

    def _track(
        self, function: Callable[[Any], Any], items: Sequence[Any], begin: int, end: int
    ) -> Iterator[Any]:
        for count, item in enumerate(items):
            self._progress(begin + (end - begin) * count // len(items))
            yield function(item)

    def _progress(self, percent: int) -> None:
        if percent > self._done:
            self._done = percent
            self._say(f"progress {percent}")


def _lines(review: GameReview, heading: Heading) -> Iterator[str]:
    values = as_json(review, heading)
    turns = values.pop("turns")
    yield f"review {_dump(values)}"
    for turn in turns:
        yield f"turn {_dump(turn)}"


def _dump(values: dict[str, Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


COMMANDS: Final = (
    Command(
        "review",
        "engine",
        "[KEY VALUE]...",
        "judge every turn of the game; a streaming reply",
        _review,
        (0, 4),
        8,
    ),
)
