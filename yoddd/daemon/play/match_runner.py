"""A match as it is played: a game for each pairing, one after another, and news of them."""

from __future__ import annotations

import attrs
from twisted.internet.defer import CancelledError, Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.news import GameEnds, TurnSeen, Watch, begins
from yoddd.daemon.play.pair_wait import Absent, PairWait, unplayed, wait_for_links
from yoddd.daemon.play.participants import Links, Participant
from yoddd.referee import Game, Match, Pairing, Termination, TurnPlayed


@attrs.frozen
class Waits:
    """Limits of the wait for attached engines, in seconds; None for no limit.

    Attributes:
        first: before the first game.
        later: before each further one, for an engine that left between two.
    """

    first: float | None = None
    later: float | None = None


class MatchRunner:
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
        """Create it; `play` begins.

        Args:
            reactor: Twisted's.
            match: the plan and the score.
            participants: in the order of the plan.
            watch: receives the news as they happen.
            waits: the limits of the wait for attached engines.
            gate: each game waits for it; None for a gate of its own, which is open.
        """
        self._reactor = reactor
        # Gives the pairings and counts the results; changed after each game.
        self._match = match
        self._participants = participants
        self._watch = watch
        # The game that is played; None between games.
        self._runner: GameRunner | None = None
        # The wait for both engines, which precedes each game.
        self._pair_wait = PairWait()
        self._gate = gate or StartGate()
        # The wait for the gate, which precedes each pairing; None before the first.
        self._pause: Deferred[None] | None = None
        self._waits = waits
        # Whether `stop` was called: no game begins any more.
        self._stopped = False
        # Whether both engines have been available once: from then on `Waits.later` holds.
        self._begun = False

    async def play(self) -> Match:
        """Play all games that are due and return the match with its score.

        Raises:
            Absent: an engine was not available in time. If it had left between two games, it
                loses the game that was to begin.
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

    def turn_time(self) -> tuple[str, float] | None:
        """See `GameRunner.turn_time`; None between two games."""
        return None if self._runner is None else self._runner.turn_time()

    async def _wait_for_links(self, pairing: Pairing) -> Links:
        """Wait for both engines, within the limit that holds now."""
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
        """Count the game that is due as lost by the engine that has left since the last one."""
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
