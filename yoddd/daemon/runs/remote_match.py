"""The client's side of ``match``: a run whose games a daemon plays, also with local engines."""

from __future__ import annotations

from typing import Final

import attrs
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.executor import RecordSink, StopReason, apply_crash_policy, stops_run
from yoddd.daemon.play.match_command import format_order, parse_news
from yoddd.daemon.play.news import GameBegins, GameEnds, News, Watch, begins
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.connect import EngineBridge
from yoddd.daemon.runs.preparation import is_attached, launch_of
from yoddd.notation import NotationError
from yoddd.notation.records import GameRecord
from yoddd.referee.config import TournamentConfig
from yoddd.referee.tournament import Assignment, Tournament, assignment

_ERROR: Final = "error "


class RemoteError(RunError):
    """The daemon cannot be reached, refuses the match, or aborts it; the text says why."""


def read_address(text: str) -> tuple[str, int]:
    """The host and the port of ``HOST:PORT``."""
    host, _, port = text.rpartition(":")
    return host, int(port)


class MatchClient(LineOnlyReceiver):
    """Sends one ``match`` request and reads its streaming reply.

    Attributes:
        done: fires at the end of the reply, or at `end`; fails with `RemoteError`.
    """

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: Connection

    def __init__(self, request: str, watch: Watch) -> None:
        """Prepare to send ``request``; ``watch`` receives the news."""
        self.done: Deferred[None] = Deferred()
        self._request = request
        self._watch = watch
        # Whether the first line of the reply was read, and was no refusal.
        self._accepted = False
        # Why the match has failed, once it has.
        self._error: str | None = None

    def connectionMade(self) -> None:
        """Send the request."""
        self.transport.setTcpNoDelay(True)
        self.transport.write(f"{self._request}\n".encode())

    def lineReceived(self, line: bytes) -> None:
        """Read a line of the reply."""
        if self.done.called:
            return
        text = line.decode("utf-8", "replace").strip()
        if not self._accepted:
            self._accepted = text.startswith("=")
            self._error = None if self._accepted else text.lstrip("? ")
        elif text.startswith(_ERROR):
            self._error = text.removeprefix(_ERROR)
        elif text:
            self._tell(text)
            return
        if not self._accepted or not text:
            self.end()

    def _tell(self, text: str) -> None:
        try:
            self._watch(parse_news(text))
        except NotationError as error:
            self._error = str(error)
            self.end()
        except Exception:  # noqa: BLE001 — what takes the news has failed, not the daemon
            self.transport.loseConnection()
            self.done.errback(Failure())

    def end(self) -> None:
        """Close the connection, which ends the match."""
        self.transport.loseConnection()
        if self.done.called:
            return
        if self._error is None:
            self.done.callback(None)
        else:
            self.done.errback(RemoteError(self._error))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail unless the reply was complete."""
        del reason
        if not self.done.called:
            self.done.errback(RemoteError("the daemon closed the connection"))


class DaemonExecutor:
    """An `Executor` that has a daemon play the games, one at a time.

    It asks for the missing games by their numbers, as many in a row as there are, and takes the
    records as its own run numbers them. Engines with a command line attach to the daemon meanwhile.

    Attributes:
        tournament: as it stands.
        paused: whether no further game is begun.
    """

    concurrency = 1

    def __init__(
        self,
        reactor: Reactor,
        config: TournamentConfig,
        tournament: Tournament,
        sink: RecordSink,
        watch: Watch,
        mark: str,
    ) -> None:
        """Prepare; `play` begins.

        Args:
            reactor: Twisted's.
            config: the match; it names the daemon.
            tournament: as it stands.
            sink: takes finished games.
            watch: is called with all news of the games.
            mark: the run in the environment of local engines, see `launch_of`.
        """
        self.tournament = tournament
        self.paused = False
        self._reactor = reactor
        self._config = config
        self._mark = mark
        self._sink = sink
        self._watch = watch
        self._address = read_address(config.daemon or "")
        # The games that the present request asks for, by number, each with its next attempt.
        self._games: dict[int, Assignment] = {}
        # The reply to the present request; None before the first one.
        self._client: MatchClient | None = None
        # The connection that is being made; None before the first one.
        self._connecting: Deferred[MatchClient] | None = None
        # The games of the present request that are over and are being written.
        self._writing: list[Deferred[None]] = []
        # Whether a game is being played.
        self._is_playing = False
        # Fires at the end of a pause; None while there is none.
        self._resumed: Deferred[None] | None = None
        # Set once, when no further game may begin; None while games are played.
        self._reason: StopReason | None = None
        # The first error that ends the run.
        self._error: BaseException | None = None

    @property
    def running(self) -> int:
        """The number of games in play."""
        return int(self._is_playing)

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called; local engines have ended then.

        Raises:
            RemoteError: the daemon cannot be reached, refuses the match or aborts it.
            ConnectFailed: a local engine is refused or ends.
            RunError: a result could not be written.
        """
        bridges = [
            EngineBridge(
                self._reactor,
                self._address,
                engine.name,
                launch_of(engine, self._mark),
                lambda _text: None,
            )
            for engine in self._config.engine
            if not is_attached(engine)
        ]
        try:
            for bridge in bridges:
                bridge.done.addErrback(self._on_failure)
                bridge.start()
            return await self._play()
        finally:
            for bridge in bridges:
                bridge.finish()

    def pause(self) -> None:
        """Begin no further game; the one that is played is played to its end."""
        self.paused = True
        if not self._is_playing:
            self._leave()

    def resume(self) -> None:
        """Begin games again after a pause."""
        self.paused = False
        resumed, self._resumed = self._resumed, None
        if resumed is not None:
            resumed.callback(None)

    def stop(self, reason: StopReason = StopReason.STOPPED) -> None:
        """Abort the game that is played; it has no result and stays missing."""
        if self._reason is None:
            self._reason = reason
            self._leave()
            self.resume()

    def fail(self, error: BaseException) -> None:
        """Abort the game that is played as `stop` does, and let `play` raise ``error``."""
        self._error = self._error or error
        self.stop()

    def set_concurrency(self, games: int) -> None:
        """Ignore the number: attached engines play one game at a time."""

    # -- the daemon -------------------------------------------------------------------------

    def _leave(self) -> None:
        """End the present request, which the daemon takes as the end of its match."""
        if self._client is not None:
            self._client.end()
        if self._connecting is not None:
            self._connecting.cancel()

    async def _play(self) -> StopReason:
        while self._reason is None and not self.tournament.is_over:
            if self.paused:
                self._resumed = Deferred()
                await self._resumed
            else:
                await self._request()
        if self._error is not None:
            raise self._error
        return self._reason or StopReason.OVER

    async def _request(self) -> None:
        """Have the daemon play the first missing games that follow one another."""
        games = {game.number: game for game in self.tournament.missing()}
        first = last = min(games)
        while last + 1 in games:
            last += 1
        self._games = {number: games[number] for number in range(first, last + 1)}
        try:
            await self._read_reply(
                MatchClient(format_order(self._config, first, last), self._on_news)
            )
        finally:
            self._is_playing = False
            writing, self._writing = self._writing, []
            await DeferredList(writing)
        if not writing and not self.paused and self._reason is None:
            raise RemoteError("the daemon ended the match without a game")

    async def _read_reply(self, client: MatchClient) -> None:
        """Send a request, and take its reply to the end."""
        endpoint = HostnameEndpoint(self._reactor, *self._address)
        self._connecting = connectProtocol(endpoint, client)
        try:
            await self._connecting
            self._client = client
            await client.done
        except ConnectingCancelledError:
            pass  # paused or stopped meanwhile
        except ConnectError as error:
            raise RemoteError(f"cannot reach {self._config.daemon}: {error}") from None
        finally:
            self._client = self._connecting = None

    def _on_news(self, news: News) -> None:
        game = self._games.get(news.number)
        if game is None:
            raise RemoteError(f"game {news.number} of the reply was not asked for")
        match news:
            case GameBegins():
                self._is_playing = True
                self._watch(begins(game.number, game.setup))
            case GameEnds(_, record):
                self._is_playing = False
                self._end(game, record)
            case _:
                self._watch(news)

    def _end(self, game: Assignment, record: GameRecord) -> None:
        """Take a finished game; a void one is played again by the daemon."""
        if (record.black, record.white) != game.setup.names:
            raise RemoteError(f"game {game.number}: {record.black} against {record.white}")
        again = assignment(self.tournament.plan, game.pair, game.leg, game.attempt + 1)
        self._games[game.number] = again
        own = attrs.evolve(
            record, id=game.setup.id, pair=game.pair.key, leg=game.leg, attempt=game.attempt
        )
        commit = Deferred.fromCoroutine(self._commit(game.number, own))
        self._writing.append(commit.addErrback(self._on_failure))
        if self.paused:
            self._leave()

    async def _commit(self, number: int, played: GameRecord) -> None:
        policy = self.tournament.plan.on_crash
        record = apply_crash_policy(played, policy)
        if self.tournament.has(record):  # given up here after fewer attempts than there
            return
        await self._sink.commit(PlayedGame(record))
        self.tournament.take(record)
        self._watch(GameEnds(number, record))
        if stops_run(played, policy):
            self.stop(StopReason.CRASHED)
        elif self.tournament.is_decided:
            self.stop(StopReason.OVER)

    def _on_failure(self, failure: Failure) -> None:
        self.fail(failure.value or RuntimeError("unknown error"))
