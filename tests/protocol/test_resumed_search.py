"""Searches that are preempted and go on: they end with all they were promised."""

from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Effect, Send, StartAnalysis, StartTask
from yoddd.protocol.session import Session

GAME = ("game yodd hex6", "set_param seed 5", "info_lines on", "play b 1a1")


def searching(command: str, playouts: int) -> tuple[Session, StartTask | StartAnalysis]:
    session, effects = Session(SessionConfig()), list[Effect]()
    for line in (*GAME, f"set_param playouts {playouts}", command):
        effects = session.receive(f"{line}\n".encode())
    (effect,) = (one for one in effects if isinstance(one, StartTask | StartAnalysis))
    return session, effect


def run(effect: StartTask | StartAnalysis, polls: int | None) -> object:
    """Run the work; None for ``polls`` lets it end, else it is told to stop at that poll."""
    asked = count()

    def stop() -> bool:
        return polls is not None and next(asked) >= polls

    if isinstance(effect, StartTask):
        return effect.work(stop)
    return effect.work(stop, lambda _line: None)


def reply(session: Session, effect: StartTask | StartAnalysis, result: object) -> str:
    sent = session.task_done(effect.token, result)
    text = b"".join(one.data for one in sent if isinstance(one, Send)).decode()
    # A result that is proven takes one more visit each time.
    return re.sub(r"time \S+|(?<=winrate [01] )visits \S+", "", text)


@pytest.mark.parametrize("command", ["genmove", "reg_genmove", "genmove_analyze"])
@given(slices=st.lists(st.integers(0, 4), max_size=6), playouts=st.integers(1, 4000))
@settings(max_examples=15, deadline=None)
def test_search_that_was_preempted_replies_as_one_that_was_not(
    command: str, slices: list[int], playouts: int
) -> None:
    replies = []
    for polls in ([], slices):
        session, effect = searching(command, playouts)
        assert effect.resumes
        for most in polls:
            run(effect, most)
        replies.append(reply(session, effect, run(effect, None)))
    assert replies[0] == replies[1]


@pytest.mark.parametrize("setting", ["engine uct", "engine random", "level 5"])
def test_search_that_cannot_go_on_is_not_preempted(setting: str) -> None:
    session = Session(SessionConfig())
    session.receive(f"set_param {setting}\n".encode())
    (effect,) = (one for one in session.receive(b"genmove\n") if isinstance(one, StartTask))
    assert not effect.resumes
