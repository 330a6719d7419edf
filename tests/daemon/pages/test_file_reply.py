"""Files that are written at the pace of their clients, without a network."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, cast

import pytest
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tests.daemon.pages.browser import Browser
from yoddd.daemon.pages.api import File, FileWriter

LINES = [str(number) for number in range(6)]


class Games(Resource):
    """A file whose conversions are listed in ``converted``."""

    isLeaf = True

    def __init__(self, thread: Thread) -> None:
        super().__init__()
        self.converted: list[str] = []
        self.files = FileWriter(cast("Any", thread))
        self.over: Deferred[None] = Deferred()

    def render_GET(self, request: Request) -> int:
        file = File("games", "text/plain", LINES, self.convert)
        self.over = Deferred.fromCoroutine(self.files.write(request, file))
        return NOT_DONE_YET

    def convert(self, line: str) -> str:
        self.converted.append(line)
        return f"<{line}>"


class Thread:
    """Makes the calls of other threads when a test wants it."""

    def __init__(self) -> None:
        self.calls: deque[tuple[Deferred[Any], Callable[[], Any]]] = deque()

    def run(
        self, work: Callable[[], Any], spent: Callable[[float], None] | None = None
    ) -> Deferred[Any]:
        del spent
        self.calls.append((Deferred(), work))
        return self.calls[-1][0]

    def step(self) -> None:
        done, work = self.calls.popleft()
        maybeDeferred(work).chainDeferred(done)

    def run_all(self) -> None:
        while self.calls:
            self.step()


@pytest.fixture
def thread() -> Thread:
    return Thread()


def test_file_is_converted_no_faster_than_its_client_reads(thread: Thread) -> None:
    games = Games(thread)
    browser = Browser(games)
    browser.send("/")
    browser.channel._channel.pauseProducing()  # as the transport, whose buffer is full
    thread.run_all()
    assert games.converted == ["0"]
    browser.channel._channel.resumeProducing()
    thread.run_all()
    assert games.over.called
    assert browser.reply().body == b"<0><1><2><3><4><5>"


def test_file_of_a_client_that_disconnects_is_not_converted_further(thread: Thread) -> None:
    games = Games(thread)
    browser = Browser(games)
    browser.send("/")
    browser.pending.notifyFinish().addErrback(lambda _: None)
    thread.step()
    browser.disconnect()
    thread.run_all()
    assert games.over.called
    assert games.converted == ["0", "1"]  # the second had begun


def test_files_of_many_clients_are_converted_one_game_at_a_time(thread: Thread) -> None:
    games = Games(thread)
    for browser in (Browser(games) for _ in range(3)):
        browser.send("/")
        assert len(thread.calls) == 1
    thread.run_all()
    assert games.converted == [line for line in LINES for _ in range(3)]  # they take turns
