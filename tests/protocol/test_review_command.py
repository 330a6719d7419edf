"""The streaming reply of ``review``: progress, the judgements, preemption."""

from __future__ import annotations

import json

import pytest

from tests.protocol.peer import Peer
from tests.support.schemas import validator
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StopStream

TURNS = ("play b 1c3", "play w 1a1,2e3", "play b 1b2,2d2", "resign")


def begin() -> tuple[Peer, StartAnalysis]:
    peer = Peer()
    peer.setup("game yodd hex4", *TURNS)
    assert peer.feed(b"review visits=20\n") == b"= \n"
    effect = peer.log[-1]
    assert isinstance(effect, StartAnalysis)
    return peer, effect


def test_review_says_progress_and_a_review_of_the_schema() -> None:
    peer, effect = begin()
    said = peer.finish_task(effect).decode().split("\n")
    assert said[-2:] == ["", ""]
    percents = [int(line.split()[1]) for line in said if line.startswith("progress ")]
    assert percents
    assert percents == sorted(set(percents))
    assert percents[-1] < 100
    words = [line.split(" ", 1) for line in said if line.startswith(("review ", "turn "))]
    (review, *turns) = (json.loads(text) for _, text in words)
    validator("review").validate({**review, "turns": turns})
    assert [turn["turn"] for turn in turns] == ["1c3", "1a1,2e3", "1b2,2d2"]
    assert review["visits"] == 20


def test_review_preempted_ends_with_the_result_of_the_last_run() -> None:
    peer, effect = begin()
    said: list[str] = []
    assert effect.resumes
    effect.work(lambda: bool(said), said.append)
    effect.work(lambda: False, said.append)
    assert sum(line.startswith("review ") for line in said) == 1
    assert sum(line.startswith("progress ") for line in said) == len(said) - 1
    assert peer.session.phase is Phase.STREAMING


def test_review_stopped_by_the_server_says_so() -> None:
    peer, effect = begin()
    assert peer.finish_task(effect, stop=True) == b"error interrupted\n\n"


@pytest.mark.parametrize("line", [b"\n", b"stop\n"])
def test_review_any_line_ends_it(line: bytes) -> None:
    peer, effect = begin()
    assert peer.feed(line).startswith(b"\n")
    assert peer.log[-1] == StopStream(effect.token)
