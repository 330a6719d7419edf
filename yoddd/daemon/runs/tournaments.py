"""A run as a program: a folder, an arena, and who listens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Final, Protocol

import attrs
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IListeningPort
from twisted.internet.task import LoopingCall

import yoddd
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory, describe, endpoint, listen_at
from yoddd.daemon.play.match_runner import GameEnds, News, Watch
from yoddd.daemon.play.participants import AttachedParticipant, Participant, ProcessParticipant
from yoddd.daemon.play.processes import kill_marked
from yoddd.daemon.runs.archive import RunError, RunFolder
from yoddd.daemon.runs.arena import Archivist, Arena, Ending
from yoddd.daemon.runs.committer import Committer
from yoddd.daemon.runs.control import SOCKET, Answer, ControlPort, Orders, parse_setting
from yoddd.daemon.runs.preparation import RUN_MARK, cpu_share, is_attached, launch_of
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.referee.config import make_plan
from yoddd.referee.progress import Pace, Progress, progress_of, progress_values
from yoddd.referee.tournament import ArchiveMismatch, Tournament

TICK: Final = 1.0
"""Seconds between two status reports while games run."""


@attrs.frozen
class RunBegins:
    """A run is about to play.

    Attributes:
        progress: as it stands.
        torn: bytes of a torn last line that were cut off.
        killed: processes that an earlier run had left behind.
        listening: where engines can dial in; None for nowhere.
    """

    progress: Progress
    torn: int
    killed: int
    listening: str | None


@attrs.frozen
class RunStands:
    """How the run stands now; said about once a second and after each game."""

    progress: Progress


@attrs.frozen
class RunEnds:
    """The run plays no more.

    Attributes:
        progress: as it stands.
        ending: why.
    """

    progress: Progress
    ending: Ending


RunNews = News | RunBegins | RunStands | RunEnds
RunWatch = Callable[[RunNews], None]


def restore(folder: RunFolder) -> Tournament:
    """The tournament of a folder, with all that its archive has.

    Raises:
        RunError: the archive is not of this tournament.
    """
    tournament = Tournament(make_plan(folder.config))
    try:
        for record in folder.records():
            tournament.take(record)
    except ArchiveMismatch as error:
        raise RunError(f"{folder.path}: {error}") from None
    return tournament


class Player(Protocol):
    """Who plays what is missing of a tournament: `Arena` in this process, or a cluster's workers.

    Attributes:
        tournament: as it stands.
        paused: whether no further game is begun.
    """

    tournament: Tournament
    paused: bool

    @property
    def concurrency(self) -> int:
        """How many games are played at once at most."""

    @property
    def running(self) -> int:
        """How many games are being played."""

    async def play(self) -> Ending:
        """Play until the tournament is over or somebody stops it."""

    def pause(self) -> None:
        """Begin no further game."""

    def resume(self) -> None:
        """Go on after a pause."""

    def stop(self) -> None:
        """Break off."""

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on."""


MakePlayer = Callable[[Reactor, Tournament, Archivist, Watch], Player]


