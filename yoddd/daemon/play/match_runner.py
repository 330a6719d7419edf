"""A match as it is played: tables for pairings, one after another, and news for who watches."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.defer import CancelledError, Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.play.arrival import Absent, unplayed, wait_for_links
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.participants import Links, PairWait, Participant
from yoddd.notation.records import GameRecord
from yoddd.referee import Game, GameSetup, Match, Pairing, Termination, TurnPlayed


@attrs.frozen
class GameBegins:
    """A game is about to be set up.

    Attributes:
        number: of the game in the match, from 1.
        id: the record's id.
        black: who begins as Black.
        white: who begins as White.
        opening: turns that are given to both.
        position: the line of the position before them; None for the empty board.
    """

    number: int
    id: str
    black: str
    white: str
    opening: tuple[str, ...] = ()
    position: str | None = None


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


def begins(number: int, setup: GameSetup) -> GameBegins:
    """The news that a game is about to be set up."""
    return GameBegins(number, setup.id, *setup.names, setup.opening, setup.position)


@attrs.frozen
class Waits:
    """How long engines that dial in are waited for, in seconds; None for ever.

    Attributes:
        first: before the first game.
        later: before each further one, for an engine that left between two.
    """

    first: float | None = None
    later: float | None = None


class Series:
    """Plays a match between two participants, one game at a time."""

    def __init__(
        self,
        reactor: Reactor,
        match: Match,
        participants: tuple[Participant, Participant],
        watch: Watch,
        waits: Waits = Waits(),
        gate: StartGate | None = None,
    ) -> None:
        """Prepare; ``watch`` is told everything as it happens, and each game waits for ``gate``."""
        self._reactor = reactor
        self._match = match
        self._participants = participants
        self._watch = watch
        self._runner: GameRunner | None = None
        self._pair_wait = PairWait()
        self._gate = gate or StartGate()
        self._pause: Deferred[None] | None = None
        self._waits = waits
        self._stopped = False
        self._begun = False

    async def play(self) -> Match:
        """Play all games that are due and return the match with its score.

        Raises:
            Absent: an engine was not there in time. If it had left between two games it loses the
                one that it was waited for.
        """
        try:
            while not self._stopped:
                self._pause = self._gate.opened()
                await self._pause
                pairing = self._match.next_game()
                if pairing is None:
                    break
                termination = await self._play(pairing)
                self._match.finished(pairing, termination)
        except CancelledError:
            pass  # stopped while an engine was waited for
        finally:
            for participant in self._participants:
                participant.close()
        return self._match

    def stop(self) -> None:
        """End the current game as void and play no more."""
        self._stopped = True
        self._pair_wait.cancel()
        if self._pause is not None:
            self._pause.cancel()
        self.abort("the match was stopped")

    def abort(self, reason: str) -> None:
        """End the current game as void; it is played again."""
        if self._runner is not None:
            self._runner.abort(reason)

    async def _wait_for_links(self, pairing: Pairing) -> Links:
        """Wait for both engines, but not for ever."""
        black, white = (self._participants[entrant] for entrant in pairing.entrants)
        patience = self._waits.later if self._begun else self._waits.first
        try:
            links = await wait_for_links(self._reactor, self._pair_wait, (black, white), patience)
        except Absent as absent:
            if self._begun and patience is not None:
                self._note_absence(pairing, absent.verdict(patience))
            raise
        self._begun = True
        return links

    def _note_absence(self, pairing: Pairing, termination: Termination | None) -> None:
        """One that was there before and is not now loses the game that is due."""
        if termination is not None:
            self._watch(begins(pairing.number, pairing.setup))
            finished = unplayed(pairing.setup, termination, self._reactor.seconds())
            self._watch(GameEnds(pairing.number, finished.record))
            self._match.finished(pairing, termination)

    async def _play(self, pairing: Pairing) -> Termination:
        setup = pairing.setup
        black, white = (self._participants[entrant] for entrant in pairing.entrants)
        links = await self._wait_for_links(pairing)
        self._watch(begins(pairing.number, setup))

        def seen(turn: TurnPlayed) -> None:
            self._watch(TurnSeen(pairing.number, turn.seat.key, turn.token, turn.seconds))

        self._runner = GameRunner(self._reactor, Game(setup), (black, white), links, seen)
        self._runner.start()
        finished = await self._runner.done
        self._runner = None
        self._watch(GameEnds(pairing.number, finished.record))
        return finished.termination
