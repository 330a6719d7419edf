"""A client of the analysis engine without I/O, and the matching of its vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from tests.protocol.peer import LocalConnection
from tests.protocol.vectors import PROTOCOL
from tests.support.schemas import validator
from yoddd.engine import ENGINES
from yoddd.protocol.analysis import AnalysisStream
from yoddd.protocol.config import SessionConfig, SessionLimits, SessionServices
from yoddd.protocol.effects import (
    Close,
    Effect,
    ReportFault,
    Send,
    StartAnalysis,
    StartCall,
    StopTask,
)

VECTORS: Final = PROTOCOL / "vectors" / "analysis"


class Vector(NamedTuple):
    """One conversation of the vectors."""

    title: str
    lines: list[str]
    answers: list[dict[str, Any]]


def vectors() -> list[Vector]:
    """The vectors of all files."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(VECTORS.glob("*.jsonl"))]
    return [Vector(**json.loads(line)) for text in texts for line in text.splitlines()]


def matches(expected: Any, actual: Any) -> bool:
    """Whether a value is what a vector expects; see protocol/vectors/README.md."""
    if expected is True:
        return actual is not None and actual is not False
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            actual.get(name) is None if value is None else matches(value, actual.get(name))
            for name, value in expected.items()
        )
    if isinstance(expected, list) and expected:
        return isinstance(actual, list) and all(map(matches, expected, actual))
    return bool(expected == actual)


def check(vector: Vector, answers: list[dict[str, Any]]) -> None:
    """Fail unless each expected answer has one of its own among the answers, which are valid."""
    left = list(answers)
    for answer in answers:
        validator("analysis-answer").validate(answer)
    for expected in vector.answers:
        found = next((one for one in left if matches(expected, one)), None)
        assert found is not None, (vector.title, expected, answers)
        left.remove(found)
    assert left == [], vector.title


class AnalysisPeer:
    """One connection; searches wait until the test runs them.

    Attributes:
        answers: all that was sent, decoded.
        searches: those that have begun and not ended, by token.
        stopped: the tokens of those that are told to stop.
        closed: the reason of the close; None before.
        faults: the errors that were reported as ours.
        calls: the results of calls that are not passed on.
    """

    def __init__(self, waits: bool = True, **settings: Any) -> None:
        limits = {"searches": 2, **settings.pop("limits", {})}
        services = {"engines": ENGINES, **settings.pop("services", {})}
        config = SessionConfig(
            version="1.0", limits=SessionLimits(**limits), services=SessionServices(**services)
        )
        self.held = False
        self.stream = AnalysisStream(
            config, settings.pop("rate", None), is_held=lambda: self.held, waits=waits
        )
        self.answers: list[dict[str, Any]] = []
        self.searches: dict[int, StartAnalysis] = {}
        self.stopped: set[int] = set()
        self.closed: str | None = None
        self.faults: list[Exception] = []
        self.calls: list[tuple[int, Any]] = []

    def take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(data):
                    self.answers += [json.loads(line) for line in data.splitlines()]
                case StartAnalysis(token):
                    self.searches[token] = effect
                case StopTask(token):
                    self.stopped.add(token)
                case StartCall(token, start):
                    start(LocalConnection(), partial(self._called, token))
                case ReportFault(error):
                    self.faults.append(error)
                case Close(reason):
                    self.closed = reason
                case _:
                    raise AssertionError(effect)

    def _called(self, token: int, result: Any) -> None:
        self.calls.append((token, result))

    def say(self, *lines: str | Mapping[str, Any]) -> None:
        """Send lines, and let every batch of them be served."""
        text = "".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines)
        self.take(self.stream.receive(text.encode()))
        self.proceed()

    def proceed(self) -> None:
        while self.stream.wants_resume and not self.stream.resume_after:
            self.take(self.stream.resume())

    def answer_calls(self) -> None:
        while self.calls:
            self.take(self.stream.task_done(*self.calls.pop(0)))

    def run(self, token: int) -> None:
        """Run a search to its end."""
        effect = self.searches.pop(token)
        said: list[str] = []
        last = effect.work(lambda: token in self.stopped, said.append)
        if effect.interval is not None:
            for answer in said:
                self.take(self.stream.stream_line(token, answer))
        self.take(self.stream.task_done(token, last))
        self.proceed()

    def run_all(self) -> None:
        """Run searches until none is left, the latest first."""
        while self.searches:
            self.run(max(self.searches))

    def turns(self) -> Iterator[tuple[str, int]]:
        """The ids and numbers of the positions that are concluded, in their order."""
        for answer in self.answers:
            if "turnNumber" in answer and not answer.get("isDuringSearch"):
                yield answer["id"], answer["turnNumber"]
