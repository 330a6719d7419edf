"""The games of one pair on a worker of a cluster, in a process of their own.

Threads cannot share a reactor, so that each pair has a process, and so has the introduction of the
engines: an order without games. It reads a `PairOrder` from its standard input, writes `Message`s
to its standard output, all pickled, and aborts at the end of its input, so that no engine outlives
the worker.
"""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import attrs
from twisted.internet.defer import CancelledError, Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.base.world import World
from yoddd.daemon.play.news import News
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.play.slot import PlayedGame, Slot
from yoddd.daemon.runs.introduction import meet
from yoddd.daemon.runs.preparation import (
    check_hashes,
    first_starts,
    launch_of,
    plan_with_tables,
    with_description,
)
from yoddd.referee.tournament.config import ConfigError, TournamentConfig
from yoddd.referee.tournament.plan import Pair
from yoddd.referee.tournament.tournament import Assignment, assignment
from yoddd.system import own_command
from yoddd.workers import WorkerLost, tell

_MARK: Final = "pairplay"
_COMMAND: Final = own_command("yoddd.daemon.runs.pair_worker")
_LOST: Final = "the process that played the games has ended"

_INTRODUCED: Final[set[str]] = set()
"""The runs whose engines can play here."""

_INTRODUCING: Final = threading.Lock()
"""Held while the engines of a run are introduced, once for all threads of a worker."""

_PLAYING: Final[dict[int, tuple[str, IO[bytes]]]] = {}
"""By process that plays: its run and its standard input."""

Message = News | PlayedGame | ConfigError | None
"""News of a game, its end, or the end of the introduction: why an engine cannot play, or None."""


Send = Callable[[Message], None]
AtEnd = Callable[[Callable[[], None]], None]
"""Has work aborted at the end of the input."""


@attrs.frozen
class PairOrder:
    """Games of one pair that are to be played; none to introduce the engines.

    Attributes:
        run: the run that they belong to; names its news.
        config: of the tournament.
        pair: the pair.
        places: leg and attempt of each game.
    """

    run: str
    config: TournamentConfig
    pair: Pair
    places: tuple[tuple[int, int], ...]

    def games(self) -> list[Assignment]:
        """The games."""
        plan = plan_with_tables(self.config)
        return [assignment(plan, self.pair, leg, attempt) for leg, attempt in self.places]


# -- in a thread of the worker --------------------------------------------------------------


def play_pair(order: PairOrder, number: int) -> list[PlayedGame]:
    """Play the games of an order; its run is told their news, each with the number of the order.

    Raises:
        ConfigError: an engine is another program here, or cannot play.
        WorkerLost: the process was killed, or the games were aborted.
    """
    _check_engines(order)
    games: list[PlayedGame] = []
    for found in _converse(order):
        if isinstance(found, PlayedGame):
            games.append(found)
        else:
            tell(order.run, (number, found))
    if len(games) < len(order.places):
        raise WorkerLost(_LOST)
    return games


def abort_pairs(run: str) -> None:
    """Abort the games of a run."""
    for owner, stream in list(_PLAYING.values()):
        if owner == run:
            stream.close()


def _check_engines(order: PairOrder) -> None:
    for engine in order.config.engine:
        check_hashes(engine)
    with _INTRODUCING:
        if order.run in _INTRODUCED:
            return
        for problem in _converse(attrs.evolve(order, places=())):
            if isinstance(problem, ConfigError):
                raise problem
            _INTRODUCED.add(order.run)
        if order.run not in _INTRODUCED:
            raise WorkerLost(_LOST)


def _converse(order: PairOrder) -> Iterator[Message]:
    """Start a process for an order and pass on what it writes until it ends."""
    pipe = subprocess.PIPE
    with (
        # It may end in the middle of a message, or be aborted before it has its order.
        suppress(OSError, EOFError, pickle.UnpicklingError, ValueError),
        subprocess.Popen(_COMMAND, stdin=pipe, stdout=pipe) as process,
    ):
        if process.stdin is None or process.stdout is None:
            return
        _PLAYING[process.pid] = (order.run, process.stdin)
        try:
            pickle.dump(order, process.stdin)
            process.stdin.flush()
            while True:
                yield pickle.load(process.stdout)  # noqa: S301 — our own process wrote it
        finally:
            del _PLAYING[process.pid]


# -- in the process -------------------------------------------------------------------------


def main() -> None:
    """Play the games of an order."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What anything else prints is no message.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    order: PairOrder = pickle.load(sys.stdin.buffer)  # noqa: S301 — the worker wrote it

    def send(message: Message) -> None:
        pickle.dump(message, output)
        output.flush()

    async def program(reactor: Reactor) -> int:
        return await carry_out(
            order, World(reactor), send, functools.partial(_at_end_of_input, reactor)
        )

    with_description(order.config, Path())
    sys.exit(run(program))


def _at_end_of_input(reactor: Reactor, abort: Callable[[], None]) -> None:
    def watch() -> None:
        os.read(sys.stdin.fileno(), 1)  # no byte comes: it is the end
        reactor.callFromThread(abort)

    threading.Thread(target=watch, daemon=True).start()


async def carry_out(order: PairOrder, world: World, send: Send, at_end: AtEnd) -> int:
    """Play the games of an order, or introduce its engines; return the exit status.

    Args:
        order: the order.
        world: the surroundings of the process.
        send: receives the messages.
        at_end: is given what aborts the work, to be called at the end of the input.
    """
    return await (_play if order.places else _introduce)(order, world, send, at_end)


async def _introduce(order: PairOrder, world: World, send: Send, at_end: AtEnd) -> int:
    try:
        starts = list(first_starts(order.config).values())
        met = Deferred.fromCoroutine(meet(world.reactor, starts, order.config.limits))
        at_end(met.cancel)
        await met
    except ConfigError as problem:
        send(problem)
    except CancelledError:
        return 1
    else:
        send(None)
    return 0


async def _play(order: PairOrder, world: World, send: Send, at_end: AtEnd) -> int:
    def seat(entrant: int, _slot: int) -> Participant:
        engine = order.config.engine[entrant]
        launch = launch_of(engine, _MARK)
        return ProcessParticipant(world.reactor, engine.name, launch, restart=engine.restart)

    slot = Slot(world, 0, seat)
    at_end(slot.abort)
    try:
        for game in order.games():
            finished = await slot.play(game, send)
            if finished is None:
                return 1
            send(finished)
    finally:
        await slot.wait_closed()
    return 0


if __name__ == "__main__":
    main()
