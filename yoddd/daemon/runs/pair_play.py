"""Plays single games for somebody else: an order on standard input, records on standard output.

Run as ``python -m yoddd.daemon.runs.pair_play``. The first line of the input is an order, see
`format_order`; the end of the input breaks the games off, so that nothing outlives the one who
asked. The output has the news as they come, as `format_news` spells them, and for each finished
game a line of JSON instead, see `Played`.
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
from yoddd.daemon.play.match_runner import News
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.runs.archive import Bundle
from yoddd.daemon.runs.arena import Slot
from yoddd.daemon.runs.preparation import launch_of
from yoddd.notation import dump_record, load_record
from yoddd.notation.records import GameRecord
from yoddd.referee.config import TournamentConfig, dump_config, load_config, make_plan
from yoddd.referee.plan import Pair
from yoddd.referee.tournament import Assignment, assignment

_MARK = "pairplay"


@attrs.frozen
class Played:
    """One finished game, and what is kept of its fault."""

    record: GameRecord
    bundle: Bundle | None

    def format(self) -> str:
        """As a line."""
        files = dict(self.bundle.files) if self.bundle else None
        return json.dumps({"record": dump_record(self.record), "files": files})


def parse_played(line: str) -> Played:
    """Read what `Played.format` wrote."""
    values = json.loads(line)
    files = values["files"]
    return Played(load_record(values["record"]), Bundle(files) if files is not None else None)


def format_order(config: TournamentConfig, games: Sequence[Assignment]) -> str:
    """The line that asks for some games of one pair."""
    pair = attrs.asdict(games[0].pair)
    legs = [[game.leg, game.attempt] for game in games]
    return json.dumps({"config": dump_config(config), "pair": pair, "legs": legs})


def parse_order(line: str) -> tuple[TournamentConfig, list[Assignment]]:
    """Read what `format_order` wrote."""
    values = json.loads(line)
    config = load_config(values["config"])
    plan, pair = make_plan(config), Pair(**values["pair"])
    return config, [assignment(plan, pair, leg, attempt) for leg, attempt in values["legs"]]


class _Orderer(LineReceiver):
    """Standard input and output."""

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
    orderer = _Orderer()
    StandardIO(orderer, reactor=reactor)
    config, games = parse_order(await orderer.order)

    def seat(entrant: int, _table: int) -> Participant:
        engine = config.engine[entrant]
        launch = launch_of(engine, _MARK)
        return ProcessParticipant(reactor, engine.name, launch, restart=engine.restart)

    def tell(news: News) -> None:
        orderer.sendLine(format_news(news).encode())

    slot = Slot(reactor, 0, seat)
    orderer.gone.addCallback(lambda _: slot.abort())
    try:
        for game in games:
            finished = await slot.play(game, tell)
            if finished is None:
                return 1
            orderer.sendLine(Played(*finished).format().encode())
    finally:
        await slot.part()
    return 0


if __name__ == "__main__":
    sys.exit(run(_play))
