"""The ladder: pairs attached engines with accounts for the most informative rated games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs
from sqlalchemy import Connection
from twisted.internet.defer import Deferred

from yoddd.daemon.base.process.async_service import RegularService
from yoddd.daemon.base.settings import LadderSettings
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.lobby.ledger import Ledger, compute_standings, read_anchors
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.notation.records import GameRecord
from yoddd.protocol.origin import TRUSTED
from yoddd.referee import Seat, parse_clock
from yoddd.referee.game.terminations import describe_result
from yoddd.referee.hosted.events import Holder, Open, Terms
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.tournament.ladder import Result, next_pair
from yoddd.rules import Rules
from yoddd.store import games
from yoddd.store.values import AccountRating, NewGame

LOOK: Final = 1.0
"""Seconds between two searches for a pair of free engines."""

STANDINGS: Final = 10
"""Games after which the standings are shown again."""


def choose_pair(
    connection: Connection,
    game: str,
    board: str,
    names: Sequence[str],
    running: Mapping[tuple[str, str], int],
) -> tuple[str, str] | None:
    """The pair of ``names`` whose game tells the most; slow enough to run in a reader's thread.

    Args:
        connection: to the store.
        game: of the ladder.
        board: of the ladder.
        names: the accounts that can play.
        running: games in play by the names of Black and White.
    """
    begun = Counter(running)
    results = [
        Result(one.black, one.white, one.won, one.lost)
        for one in games.tallies(connection, game, board)
    ]
    for one in results:
        begun[one.black, one.white] += one.won + one.lost
    anchors = read_anchors(connection)
    return next_pair(names, results, anchors, lambda first, second: begun[first, second])


def _spell(standings: Sequence[AccountRating]) -> Iterator[str]:
    """Yield a line for each account."""
    width = max((len(one.name) for one in standings), default=0)
    for place, one in enumerate(standings, 1):
        rating = f"{one.elo:5.0f} (anchor)" if one.anchor else f"{one.elo:5.0f} ± {one.error:.0f}"
        words = f"{place:3}. {one.name:{width}} {rating}, won {one.won} of {one.games}"
        yield words + ", provisional" * one.provisional


@attrs.define(eq=False, slots=False)
class Ladder(RegularService):
    """Pairs free engines so that each game tells the most about the ratings."""

    # The engines and games of the daemon.
    _games: GameServices
    # Gives the ratings, and keeps the games.
    _ledger: Ledger
    # Plays the games.
    _lobby: DaemonLobby
    # The rules, with the default options of the game, and the time control.
    _rules: Rules
    _clock: str
    # How many games are played at once, and how often by an engine.
    _keys: LadderSettings
    # Receives a line for each game that is over, and those of the standings.
    _show: Callable[[str], None]
    # How many games with a winner are over, since the daemon has begun.
    _finished: int = 0
    # How many games of the ladder each engine plays.
    _playing: Counter[str] = attrs.Factory(Counter)
    # When the last game of each engine began, by its account's name.
    _last: dict[str, float] = attrs.Factory(dict)
    # Games in play by the names of Black and White, which the tallies do not count yet.
    _begun: Counter[tuple[str, str]] = attrs.Factory(Counter)
    # How many games of the ladder are in play; at most ``concurrency``.
    _running: int = 0
    # Whether a search for pairs is under way: a second one would choose the same engines.
    _is_pairing: bool = False

    async def look(self) -> None:
        """Begin as many games as the settings allow."""
        if self._is_pairing:  # the search under way continues after each game that it begins
            return
        self._is_pairing = True
        try:
            while self._running < self._keys.concurrency and self._games.start_gate.reason is None:
                pair = await self._choose()
                if pair is None:
                    return
                await self._begin(*pair)
        finally:
            self._is_pairing = False

    async def _choose(self) -> tuple[str, str] | None:
        now = self._games.reactor.seconds()
        self._last = {
            name: when for name, when in self._last.items() if when + self._keys.pace > now
        }
        free = self._free_names() - self._last.keys()
        found = [await self._ledger.users.account(name) for name in free]
        # Each account once: an engine does not play itself.
        rated = sorted({account.name for account in found if account is not None})
        if len(rated) < 2:
            return None
        game, board = self._rules.game.name, self._rules.geometry.name
        return await self._ledger.journal.read(choose_pair, game, board, rated, self._begun.copy())

    def _free_names(self) -> set[str]:
        """The names of the free engines that play the game of the ladder."""
        engines = self._games.engines
        free = {name for name in engines.names if engines.is_free(name, self._claim)}
        return {name for name in free if self._playing[name] < engines.count(name)}

    @property
    def _claim(self) -> Claim:
        return Claim(TRUSTED, terms=(self._rules, parse_clock(self._clock)))

    async def _begin(self, black: str, white: str) -> None:
        rules, names, now = self._rules, (black, white), self._games.world.wall()
        offer = NewGame(rules.game.name, rules.geometry.name, self._clock, *names, now, "bw")
        number = await self._ledger.offer(offer)
        # One may have disconnected, or play elsewhere.
        if not {*names} <= self._free_names():
            await self._ledger.journal.do(games.drop_game, number)
            return
        seats, terms = (Holder(black), Holder(white)), Terms(is_rated=True)
        game = HostedGame(f"r{number}", rules, self._clock, seats, terms)
        self._playing.update(names)
        self._last |= dict.fromkeys(names, self._games.reactor.seconds())
        self._begun[names] += 1
        self._running += 1
        runner = self._lobby.add(game, number, self._claim)
        runner.done.addCallback(lambda _: self._over(game))
        runner.handle(Open())

    def _over(self, game: HostedGame) -> None:
        record, (black, white) = game.record, (game.name_of(seat) for seat in Seat)
        self._running -= 1
        self._playing -= Counter((black, white))
        self._begun[black, white] -= 1
        if self._looks.running:
            paired = Deferred.fromCoroutine(self._try())
            paired.addErrback(lambda failure: self.log.failure("a pairing failed", failure))
        if record is not None:  # else the game has failed, which the log has
            shown = Deferred.fromCoroutine(self._show_end(game.id, record))
            shown.addErrback(lambda failure: self.log.failure("a result was not shown", failure))

    async def _show_end(self, name: str, record: GameRecord) -> None:
        players = f"{record.black} (black) against {record.white} (white)"
        turns = f"after {len(record.turns)} turn{'s' * (len(record.turns) != 1)}"
        self._show(f"game {name}: {players}: {describe_result(record)} {turns}")
        if record.winner is None:
            return
        self._finished += 1
        if self._finished % STANDINGS == 0:
            game, board = self._rules.game.name, self._rules.geometry.name
            found = await self._ledger.journal.read(compute_standings, game, board)
            self._show(f"standings after {sum(one.games for one in found) // 2} games:")
            for line in _spell(found):
                self._show(line)
