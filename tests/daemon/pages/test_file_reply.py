"""Files that are written at the pace of their clients, without a network."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tests.daemon.pages.browser import Browser
from yoddd.daemon.pages import file_reply
from yoddd.daemon.pages.file_reply import File, FileWriter

LINES = [str(number) for number in range(6)]


class Games(Resource):
    """A file whose conversions are listed in ``converted``; that of the line ``broken`` fails."""

    isLeaf = True

    def __init__(self, broken: str = "") -> None:
        super().__init__()
        self.converted: list[str] = []
        self.files = FileWriter()
        self.broken = broken
        self.over: Deferred[None] = Deferred()

    def render_GET(self, request: Request) -> int:
        file = File("games", "text/plain", LINES, self.convert)
        self.over = Deferred.fromCoroutine(self.files.write(request, file))
        return NOT_DONE_YET

    def convert(self, line: str) -> str:
        if line == self.broken:
            raise ValueError(line)
        self.converted.append(line)
        return f"<{line}>"


class Thread:
    """Makes the calls of other threads when a test wants it."""

    def __init__(self) -> None:
        self.calls: deque[tuple[Deferred[Any], Callable[..., Any], tuple[Any, ...]]] = deque()

    def defer(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        self.calls.append((Deferred(), function, args))
        return self.calls[-1][0]

    def step(self) -> None:
        done, function, args = self.calls.popleft()
        maybeDeferred(function, *args).chainDeferred(done)

    def run(self) -> None:
        while self.calls:
            self.step()


@pytest.fixture
def thread(monkeypatch: pytest.MonkeyPatch) -> Thread:
    thread = Thread()
    monkeypatch.setattr(file_reply, "deferToThread", thread.defer)
    return thread


def test_file_is_converted_no_faster_than_its_client_reads(thread: Thread) -> None:
    games = Games()
    browser = Browser(games)
    browser.send("/")
    browser.channel._channel.pauseProducing()  # as the transport, whose buffer is full
    thread.run()
    assert games.converted == ["0"]
    browser.channel._channel.resumeProducing()
    thread.run()
    assert games.over.called
    assert browser.reply().body == b"<0><1><2><3><4><5>"


def test_file_of_a_client_that_disconnects_is_not_converted_further(thread: Thread) -> None:
    games = Games()
    browser = Browser(games)
    browser.send("/")
    browser.pending.notifyFinish().addErrback(lambda _: None)
    thread.step()
    browser.disconnect()
    thread.run()
    assert games.over.called
    assert games.converted == ["0", "1"]  # the second had begun


def test_files_of_many_clients_are_converted_one_game_at_a_time(thread: Thread) -> None:
    games = Games()
    for browser in (Browser(games) for _ in range(3)):
        browser.send("/")
        assert len(thread.calls) == 1
    thread.run()
    assert games.converted == [line for line in LINES for _ in range(3)]  # they take turns


def test_file_whose_conversion_fails_raises(thread: Thread) -> None:
    games = Games(broken="2")
    browser = Browser(games)
    browser.send("/")
    thread.run()
    failed: list[object] = []
    games.over.addErrback(lambda failure: failed.append(failure.check(ValueError)))
    assert failed == [ValueError]
    assert browser.reply().body == b"<0><1>"
