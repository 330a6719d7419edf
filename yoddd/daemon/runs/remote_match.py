"""The client's side of ``match``: a run whose games a daemon plays, also with local engines."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.play.executor import SlotExecutor, StopReason
from yoddd.daemon.play.match_command import format_request, parse_news
from yoddd.daemon.play.news import GameBegins, GameEnds, News, Watch, begins
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.connect import AttachOptions, EngineBridge
from yoddd.daemon.runs.preparation import is_attached, launch_of
from yoddd.notation import NotationError
from yoddd.notation.records import GameRecord, rules_of
from yoddd.referee.tournament.config import TournamentConfig
from yoddd.referee.tournament.tournament import Assignment, assignment
from yoddd.rules.facts import difference

_ERROR: Final = "error "


class RemoteError(RunError):
    """The daemon cannot be reached, refuses the match, or aborts it; the text says why."""


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


@attrs.define(eq=False)
class DaemonExecutor(SlotExecutor):
    """Has a daemon play the games, as many at once as the engines can.

    Its one slot asks for missing games by their numbers, as many in a row as there are, and takes
    the records as its own run numbers them. Engines with a command line attach to the daemon
    meanwhile.
    """

    # The match; it names the daemon.
    _config: TournamentConfig = attrs.field(kw_only=True)
    # The run in the environment of local engines, see `launch_of`.
    _mark: str = attrs.field(kw_only=True)
    # The folder where the bytes of local engines are logged; None for none.
    _log: Path | None = attrs.field(default=None, kw_only=True)
    # The games that the present request asks for, by number, each with its next attempt.
    _games: dict[int, Assignment] = attrs.Factory(dict)
    # The reply to the present request; None before the first one.
    _client: MatchClient | None = None
    # The connection that is being made; None before the first one.
    _connecting: Deferred[MatchClient] | None = None
    # The games of the present request that are over and are being written.
    _commits: list[Deferred[None]] = attrs.Factory(list)
    # The numbers of the games that are being played.
    _playing: set[int] = attrs.Factory(set)
    # Those that the daemon has begun while no further game was wanted; they stay missing.
    _unwanted: set[int] = attrs.Factory(set)

    @property
    def _address(self) -> tuple[str, int]:
        host, _, port = (self._config.daemon or "").rpartition(":")
        return host, int(port)

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
                launch_of(engine, self._mark, log=self._log),
                lambda _text: None,
                options,
            )
            for engine in self._config.engine
            if not is_attached(engine)
            for options in AttachOptions().copies(self._config.concurrency)
        ]
        try:
            for bridge in bridges:
                bridge.done.addErrback(self._on_failure)
                bridge.start()
            return await super().play()
        finally:
            for bridge in bridges:
                bridge.finish()

    def pause(self) -> None:
        """Begin no further game; those in play are played to their end."""
        super().pause()
        if not self._playing:
            self._leave()

    def set_concurrency(self, games: int) -> None:
        """Ignore the number: the daemon plays as many games at once as the request says."""

    # -- the daemon -------------------------------------------------------------------------

    def _leave(self) -> None:
        """End the present request, which the daemon takes as the end of its match."""
        if self._client is not None:
            self._client.end()
        if self._connecting is not None:
            self._connecting.cancel()

    def _abort(self, number: int, void: str | None) -> None:
        del number, void
        self._leave()

    async def _close(self) -> None:
        """Return at once: the request has ended with the last game."""

    def _next(self) -> list[Assignment]:
        """The first missing games that follow one another."""
        games: list[Assignment] = []
        for game in self.tournament.missing():
            if games and game.number != games[-1].number + 1:
                break
            games.append(game)
        return games

    def _in_play(self) -> int:
        return len(self._playing)

    async def _play(self, number: int, games: list[Assignment]) -> None:
        self._games = {game.number: game for game in games}
        request = format_request(self._config, games[0].number, games[-1].number)
        try:
            await self._read_reply(MatchClient(request, self._on_news))
        finally:
            self._playing.clear()
            self._unwanted.clear()
            commits, self._commits = self._commits, []
            await DeferredList(commits)
            self._running.discard(number)
        if not commits and not self.paused and self._reason is None:
            raise RemoteError("the daemon ended the match without a game")
        self._fill()

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
        if isinstance(news, GameBegins):
            (self._unwanted.add if self.paused else self._unwanted.discard)(news.number)
        if news.number in self._unwanted:
            return
        match news:
            case GameBegins():
                self._playing.add(game.number)
                self._watch(begins(game.number, game.setup))
            case GameEnds(_, record):
                self._playing.discard(game.number)
                self._end(game, record)
            case _:
                self._watch(news)

    def _end(self, game: Assignment, record: GameRecord) -> None:
        """Take a finished game; a void one is played again by the daemon."""
        if (record.black, record.white) != game.setup.names:
            raise RemoteError(f"game {game.number}: {record.black} against {record.white}")
        rules = self.tournament.plan.rules
        if record.rules_hash != rules.facts.hash:
            found = difference(rules.facts, rules_of(record).facts)
            raise RemoteError(f"the daemon plays {record.game} by other rules: {found}")
        again = assignment(self.tournament.plan, game.pair, game.leg, game.attempt + 1)
        self._games[game.number] = again
        own = attrs.evolve(
            record, id=game.setup.id, pair=game.pair.key, leg=game.leg, attempt=game.attempt
        )
        if not self.tournament.has(own):  # given up here after fewer attempts than there
            commit = Deferred.fromCoroutine(self._take([game], [PlayedGame(own)]))
            self._commits.append(commit.addErrback(self._on_failure))
        if self.paused and not self._playing:
            self._leave()
