"""A run whose games a daemon plays, with a daemon that plays them by a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.protocol import ClientFactory, Factory, connectionDone
from twisted.internet.task import deferLater
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from tests.daemon.runs.conftest import plan_of
from tests.support.programs import PATIENCE
from tests.support.runs import random_record
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.match_command import format_news, parse_request
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen, begins
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.remote_match import DaemonExecutor, RemoteError
from yoddd.notation.records import GameRecord
from yoddd.referee.tournament.config import EngineConfig, make_plan
from yoddd.referee.tournament.plan import OnCrash
from yoddd.referee.tournament.tournament import Assignment, Tournament

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor

ENGINES = tuple(EngineConfig(engine=f"tcp:{name}", name=name) for name in ("ann", "bob"))

Script = Callable[[Assignment], Iterator[str]]
"""Gives the lines of a game; a line ``close`` closes the connection, ``wait`` sends no more."""


def record_of(game: Assignment, **changes: object) -> GameRecord:
    record = random_record(game.setup.id, *game.setup.names, seed=1)
    end = {"turns": (), "times": (), "winner": "b", "reason": "resign", "score": None, **changes}
    return attrs.evolve(record, **end)  # type: ignore[arg-type]  # what a test needs


def game_lines(game: Assignment, **changes: object) -> Iterator[str]:
    yield format_news(begins(game.number, game.setup))
    yield format_news(TurnSeen(game.number, "b", "1a1", 0.5))
    yield format_news(GameEnds(game.number, record_of(game, **changes)))


@attrs.define
class Daemon:
    """A daemon that answers ``match`` by a script.

    Attributes:
        script: gives the lines of a game.
        answer: the first line of each reply.
        requests: the lines received.
        left: how many connections were closed.
    """

    script: Script = game_lines
    answer: str = "= "
    requests: list[str] = attrs.Factory(list)
    left: int = 0
    address: ClassVar[str] = "127.0.0.1:9"


class _Answers(LineOnlyReceiver):
    delimiter = b"\n"
    transport: Connection

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def lineReceived(self, line: bytes) -> None:
        if line.startswith(b"attach "):
            self.sendLine(b"? the name is taken\n")
            return
        self._daemon.requests.append(line.decode())
        request = parse_request(tuple(line.decode().split()[1:]))
        tournament = Tournament(attrs.evolve(request.plan, prefix="m1-"))
        self.sendLine(self._daemon.answer.encode())
        while self._daemon.answer == "= " and (game := tournament.next_game()) is not None:
            for text in self._daemon.script(game):
                if text == "close":
                    self.transport.loseConnection()
                if text in ("close", "wait"):
                    return
                self.sendLine(text.encode())
        self.sendLine(b"")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        self._daemon.left += 1


@pytest_twisted.async_yield_fixture
async def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemon]:
    """A daemon behind a UNIX socket, to which all connections of this test are made."""
    daemon, path = Daemon(), str(tmp_path / "socket")

    def connect(_host: str, _port: int, factory: ClientFactory, **_named: object) -> object:
        return reactor.connectUNIX(path, factory)

    monkeypatch.setattr(installed, "connectTCP", connect)
    port = reactor.listenUNIX(path, Factory.forProtocol(lambda: _Answers(daemon)))
    yield daemon
    await maybeDeferred(port.stopListening)


async def until(done: Callable[[], object]) -> None:
    """Wait for what another connection causes."""
    deadline = reactor.seconds() + PATIENCE
    while not done():
        assert reactor.seconds() < deadline, "it never comes"
        await deferLater(reactor, 0.01)


class Bench:
    """A run of ann against bob, who are attached to the daemon."""

    def __init__(
        self,
        address: str,
        records: Sequence[GameRecord] = (),
        engines: tuple[EngineConfig, ...] = ENGINES,
        **settings: object,
    ) -> None:
        self.config = attrs.evolve(plan_of(**settings), daemon=address, engine=engines)
        self.tournament = Tournament(make_plan(self.config))
        for record in records:
            self.tournament.take(record)
        self.records: list[GameRecord] = []
        self.news: list[News] = []
        self.hear: Callable[[News], None] = self.news.append
        self.executor = DaemonExecutor(
            reactor,
            self.tournament,
            self.commit,
            lambda news: self.hear(news),  # noqa: PLW0108 — a test changes it
            config=self.config,
            mark="test",
        )

    def commit(self, game: PlayedGame) -> Deferred[None]:
        self.records.append(game.record)
        return succeed(None)

    async def fails(self) -> str:
        with pytest.raises(RemoteError) as error:
            await self.executor.play()
        return str(error.value)


@pytest_twisted.ensureDeferred
async def test_daemon_executor_takes_the_games_as_its_own_run_numbers_them(
    scripted: Daemon,
) -> None:
    bench = Bench(scripted.address, games=3, seed=5)
    assert await bench.executor.play() is StopReason.OVER
    (request,) = scripted.requests
    assert request.startswith('match {"board":"hex2","games":3,"seed":5,')
    assert [(one.id, one.pair, one.leg) for one in bench.records] == [
        ("r1t1p1.1", "r1t1p1", 1),
        ("r1t1p1.2", "r1t1p1", 2),
        ("r1t1p2.1", "r1t1p2", 1),
    ]
    assert bench.tournament.points == [2, 1]
    kinds = [type(one) for one in bench.news]
    assert kinds == [GameBegins, TurnSeen, GameEnds] * 3
    assert next(one.id for one in bench.news if isinstance(one, GameBegins)) == "r1t1p1.1"
    assert bench.executor.running == 0


@pytest_twisted.ensureDeferred
async def test_daemon_executor_asks_for_the_missing_games_alone(scripted: Daemon) -> None:
    games = list(Tournament(make_plan(plan_of(games=6))).missing())
    played = [
        record_of(game, pair=game.pair.key, leg=game.leg, attempt=1)
        for game in games
        if game.number in (1, 4)
    ]
    bench = Bench(scripted.address, played, games=6)
    assert await bench.executor.play() is StopReason.OVER
    requests = [parse_request(tuple(one.split()[1:])) for one in scripted.requests]
    assert [(one.first, one.games) for one in requests] == [(2, 3), (5, 6)]
    assert [record.id[4:] for record in bench.records] == ["p1.2", "p2.1", "p3.1", "p3.2"]


@pytest.mark.process
@pytest.mark.whole
@pytest_twisted.ensureDeferred
async def test_daemon_executor_without_a_daemon_fails() -> None:
    assert (await Bench("127.0.0.1:1", games=1).fails()).startswith("cannot reach 127.0.0.1:1: ")


@pytest_twisted.ensureDeferred
async def test_daemon_executor_asks_again_for_a_crash_that_is_void(scripted: Daemon) -> None:
    def script(game: Assignment) -> Iterator[str]:
        first = len(scripted.requests) == 1 and game.number == 1
        yield from game_lines(game, **({"reason": "crash", "blame": "w"} if first else {}))

    scripted.script = script
    bench = Bench(scripted.address, games=2, on_crash=OnCrash.VOID)
    assert await bench.executor.play() is StopReason.OVER
    assert [(one.id, one.reason) for one in bench.records] == [
        ("r1t1p1.1", "void"),
        ("r1t1p1.2", "resign"),
        ("r1t1p1.1a2", "resign"),
    ]


@pytest_twisted.ensureDeferred
async def test_daemon_executor_that_is_stopped_leaves_the_game_missing(scripted: Daemon) -> None:
    scripted.script = lambda game: iter([*[*game_lines(game)][:2], "wait"])
    bench = Bench(scripted.address, games=2)

    def hear(news: News) -> None:
        if isinstance(news, TurnSeen):
            assert bench.executor.running == 1
            reactor.callLater(0, bench.executor.stop)

    bench.hear = hear
    assert await bench.executor.play() is StopReason.STOPPED
    assert bench.records == []
    assert len(list(bench.tournament.missing())) == 2


@pytest_twisted.ensureDeferred
async def test_daemon_executor_pauses_between_two_games(scripted: Daemon) -> None:
    bench = Bench(scripted.address, games=3)
    seen: list[int] = []

    def hear(news: News) -> None:
        if isinstance(news, TurnSeen) and news.number == 1 and not seen:
            bench.executor.pause()
            reactor.callLater(0, resume)

    def resume() -> None:
        if not bench.records:
            reactor.callLater(0.01, resume)
            return
        seen.append(len(bench.records))
        bench.executor.resume()

    bench.hear = hear
    assert await bench.executor.play() is StopReason.OVER
    assert seen == [1]
    assert [parse_request(tuple(one.split()[1:])).first for one in scripted.requests] == [1, 2]
    assert len(bench.records) == 3


@pytest_twisted.ensureDeferred
async def test_daemon_executor_pauses_when_all_games_in_play_are_over(scripted: Daemon) -> None:
    """A game that the daemon begins meanwhile stays missing."""
    lines: dict[int, list[str]] = {}

    def mixed(game: Assignment) -> Iterator[str]:
        lines[game.number] = [*game_lines(game)]
        if len(scripted.requests) > 1:
            yield from lines[game.number]
            return
        yield lines[game.number][0]
        if game.number > 1:
            yield from lines[game.number - 1][1:]

    scripted.script = mixed
    bench = Bench(scripted.address, games=4, concurrency=2)

    def hear(news: News) -> None:
        bench.news.append(news)
        if isinstance(news, TurnSeen) and news.number == 1 and not bench.executor.paused:
            assert bench.executor.running == 2
            bench.executor.pause()
            reactor.callLater(0, resume)

    def resume() -> None:
        if scripted.left:
            bench.executor.resume()
        else:
            reactor.callLater(0.01, resume)

    bench.hear = hear
    assert await bench.executor.play() is StopReason.OVER
    requests = [parse_request(tuple(one.split()[1:])) for one in scripted.requests]
    assert [(one.first, one.concurrency) for one in requests] == [(1, 2), (3, 2)]
    begun = [one.number for one in bench.news if isinstance(one, GameBegins)]
    assert begun == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (lambda _: iter(["close"]), "the daemon closed the connection"),
        (
            lambda game: iter([format_news(begins(77, game.setup))]),
            "game 77 of the reply was not asked for",
        ),
        (lambda game: game_lines(game, black="eve"), "game 1: eve against bob"),
        (lambda _: iter([]), "the daemon ended the match without a game"),
        (lambda _: iter(["error not attached: a", "", "wait"]), "not attached: a"),
        (
            lambda _: iter(["game one", "wait"]),
            "line 1, column 1: not a line of a match: 'game one'",
        ),
    ],
)
@pytest_twisted.ensureDeferred
async def test_daemon_executor_fails_with_the_fault_of_the_daemon(
    scripted: Daemon, script: Script, error: str
) -> None:
    scripted.script = script
    bench = Bench(scripted.address, games=2)
    assert await bench.fails() == error
    assert bench.records == []
    await until(lambda: scripted.left == 1)


@pytest_twisted.ensureDeferred
async def test_daemon_executor_fails_with_the_refusal_of_the_daemon(scripted: Daemon) -> None:
    scripted.answer = "? syntax error: games"
    assert await Bench(scripted.address, games=1).fails() == "syntax error: games"
