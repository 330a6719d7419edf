"""The review of the current game by the command ``review``.

A module of its own, so that a session starts without the judgement of games.
"""

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
from yoddd.library.review.texts import Heading, as_json
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.effects import Say
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import PositionLike

_SECONDS: Final = 1.0
_NODES: Final = 10_000
"""The limits of what is solved: a preempted solver begins again, so it has to be brief."""

_STAGES: Final = (0, 50, 70, 85, 100)
"""The percentages at which the rounds of searches of a review begin, and at which the last ends."""


class ReviewWork:
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
        # The percentage that was said last.
        self._done = -1

    def run(self, stop: StopFlag, say: Say) -> object:
        """Review, as far as the stop flag allows, and say the result."""
        self._stop, self._say = stop, say
        try:
            review = self._reviewer.review()
        except ReviewInterrupted:
            return PeerError(Code.INTERRUPTED)
        say("\n".join(_lines(review, self._heading)))
        return None

    def _is_stopped(self) -> bool:
        return self._stop()

    def _each(self, function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
        begin, end = _STAGES[self._reviewer.stage : self._reviewer.stage + 2]
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
