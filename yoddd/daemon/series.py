"""A match as it is played: tables for pairings, one after another, and news for who watches."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.defer import CancelledError, Deferred

from yoddd.daemon.clock import Reactor
from yoddd.daemon.contestants import Caller, Contestant
from yoddd.daemon.pairing import PairingGate
from yoddd.daemon.table import Table
from yoddd.notation.records import GameRecord
from yoddd.referee import Ending, Game, Match, Pairing, TurnPlayed


@attrs.frozen
class GameBegins:
    """A game is about to be set up.

    Attributes:
        number: of the game in the match, from 1.
        id: the record's id.
        black: who begins as Black.
        white: who begins as White.
    """

    number: int
    id: str
    black: str
    white: str


@attrs.frozen
class TurnSeen:
    """A turn was played.

    Attributes:
        number: of the game in the match.
        seat: ``b`` or ``w``: the person, as in records.
        token: the turn.
        seconds: what it took.
    """

    number: int
    seat: str
    token: str
    seconds: float


@attrs.frozen
class GameEnds:
    """A game is over and this is its record."""

    number: int
    record: GameRecord


News = GameBegins | TurnSeen | GameEnds
Watch = Callable[[News], None]


class Series:
    """Plays a match between two contestants, one game at a time.

    Attributes:
        begun: whether both engines were there for a first game.
    """

    def __init__(
        self,
        reactor: Reactor,
        match: Match,
        contestants: tuple[Contestant, Contestant],
        watch: Watch,
        gate: PairingGate | None = None,
    ) -> None:
        """Prepare; ``watch`` is told everything as it happens, and each game waits for ``gate``."""
        self._reactor = reactor
        self._match = match
        self._contestants = contestants
        self._watch = watch
        self._table: Table | None = None
        self._caller = Caller()
        self._gate = gate or PairingGate()
        self._pause: Deferred[None] | None = None
        self._stopped = False
        self.begun = False

    async def play(self) -> Match:
        """Play all games that are due and return the match with its score."""
        try:
            while not self._stopped:
                self._pause = self._gate.opened()
                await self._pause
                pairing = self._match.next_game()
                if pairing is None:
                    break
                ending = await self._play(pairing)
                self._match.finished(pairing, ending)
        except CancelledError:
            pass  # stopped while an engine was waited for
        finally:
            for contestant in self._contestants:
                contestant.close()
        return self._match

    def stop(self) -> None:
        """End the game on the table as void and play no more."""
        self._stopped = True
        self._caller.cancel()
        if self._pause is not None:
            self._pause.cancel()
        self.abort("the match was stopped")

    def abort(self, reason: str) -> None:
        """End the game on the table as void; it is played again."""
        if self._table is not None:
            self._table.abort(reason)

    async def _play(self, pairing: Pairing) -> Ending:
        setup = pairing.setup
        black, white = (self._contestants[entrant] for entrant in pairing.entrants)
        links = await self._caller.call_in(black, white)
        self.begun = True
        self._watch(GameBegins(pairing.number, setup.id, *setup.names))

        def seen(turn: TurnPlayed) -> None:
            self._watch(TurnSeen(pairing.number, turn.seat.key, turn.token, turn.seconds))

        self._table = Table(self._reactor, Game(setup), (black, white), links, seen)
        self._table.start()
        finished = await self._table.done
        self._table = None
        self._watch(GameEnds(pairing.number, finished.record))
        return finished.ending
