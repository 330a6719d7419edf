"""A match: games between two entrants that take turns in beginning, and their score.

It hands out pairings and takes terminations; the caller plays the games. The pairing of game n
depends on the plan and n alone, so that games may be played in any order, at once, or again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import attrs

from yoddd.referee.adjudication import NEVER, Adjudication
from yoddd.referee.clock import NO_LIMIT, TimeControl
from yoddd.referee.game_setup import DEFAULT_WAIT_LIMITS, GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.seeds import derive_seed
from yoddd.referee.terminations import Termination
from yoddd.rules import Rules


class MatchError(ValueError):
    """A match that cannot be played as planned, or the end of a game that is not being played."""


@attrs.frozen(kw_only=True)
class MatchPlan:
    """The settings of a match.

    Attributes:
        id: the prefix of the games' ids.
        names: of the two entrants; they differ.
        rules: the game, the board and the options.
        games: their number.
        seed: the seeds of the games are derived from it.
        clock: the time control of all games.
        openings: first turns; each serves two games in a row, so that both entrants play it from
            both sides, and after the last comes the first again.
        attempts: how often a void game is played before it is given up.
        limits: how long participants are waited for.
        odds: the time controls by entrant where they differ; None for `clock` on both.
        params: the ``set_param`` parameters of each entrant's engine.
        adjudication: the conditions of early termination.
    """

    id: str
    names: tuple[str, str]
    rules: Rules
    games: int
    seed: int
    clock: TimeControl = NO_LIMIT
    openings: tuple[tuple[str, ...], ...] = ()
    attempts: int = 3
    limits: WaitLimits = DEFAULT_WAIT_LIMITS
    odds: tuple[TimeControl, TimeControl] | None = None
    params: tuple[Mapping[str, str], Mapping[str, str]] = attrs.Factory(lambda: ({}, {}))
    adjudication: Adjudication = NEVER


@attrs.frozen
class Pairing:
    """One game that is to be played.

    Attributes:
        number: of the game, from 1.
        attempt: from 1; a void game is played again.
        entrants: the index of the entrant on each seat.
        setup: the settings of the game.
    """

    number: int
    attempt: int
    entrants: tuple[int, int]
    setup: GameSetup


class Match:
    """A match and its score.

    Attributes:
        plan: the settings.
        wins: games won, by entrant.
        given_up: numbers of the games that were void at every attempt.
    """

    def __init__(self, plan: MatchPlan) -> None:
        """A match without games played.

        Raises:
            MatchError: both entrants have the same name, or there is no game to play.
        """
        if plan.names[0] == plan.names[1]:
            raise MatchError(f"both entrants are called {plan.names[0]!r}")
        if plan.games < 1:
            raise MatchError(f"{plan.games} games: expected 1 or more")
        self.plan = plan
        self.wins = [0, 0]
        self.given_up: list[int] = []
        # The number of the last game that was handed out for the first time.
        self._last = 0
        # Void games that are to be played again, with the number of the attempt.
        self._again: deque[tuple[int, int]] = deque()
        self._playing: dict[int, Pairing] = {}

    @property
    def is_over(self) -> bool:
        """Whether every game has been played or given up."""
        return self._last == self.plan.games and not self._again and not self._playing

    def next_game(self) -> Pairing | None:
        """The next game to play; None if none is left or all that are left are being played."""
        if self._again:
            number, attempt = self._again.popleft()
        elif self._last < self.plan.games:
            self._last += 1
            number, attempt = self._last, 1
        else:
            return None
        pairing = self._pair(number, attempt)
        self._playing[number] = pairing
        return pairing

    def finished(self, pairing: Pairing, termination: Termination) -> None:
        """Take the result of a game that was handed out; a void one becomes due again.

        Raises:
            MatchError: the game is not being played.
        """
        if self._playing.get(pairing.number) is not pairing:
            raise MatchError(f"game {pairing.number} is not being played")
        del self._playing[pairing.number]
        if termination.winner is not None:
            self.wins[pairing.entrants[termination.winner]] += 1
        elif pairing.attempt < self.plan.attempts:
            self._again.appendleft((pairing.number, pairing.attempt + 1))
        else:
            self.given_up.append(pairing.number)

    def _pair(self, number: int, attempt: int) -> Pairing:
        plan = self.plan
        entrants = (0, 1) if number % 2 else (1, 0)
        pair = (number - 1) // 2
        setup = GameSetup(
            id=f"{plan.id}-{number}" + (f".{attempt}" if attempt > 1 else ""),
            rules=plan.rules,
            names=(plan.names[entrants[Seat.BLACK]], plan.names[entrants[Seat.WHITE]]),
            clock=plan.clock,
            opening=plan.openings[pair % len(plan.openings)] if plan.openings else (),
            seed=derive_seed(plan.seed, number),
            limits=plan.limits,
            odds=plan.odds and (plan.odds[entrants[0]], plan.odds[entrants[1]]),
            params=(plan.params[entrants[0]], plan.params[entrants[1]]),
            adjudicator=plan.adjudication,
            agree_from=plan.adjudication.agree,
            resign=plan.adjudication.resign,
            win=plan.adjudication.win,
        )
        return Pairing(number, attempt, entrants, setup)