class Runner:
    """One run in this process."""

    def __init__(
        self,
        reactor: Reactor,
        folder: RunFolder,
        tournament: Tournament,
        watch: RunWatch,
        make_player: MakePlayer | None = None,
    ) -> None:
        """Prepare; nothing is started, and without ``make_player`` the games are played here."""
        self._reactor = reactor
        self._folder = folder
        self._watch = watch
        self._mark = str(folder.path.resolve())
        self._services = Services(
            reactor=reactor,
            session=SessionConfig(version=yoddd.__version__, services=SessionServices(attach=True)),
        )
        self._began = reactor.seconds()
        self._at_start = tournament.finished
        self._committer = Committer(reactor, folder)
        make = make_player or self._arena
        self.player = make(reactor, tournament, self._committer, self._hear)

    async def play(self) -> Ending:
        """Play to the end, or until somebody ends it.

        Raises:
            RunError: a result cannot be kept.
            ListenError: engines cannot dial in where they should.
        """
        async with AsyncExitStack() as stack:
            stack.callback(self._services.pool.close)
            stack.callback(self._committer.close)
            killed = kill_marked(RUN_MARK, self._mark)
            stack.callback(kill_marked, RUN_MARK, self._mark)
            control = ControlPort(self._reactor, self._folder.path / SOCKET, self._orders())
            stack.push_async_callback(control.close)
            where = await self._listen(stack)
            self._watch(RunBegins(self.progress, self._folder.torn, killed, where))
            ticks = LoopingCall(lambda: self._watch(RunStands(self.progress)))
            ticks.clock = self._reactor
            ticks.start(TICK, now=False)
            stack.callback(ticks.stop)
            ending = await self.player.play()
        self._watch(RunEnds(self.progress, ending))
        return ending

    @property
    def progress(self) -> Progress:
        """How the run stands."""
        seconds = self._reactor.seconds() - self._began
        played = self.player.tournament.finished - self._at_start
        return progress_of(
            self.player.tournament,
            Pace(
                running=self.player.running,
                concurrency=self.player.concurrency,
                paused=self.player.paused,
                rate=played / seconds if seconds > 0 else 0.0,
            ),
        )

    async def _listen(self, stack: AsyncExitStack) -> str | None:
        description = self._folder.config.listen
        if description is None:
            return None
        where = endpoint(self._reactor, description, self._services.limits.backlog)
        port = await listen_at(where, description, ClientFactory(self._services), public=False)
        stack.push_async_callback(_stop_listening, port)
        return describe(port)

    def _arena(
        self, reactor: Reactor, tournament: Tournament, archivist: Archivist, watch: Watch
    ) -> Arena:
        games = self._folder.config.concurrency
        return Arena(reactor, tournament, self._seat, archivist, watch, games)

    def _seat(self, entrant: int, table: int) -> Participant:
        config = self._folder.config
        engine = config.engine[entrant]
        if is_attached(engine):
            return AttachedParticipant(self._services.engines, engine.name)
        cpus = cpu_share(table, self.player.concurrency) if config.affinity else ()
        launch = launch_of(engine, self._mark, cpus)
        return ProcessParticipant(self._reactor, engine.name, launch, restart=engine.restart)

    def _hear(self, news: News) -> None:
        self._watch(news)
        if isinstance(news, GameEnds):
            self._watch(RunStands(self.progress))

    def _orders(self) -> Orders:
        return {
            "status": lambda _: self._status(),
            "pause": lambda _: self._told(self.player.pause),
            "resume": lambda _: self._told(self.player.resume),
            "stop": lambda _: self._told(self.player.stop),
            "set": lambda text: self._told(self.player.set_concurrency, parse_setting(text)),
        }

    def _told(self, order: Callable[..., None], *arguments: int) -> Answer:
        # The answer goes out first: what is ordered may end the run.
        self._reactor.callLater(0, order, *arguments)
        return {"done": True}

    def _status(self) -> Answer:
        return progress_values(self.progress)


async def _stop_listening(port: IListeningPort) -> None:
    await maybeDeferred(port.stopListening)


def play_run(folder: RunFolder, watch: RunWatch, make_player: MakePlayer | None = None) -> Ending:
    """Play what is missing in a folder; an interrupt or SIGTERM stops it in good order.

    Without ``make_player`` the games are played in this process.

    Raises:
        RunError: the archive is not of this tournament, or a result cannot be kept.
        ListenError: engines cannot dial in where they should.
    """
    tournament = restore(folder)
    found: list[Ending] = []

    async def program(reactor: Reactor) -> int:
        runner = Runner(reactor, folder, tournament, watch, make_player)

        def stop() -> Deferred[None]:
            runner.player.stop()
            return over

        over: Deferred[None] = Deferred()
        reactor.addSystemEventTrigger("before", "shutdown", stop)
        try:
            found.append(await runner.play())
        finally:
            over.callback(None)
        return 0

    run(program)
    return found[0]
