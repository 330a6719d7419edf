"""Searches that are preempted and go on: they end with all they were promised."""

from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yoddd.engine import Preemption, SmallBoards, StopFlag, tables
from yoddd.protocol.config import SessionConfig, SessionServices
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
    return work(effect, lambda: polls is not None and next(asked) >= polls)


def work(effect: StartTask | StartAnalysis, stop: StopFlag) -> object:
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


def solving(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> tuple[StartTask | StartAnalysis, list[bool]]:
    """The work of a command on a small board, and what each sweep of it is told at its begin."""
    told = list[bool]()
    monkeypatch.setattr(tables, "sweep_board", lambda _rules, stop: told.append(stop()))
    config = SessionConfig(services=SessionServices(tables=SmallBoards()))
    session, effects = Session(config), list[Effect]()
    for line in ("game yodd hex3", "play b 1a1", command):
        effects = session.receive(f"{line}\n".encode())
    (effect,) = (one for one in effects if isinstance(one, StartTask | StartAnalysis))
    return effect, told


@pytest.mark.parametrize(
    "command",
    [
        "genmove",
        "reg_genmove",
        "genmove_analyze",
        "analyze",
        "kata-search_analyze_cancellable",
        "solve",
        "probe",
        "review",
    ],
)
def test_search_that_is_stopped_solves_no_board(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    effect, told = solving(monkeypatch, command)
    work(effect, lambda: True)
    assert told
    assert all(told)


@pytest.mark.parametrize("is_stopped", [False, True])
def test_genmove_that_is_preempted_solves_its_board(
    monkeypatch: pytest.MonkeyPatch, is_stopped: bool
) -> None:
    effect, told = solving(monkeypatch, "genmove")
    work(effect, Preemption(lambda: True, lambda: is_stopped))
    assert told[0] is is_stopped
