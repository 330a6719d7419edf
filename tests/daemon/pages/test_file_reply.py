"""Files that are written at the pace of their clients, without a network."""

from __future__ import annotations

from typing import cast

from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tests.daemon.leaks import LoggedErrors
from tests.daemon.pages.browser import Browser
from yoddd.daemon.base.clock import Reactor
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


async def soon() -> None:
    await deferLater(cast("Reactor", installed), 0.05)


@ensureDeferred
async def test_file_is_converted_no_faster_than_its_client_reads() -> None:
    games = Games()
    browser = Browser(games)
    browser.send("/")
    browser.channel._channel.pauseProducing()  # as the transport, whose buffer is full
    await soon()
    assert len(games.converted) <= 1
    browser.channel._channel.resumeProducing()
    await games.over
    assert browser.reply().body == b"<0><1><2><3><4><5>"


@ensureDeferred
async def test_file_of_a_client_that_disconnects_is_not_converted_further() -> None:
    games = Games()
    browser = Browser(games)
    browser.send("/")
    browser.pending.notifyFinish().addErrback(lambda _: None)
    browser.channel._channel.pauseProducing()
    await soon()
    browser.disconnect()
    await games.over
    assert len(games.converted) <= 2


@ensureDeferred
async def test_files_of_many_clients_are_converted_one_game_at_a_time() -> None:
    games = Games()
    browsers = [Browser(games) for _ in range(3)]
    waiting = []
    for browser in browsers:
        browser.send("/")
        waiting.append(games.over)
    for over in waiting:
        await over
    assert [games.converted.count(line) for line in LINES] == [3] * 6
    assert games.converted != LINES * 3  # they take turns


@ensureDeferred
async def test_file_whose_conversion_fails_raises(logged_errors: LoggedErrors) -> None:
    del logged_errors
    games = Games(broken="2")
    browser = Browser(games)
    browser.send("/")
    failed: list[object] = []
    await games.over.addErrback(lambda failure: failed.append(failure.check(ValueError)))
    assert failed == [ValueError]
    assert browser.reply().body == b"<0><1>"
