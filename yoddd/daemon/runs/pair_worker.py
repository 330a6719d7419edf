"""Plays the games of one pair for another process, over standard input and output.

Run as ``python -m yoddd.daemon.runs.pair_worker``. The first line of the input is an order, see
`format_order`; the end of the input aborts the games, so that no engine outlives the process that
sent it. The output has a line for each piece of news, see `format_news`, and for each finished game
a line of JSON, see `format_played`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.match_command import format_news
from yoddd.daemon.play.news import GameBegins, News
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.play.played_game import FaultBundle, PlayedGame
from yoddd.daemon.play.slot import Slot
from yoddd.daemon.runs.preparation import launch_of, plan_with_tables
from yoddd.notation import dump_record, load_record
from yoddd.referee.config import TournamentConfig, dump_config, load_config
from yoddd.referee.plan import Pair
from yoddd.referee.tournament import Assignment, assignment

_MARK = "pairplay"


def format_played(game: PlayedGame) -> str:
    """A finished game as a line of JSON."""
    files = dict(game.bundle.files) if game.bundle else None
    return json.dumps({"record": dump_record(game.record), "files": files})


def parse_played(line: str) -> PlayedGame:
    """Read what `format_played` wrote."""
    values = json.loads(line)
    record, files = load_record(values["record"]), values["files"]
    return PlayedGame(record, None if files is None else FaultBundle(files))


def format_order(config: TournamentConfig, games: Sequence[Assignment]) -> str:
    """The order for some games of one pair, as a line of JSON."""
    pair = attrs.asdict(games[0].pair)
    legs = [[game.leg, game.attempt] for game in games]
    return json.dumps({"config": dump_config(config), "pair": pair, "legs": legs})


def parse_order(line: str) -> tuple[TournamentConfig, list[Assignment]]:
    """Read what `format_order` wrote."""
    values = json.loads(line)
    config = load_config(values["config"])
    plan, pair = plan_with_tables(config), Pair(**values["pair"])
    return config, [assignment(plan, pair, leg, attempt) for leg, attempt in values["legs"]]


class _StandardStreams(LineReceiver):
    """Reads the order from standard input and writes to standard output."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 26

    def __init__(self) -> None:
        self.order: Deferred[str] = Deferred()
        self.gone: Deferred[None] = Deferred()

    def lineReceived(self, line: bytes) -> None:
        if not self.order.called:
            self.order.callback(line.decode())

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self.order.called:
            self.order.errback(reason)
        self.gone.callback(None)


async def _play(reactor: Reactor) -> int:
    streams = _StandardStreams()
    StandardIO(streams, reactor=reactor)
    config, games = parse_order(await streams.order)

    def seat(entrant: int, _slot: int) -> Participant:
        engine = config.engine[entrant]
        launch = launch_of(engine, _MARK)
        return ProcessParticipant(reactor, engine.name, launch, restart=engine.restart)

    def tell(news: News) -> None:
        if isinstance(news, GameBegins):  # names may hold spaces; the reader has them by the id
            news = attrs.evolve(news, black="b", white="w")
        streams.sendLine(format_news(news).encode())

    slot = Slot(reactor, 0, seat)
    streams.gone.addCallback(lambda _: slot.abort())
    try:
        for game in games:
            finished = await slot.play(game, tell)
            if finished is None:
                return 1
            streams.sendLine(format_played(finished).encode())
    finally:
        await slot.wait_closed()
    return 0


if __name__ == "__main__":
    sys.exit(run(_play))
