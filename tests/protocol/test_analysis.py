"""Streaming searches and reviews in a session: how they begin and end."""

from __future__ import annotations

import json

import pytest

from tests.protocol.peer import Peer
from tests.support.schemas import validator
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StartTask, StopStream, StopTask


def begin(line: str) -> tuple[Peer, StartAnalysis]:
    peer = Peer()
    peer.setup("game yodd hex3")
    assert peer.feed(f"{line}\n".encode()) == b"= \n"
    (effect,) = peer.log
    assert isinstance(effect, StartAnalysis)
    return peer, effect


def say(peer: Peer, token: int, text: str) -> bytes:
    return peer.take(peer.session.stream_line(token, text))


@pytest.mark.parametrize("line", [b"\n", b"# interrupt\n", b"# a word\n", b"stop\n", b"name\n"])
def test_analyze_any_line_ends_the_stream_at_once(line: bytes) -> None:
    peer, effect = begin("analyze")
    assert say(peer, effect.token, "info a") == b"info a\n"
    assert peer.feed(line).startswith(b"\n")
    assert peer.log[1:] == [StopStream(effect.token)]
    assert say(peer, effect.token, "info late") == b""
    assert peer.finish_task(effect) == b""
    assert peer.session.phase is Phase.READY


@pytest.mark.parametrize("prefix", ["", "kata-", "lz-"])
@pytest.mark.parametrize("line", [b"\n", b"# a word\n", b"stop\n", b"name\n"])
def test_genmove_analyze_lines_wait_for_the_turn(prefix: str, line: bytes) -> None:
    peer, effect = begin(f"{prefix}genmove_analyze")
    assert say(peer, effect.token, "info a") == b"info a\n"
    assert peer.feed(line + b"version\n") == b""
    assert peer.log[1:] == []
    assert say(peer, effect.token, "info b") == b"info b\n"
    said = peer.finish_task(effect)
    assert said.split(b"\n")[1:3] == [b"play 1a1", b""]
    assert said.endswith(b"= 1.0\n\n")
    assert peer.ask("history") == "= 1a1"


def test_genmove_analyze_interrupt_stops_the_task_once() -> None:
    peer, effect = begin("genmove_analyze")
    assert peer.feed(b"# interrupt\n# interrupt\n") == b""
    assert peer.log[1:] == [StopTask(effect.token)]
    assert peer.finish_task(effect, stop=True).endswith(b"\nplay 1a1\n\n")
    assert peer.ask("history") == "= 1a1"


@pytest.mark.parametrize("line", [b"\n", b"# a word\n", b"stop\n", b"name\n"])
def test_cancellable_search_any_line_cancels_it_once(line: bytes) -> None:
    peer, effect = begin("kata-search_analyze_cancellable")
    assert say(peer, effect.token, "info a") == b"info a\n"
    assert peer.feed(line + line) == b""
    assert peer.log[1:] == [StopTask(effect.token)]
    said = peer.finish_task(effect, stop=True)
    assert said.split(b"\n")[1:3] == [b"play cancelled", b""]
    assert peer.ask("history") == "= "


@pytest.mark.parametrize("signal", [b"", b"# interrupt\n"])
def test_cancellable_search_left_alone_answers_without_playing(signal: bytes) -> None:
    peer, effect = begin("kata-search_analyze_cancellable")
    peer.feed(signal)
    assert peer.finish_task(effect, stop=bool(signal)).endswith(b"\nplay 1a1\n\n")
    assert peer.ask("history") == "= "


@pytest.mark.parametrize("line", ["analyze", "genmove_analyze"])
def test_analysis_failed_search_is_an_error_line(line: str) -> None:
    peer, effect = begin(line)
    assert peer.take(peer.session.task_failed(effect.token, "busy")) == b"error busy\n\n"
    assert peer.session.phase is Phase.READY
    assert peer.ask("name") == "= yoddd"


def test_analyze_limits_are_in_the_effect() -> None:
    _, effect = begin("analyze b 25 maxtime 1.5")
    assert (effect.interval, effect.seconds) == (0.25, 1.5)


def seconds(*lines: str, search: str = "genmove") -> float | None:
    peer = Peer()
    peer.setup("game yodd hex3", *lines)
    peer.feed(f"{search}\n".encode())
    effect = peer.log[-1]
    assert isinstance(effect, StartTask | StartAnalysis)
    return effect.seconds


@pytest.mark.parametrize("search", ["genmove", "reg_genmove", "genmove_analyze"])
def test_search_with_time_control_is_limited(search: str) -> None:
    assert seconds(search=search) is None
    assert seconds("kata-time_settings byoyomi 0 2 1", search=search) == pytest.approx(1.95)
    assert seconds("time_settings 60 0 0", search=search) == pytest.approx(9.95)
    assert seconds("time_settings 60 0 0", "time_left b 12 0", search=search) == pytest.approx(1.95)
    assert seconds("time_settings 60 0 0", "time_left w 12 0", search=search) == pytest.approx(9.95)
    assert seconds("time_settings 9 9 9", "time_settings 0 1 0", search=search) is None


def test_time_left_after_a_turn_or_a_new_game_is_dropped() -> None:
    left = ("time_settings 60 0 0", "time_left b 12 0")
    for line in ("clear_board", "game yodd hex3", "boardsize 3", "time_settings 60 0 0"):
        assert seconds(*left, line) == pytest.approx(9.95)
    assert seconds(*left, "genmove", "undo") == pytest.approx(9.95)


TURNS = ("play b 1c3", "play w 1a1,2e3", "play b 1b2,2d2", "play w resign")


def begin_review() -> tuple[Peer, StartAnalysis]:
    peer = Peer()
    peer.setup("game yodd hex4", *TURNS)
    assert peer.feed(b"review visits=20\n") == b"= \n"
    effect = peer.log[-1]
    assert isinstance(effect, StartAnalysis)
    return peer, effect


def test_review_says_progress_and_a_review_of_the_schema() -> None:
    peer, effect = begin_review()
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
    peer, effect = begin_review()
    said: list[str] = []
    assert effect.resumes
    effect.work(lambda: bool(said), said.append)
    effect.work(lambda: False, said.append)
    assert sum(line.startswith("review ") for line in said) == 1
    assert sum(line.startswith("progress ") for line in said) == len(said) - 1
    assert peer.session.phase is Phase.STREAMING


def test_review_stopped_by_the_server_says_so() -> None:
    peer, effect = begin_review()
    assert peer.finish_task(effect, stop=True) == b"error interrupted\n\n"


@pytest.mark.parametrize("line", [b"\n", b"stop\n"])
def test_review_any_line_ends_it(line: bytes) -> None:
    peer, effect = begin_review()
    assert peer.feed(line).startswith(b"\n")
    assert peer.log[-1] == StopStream(effect.token)
