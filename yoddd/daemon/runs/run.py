"""A run as a program: a folder, an executor that plays in it, its sockets, and the news."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import LoopingCall

import yoddd
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Attachment, Claim
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory, describe, endpoint, listen_at
from yoddd.daemon.play.executor import Commit, LocalExecutor, SlotExecutor, StopReason
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen, Watch
from yoddd.daemon.play.participants import (
    ATTACHED,
    AttachedParticipant,
    Participant,
    ProcessParticipant,
)
from yoddd.daemon.play.processes import kill_marked
from yoddd.daemon.play.slot import Slot
from yoddd.daemon.runs.archive import ArchiveWriter, RunError
from yoddd.daemon.runs.control import SOCKET, Answer, Commands, ControlPort, parse_setting
from yoddd.daemon.runs.preparation import (
    RUN_MARK,
    cpu_share,
    is_attached,
    launch_of,
    plan_with_tables,
)
from yoddd.daemon.runs.remote_match import DaemonExecutor
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.daemon.runs.status_socket import SOCKET as STATUS_SOCKET
from yoddd.notation.text import describe_error
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.effects import Attach, ConnectionHandle
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import TRUSTED, Origin, fold
from yoddd.referee.reports.progress import Pace, Progress, progress_of, progress_values
from yoddd.referee.tournament.config import TournamentConfig
from yoddd.referee.tournament.tournament import ArchiveMismatch, Tournament
from yoddd.rules import Rules
from yoddd.system import raise_file_limit


class GamesPlaying:
    """The games in play with their turns so far, as the news tell of them."""

    def __init__(self, rules: Rules) -> None:
        """Create it without games; ``rules`` are those of every game of the run."""
        self._rules = rules
        # By the number of the game in the run. A game that is aborted stays until it is played
        # again under its number.
        self._games: dict[int, dict[str, Any]] = {}

    def take(self, news: News) -> None:
        """Add news of the games in play."""
        match news:
            case GameBegins():
                self._games[news.number] = self._begun(news)
            case TurnSeen(number, _, token, seconds):
                self._games[number]["turns"].append(token)
                self._games[number]["times"].append(seconds)
            case GameEnds(number, record):
                # A void game may be played again, under its number, before its result is written.
                if self._games.get(number, {}).get("id") == record.id:
                    del self._games[number]

    def _begun(self, news: GameBegins) -> dict[str, Any]:
        return {
            "id": news.id,
            "game": self._rules.game.name,
            "board": self._rules.geometry.name,
            "options": self._rules.options(),
            "black": news.black,
            "white": news.white,
            "turns": [*news.opening],
            "times": [0.0] * len(news.opening),
            "position": news.position,
            "opening": len(news.opening),
        }

    def answer(self, game_id: str) -> dict[str, Any]:
        """The game of an id with its turns so far; without one, a line for each game.

        Raises:
            ValueError: no game of this id is in play.
        """
        if not game_id:
            return {"games": [_summary(game) for game in self._games.values()]}
        for game in self._games.values():
            if game["id"] == game_id:
                return game
        raise ValueError(f"no game {game_id!r} is in play")


def _summary(game: dict[str, Any]) -> dict[str, Any]:
    return {name: game[name] for name in ("id", "black", "white")} | {"turns": len(game["turns"])}


_FILES: Final = 64
"""Open files of a run besides those of its engines."""

_FILES_OF_ENGINE: Final = 6
"""Pipes of an engine, with those that are open while it starts."""

TICK: Final = 1.0
"""Seconds between two `RunStands` while games run."""


@attrs.frozen
class RunBegins:
    """A run is about to play.

    Attributes:
        progress: how it stands.
        torn: bytes of a torn last line that were cut off.
        unread: errors of lines of the archive that were set aside; the games are played again.
        killed: processes that an earlier run had left behind.
        listening: the endpoint where engines connect, if there is one.
    """

    progress: Progress
    torn: int
    unread: tuple[str, ...]
    killed: int
    listening: str | None


@attrs.frozen
class RunStands:
    """The progress of the run, once every `TICK` seconds and after each game."""

    progress: Progress


@attrs.frozen
class RunEnds:
    """The run plays no more.

    Attributes:
        progress: how it stands.
        reason: why.
    """

    progress: Progress
    reason: StopReason


RunNews = News | RunBegins | RunStands | RunEnds
RunWatch = Callable[[RunNews], None]


def load_tournament(folder: RunFolder) -> Tournament:
    """The tournament that a folder plans, with all games of its archive.

    Raises:
        RunError: the archive is not of this tournament.
    """
    tournament = Tournament(plan_with_tables(folder.config))
    try:
        for record in folder.records():
            tournament.take(record)
    except ArchiveMismatch as error:
        raise RunError(f"{folder.path}: {error}") from None
    return tournament


ExecutorFactory = Callable[[Reactor, Tournament, Commit, Watch], SlotExecutor]


class Run:
    """One run in this process.

    Attributes:
        executor: plays the games.
    """

    def __init__(
        self,
        world: World,
        folder: RunFolder,
        tournament: Tournament,
        watch: RunWatch,
        make_executor: ExecutorFactory | None = None,
        log: Path | None = None,
    ) -> None:
        """Prepare a run; without ``make_executor`` it plays here, or at the daemon it names.

        The bytes to and from engine processes are logged in the folder ``log``, if there is one.
        """
        self._log = log
        self._world, self._reactor = world, world.reactor
        self._folder = folder
        self._watch = watch
        # Whether ``watch`` has failed; it is not called any more then.
        self._unwatched = False
        # The value of `RUN_MARK` in the environment of every engine of this run.
        self._mark = str(folder.path.resolve())
        self._services = Services(
            reactor=self._reactor,
            session=SessionConfig(version=yoddd.__version__, services=SessionServices(attach=True)),
            attach_gate=self._gate,
            pool=SearchPool(world),
        )
        # By folded name of the engine, what it has to play.
        plan = tournament.plan
        self._claims = {
            fold(side.name): Claim(TRUSTED, terms=(plan.rules, side.clock)) for side in plan.sides
        }
        # For the games a second: reactor time and games that were finished when this run began.
        self._began = self._reactor.seconds()
        self._at_start = tournament.finished
        self._playing = GamesPlaying(tournament.plan.rules)
        self._writer = ArchiveWriter(world, folder.archive)
        make = make_executor or self._executors
        self.executor = make(self._reactor, tournament, self._writer.commit, self._on_news)

    async def play(self) -> StopReason:
        """Play until the tournament is over or the run is stopped.

        Raises:
            RunError: a result cannot be written.
            ListenError: the endpoint for engines cannot be opened.
            Exception: what ``watch`` raised; the games that ran then have no result.
        """
        async with AsyncExitStack() as stack:
            stack.callback(self._services.pool.close)
            stack.callback(self._writer.close)
            killed = kill_marked(RUN_MARK, self._mark)
            stack.callback(kill_marked, RUN_MARK, self._mark)
            self._open_sockets(stack)
            where = await self._listen(stack)
            unread = tuple(map(str, self._folder.unread))
            self._watch(RunBegins(self.progress, self._folder.torn, unread, killed, where))
            ticks = LoopingCall(lambda: self._tell(RunStands(self.progress)))
            ticks.clock = self._reactor
            ticks.start(TICK, now=False)
            stack.callback(ticks.stop)
            reason = await self.executor.play()
        self._watch(RunEnds(self.progress, reason))
        return reason

    @property
    def progress(self) -> Progress:
        """The progress of the run."""
        seconds = self._reactor.seconds() - self._began
        played = self.executor.tournament.finished - self._at_start
        return progress_of(
            self.executor.tournament,
            Pace(
                running=self.executor.running,
                concurrency=self.executor.concurrency,
                paused=self.executor.paused,
                rate=played / seconds if seconds > 0 else 0.0,
            ),
        )

    def _open_sockets(self, stack: AsyncExitStack) -> None:
        """Open the sockets of the run, without which it is played as well."""
        if not hasattr(socket, "AF_UNIX"):
            return
        try:
            for name, commands in self._commands().items():
                port = ControlPort(self._reactor, self._folder.path / name, commands)
                stack.push_async_callback(port.close)
        except OSError as error:
            warnings.warn(
                f"{describe_error(error)}: `yoddd run` and the page cannot reach this run",
                stacklevel=1,
            )

    async def _gate(
        self, _connection: ConnectionHandle, request: Attach, origin: Origin
    ) -> str | Origin:
        """Refuse an engine that does not play the games of the run, which would wait for it."""
        claim = self._claims.get(fold(request.name))
        try:
            if claim is not None:
                claim.check(Attachment.read(request.name, origin, request.options))
        except PeerError as error:
            return error.text
        return origin

    async def _listen(self, stack: AsyncExitStack) -> str | None:
        description = self._folder.config.listen
        if description is None:
            return None
        where = endpoint(self._reactor, description, self._services.limits.backlog)
        port = await listen_at(where, description, ClientFactory(self._services), public=False)
        stack.push_async_callback(maybeDeferred, port.stopListening)
        return describe(port)

    @property
    def _executors(self) -> ExecutorFactory:
        config = self._folder.config
        if config.daemon:
            return partial(DaemonExecutor, config=config, mark=self._mark, log=self._log)
        return partial(
            LocalExecutor,
            concurrency=config.concurrency,
            make_slot=lambda number: Slot(self._world, number, self._make_participant),
        )

    def _make_participant(self, entrant: int, slot: int) -> Participant:
        config = self._folder.config
        engine = config.engine[entrant]
        if is_attached(engine):
            claim = self._claims[fold(engine.name)]
            return AttachedParticipant(self._services.engines, engine.name, claim)
        cpus = cpu_share(slot, self.executor.concurrency) if config.affinity else ()
        launch = launch_of(engine, self._mark, cpus, self._log)
        return ProcessParticipant(self._reactor, engine.name, launch, restart=engine.restart)

    def _on_news(self, news: News) -> None:
        self._playing.take(news)
        self._tell(news)
        if isinstance(news, GameEnds):
            self._tell(RunStands(self.progress))

    def _tell(self, news: RunNews) -> None:
        """Pass news on; a display that fails ends the run, and no game is lost by it."""
        if self._unwatched:
            return
        try:
            self._watch(news)
        except Exception as error:  # noqa: BLE001 — `play` raises it
            self._unwatched = True
            # Not at once: a game may be in the middle of an event.
            self._reactor.callLater(0, self.executor.fail, error)

    def _commands(self) -> dict[str, Commands]:
        """The commands of each socket."""
        executor, schedule = self.executor, self._schedule
        return {
            STATUS_SOCKET: {
                "status": lambda _: progress_values(self.progress),
                "playing": self._playing.answer,
            },
            SOCKET: {
                "pause": lambda _: schedule(executor.pause),
                "resume": lambda _: schedule(executor.resume),
                "stop": lambda _: schedule(executor.stop),
                "set": lambda text: schedule(executor.set_concurrency, parse_setting(text)),
            },
        }

    def _schedule(self, function: Callable[..., None], *arguments: int) -> Answer:
        # After the reply is sent: the command may end the run.
        self._reactor.callLater(0, function, *arguments)
        return {"done": True}


def _check_files(config: TournamentConfig) -> None:
    """Refuse more games at once than the limit of open files has room for.

    Raises:
        RunError: it has not.
    """
    programs = sum(not engine.engine.startswith(ATTACHED) for engine in config.engine)
    needed = _FILES + min(2, programs) * _FILES_OF_ENGINE * config.concurrency
    limit = raise_file_limit()
    if config.daemon is None and needed > limit:
        raise RunError(
            f"{config.concurrency} games at once need {needed} open files, and the system allows "
            f"{limit}: raise the limit with `ulimit -n {needed}`, or lower --concurrency"
        )


def play_run(
    folder: RunFolder,
    watch: RunWatch,
    make_executor: ExecutorFactory | None = None,
    log: Path | None = None,
) -> StopReason:
    """Play the missing games of a folder; an interrupt or SIGTERM stops it.

    Without ``make_executor`` the games are played in this process, or at the daemon that the plan
    names. The bytes to and from engine processes are logged in the folder ``log``.

    Raises:
        RunError: the archive is not of this tournament, a result cannot be written, or the daemon
            aborts the match.
        ListenError: the endpoint for engines cannot be opened.
        ConnectFailed: a local engine cannot play at the daemon.
    """
    _check_files(folder.config)
    tournament = load_tournament(folder)
    found: list[StopReason] = []

    async def program(reactor: Reactor) -> int:
        current = Run(World(reactor), folder, tournament, watch, make_executor, log)

        def stop() -> Deferred[None]:
            current.executor.stop()
            return over

        over: Deferred[None] = Deferred()
        reactor.addSystemEventTrigger("before", "shutdown", stop)
        try:
            found.append(await current.play())
        finally:
            over.callback(None)
        return 0

    run(program)
    return found[0]
