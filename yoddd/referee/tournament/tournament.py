"""The state of a tournament: missing games, results, and whether it is over.

It hands out games and takes records; the caller plays the games. Its state follows from the plan
and the records alone, in any order, so that a tournament can be resumed from its archive: a game is
missing unless the archive has it, by pair, leg and attempt.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee.game.setup import GameSetup
from yoddd.referee.seeds import derive_seed
from yoddd.referee.stats.sprt import Decision, Follower, SprtState
from yoddd.referee.tournament.formats import Schedule
from yoddd.referee.tournament.openings import Opening
from yoddd.referee.tournament.plan import Pair, Plan

_WHOLE: Final = 2
"""Games of a pair that is whole, with nothing given up."""


class ArchiveMismatch(ValueError):
    """A record that does not belong to the tournament."""


@attrs.frozen
class Assignment:
    """One game that is to be played.

    Attributes:
        pair: the pair that it belongs to.
        leg: which game of the pair.
        attempt: from 1; each repetition of a void game counts one more.
        seats: the entrants, Black first.
        setup: the settings of the game.
    """

    pair: Pair
    leg: int
    attempt: int
    seats: tuple[int, int]
    setup: GameSetup

    @property
    def number(self) -> int:
        """The place in the schedule, from 1, as if every pair had two games."""
        return self.pair.game_number(self.leg)


def assignment(plan: Plan, pair: Pair, leg: int, attempt: int = 1) -> Assignment:
    """The game of a place in the schedule; it depends on the plan alone."""
    seats = pair.seats(leg)
    black, white = (plan.sides[seat] for seat in seats)
    opening = _opening(plan, pair)
    setup = GameSetup(
        id=f"{plan.prefix}{pair.key}.{leg}" + (f"a{attempt}" if attempt > 1 else ""),
        rules=plan.rules,
        names=(black.name, white.name),
        clock=black.clock,
        odds=None if black.clock == white.clock else (black.clock, white.clock),
        params=(black.params, white.params),
        memory=(black.memory, white.memory),
        position=opening.position,
        opening=opening.turns,
        seed=derive_seed(plan.seed, pair.round, pair.encounter, pair.index, leg),
        limits=plan.limits,
        adjudicator=plan.adjudication,
        tables=plan.tables,
        agree_from=plan.adjudication.agree,
        resign=plan.adjudication.resign,
        win=plan.adjudication.win,
        pair=pair.key,
        leg=leg,
        attempt=attempt,
    )
    return Assignment(pair, leg, attempt, seats, setup)


def _opening(plan: Plan, pair: Pair) -> Opening:
    """Return the opening of a pair; in a round robin every encounter has the same ones."""
    if not plan.openings:
        return Opening()
    before = 0 if plan.format.is_static else (pair.round - 1) * plan.pairs
    return plan.openings[(before + pair.index - 1) % len(plan.openings)]


@attrs.define
class _Played:
    """The results of one pair.

    Attributes:
        winners: by leg, the entrant who won; None for a game that was given up.
        attempts: by leg, the number of attempts that ended void.
    """

    winners: dict[int, int | None] = attrs.Factory(dict)
    attempts: dict[int, int] = attrs.Factory(dict)


class Tournament:
    """A tournament; the module describes it.

    Its size depends on the games that were played, however many are planned.

    Attributes:
        plan: the settings.
        pairs: those scheduled so far, in schedule order.
        points: games won, by entrant.
        scores: games won by both entrants of each encounter that has a finished game.
        given_up: ids of the games that were void at every attempt.
        pair_counts: of whole pairs: lost by the one with the lower number, one each, won.
    """

    def __init__(self, plan: Plan) -> None:
        """A tournament without games played."""
        self.plan = plan
        self.pairs = Schedule(plan)
        self.points = [0] * len(plan.sides)
        self.scores: dict[tuple[int, ...], list[int]] = {}
        self.given_up: list[str] = []
        self.pair_counts = [0, 0, 0]
        # The results of pairs that have any, by number.
        self._played: dict[int, _Played] = {}
        # The number of the first game that was never due, and games that are due again: number and
        # attempt.
        self._fresh = plan.first
        self._again: list[tuple[int, int]] = []
        # Pairs decided, with those before the first game, and those that the test has followed.
        self._decided = (plan.first - 1) // _WHOLE
        self._tested = 0
        self._follower = Follower(plan.sprt) if plan.sprt else None

    @property
    def games(self) -> int:
        """The number of games scheduled so far."""
        return self.pairs.games - self.plan.first + 1

    # -- what is to be played ---------------------------------------------------------------

    def next_game(self) -> Assignment | None:
        """Hand out the next game of the schedule; None if none is due now."""
        while not self.is_decided and (due := self._next_due()) is not None:
            number, attempt = due
            pair, leg = self._at(number)
            # A record from another source may have been taken meanwhile.
            if leg in pair.legs and attempt == self._attempt(pair, leg):
                return assignment(self.plan, pair, leg, attempt)
        return None

    def _next_due(self) -> tuple[int, int] | None:
        """The number and the attempt of the next game that may be due."""
        if self._again and self._again[0][0] < self._fresh:
            return heapq.heappop(self._again)
        if self._fresh > _WHOLE * len(self.pairs):
            return None
        self._fresh += 1
        return self._fresh - 1, 1

    def _at(self, number: int) -> tuple[Pair, int]:
        """The pair and the leg of a game."""
        place, leg = divmod(number - 1, _WHOLE)
        return self.pairs[place], leg + 1

    def _attempt(self, pair: Pair, leg: int) -> int:
        """The next attempt of a game; 0 if it is over."""
        played = self._of(pair)
        return 0 if leg in played.winners else played.attempts.get(leg, 0) + 1

    def _of(self, pair: Pair) -> _Played:
        """The results of a pair; games before the first one are given up."""
        first = self.plan.first
        before = {leg: None for leg in pair.legs if pair.game_number(leg) < first}
        return self._played.get(pair.number) or _Played({**before})

    def next_pair(self) -> list[Assignment]:
        """Hand out the games that are due of the next pair; none if none is due now."""
        games: list[Assignment] = []
        while (game := self.next_game()) is not None:
            if games and game.pair.number != games[0].pair.number:
                self.put_back(game)
                break
            games.append(game)
        return games

    def put_back(self, game: Assignment) -> None:
        """Take back a game that was handed out and has no record: it is due again."""
        heapq.heappush(self._again, (game.number, game.attempt))

    def missing(self) -> Iterator[Assignment]:
        """Every scheduled game without a result, in schedule order, handed out or not."""
        for number in range(self.plan.first, _WHOLE * len(self.pairs) + 1):
            pair, leg = self._at(number)
            attempt = self._attempt(pair, leg)
            if leg in pair.legs and attempt:
                yield assignment(self.plan, pair, leg, attempt)

    # -- what was played --------------------------------------------------------------------

    def has(self, record: GameRecord) -> bool:
        """Whether the game of a record already counts, so that the record adds nothing."""
        pair = self._find(record)
        if pair is None or record.leg is None:
            return False
        attempt = self._attempt(pair, record.leg)
        return not attempt or record.attempt < attempt

    def take(self, record: GameRecord) -> bool:
        """Count a finished game; False if it counted already.

        Raises:
            ArchiveMismatch: no game of this tournament.
        """
        pair, leg = self._place(record)
        if self.has(record):
            return False
        played = self._played[pair.number] = self._of(pair)
        key = (pair.round, pair.encounter, pair.first, pair.second)
        score = self.scores.setdefault(key, [0, 0])
        if record.winner is None:
            self._note_void(pair, played, leg, record)
        else:
            winner = pair.seats(leg)["bw".index(record.winner)]
            played.winners[leg] = winner
            self.points[winner] += 1
            score[winner == pair.second] += 1
        if len(played.winners) == len(pair.legs):
            self._note_pair(pair, played)
        return True

    def _find(self, record: GameRecord) -> Pair | None:
        pair = self.pairs.find(record.pair or "")
        return pair if pair and pair.game_number(_WHOLE) >= self.plan.first else None

    def _place(self, record: GameRecord) -> tuple[Pair, int]:
        pair, leg = self._find(record), record.leg
        if pair is None or leg is None or leg not in pair.legs:
            raise ArchiveMismatch(f"{record.id}: no game of this tournament")
        names = tuple(self.plan.sides[seat].name for seat in pair.seats(leg))
        if (record.black, record.white) != names:
            raise ArchiveMismatch(
                f"{record.id}: {record.black} against {record.white}, "
                f"expected {names[0]} against {names[1]}"
            )
        return pair, leg

    def _note_void(self, pair: Pair, played: _Played, leg: int, record: GameRecord) -> None:
        played.attempts[leg] = attempts = max(record.attempt, played.attempts.get(leg, 0))
        if attempts < self.plan.attempts:
            heapq.heappush(self._again, (pair.game_number(leg), attempts + 1))
        else:
            played.winners[leg] = None
            self.given_up.append(record.id)

    def _note_pair(self, pair: Pair, played: _Played) -> None:
        winners = list(played.winners.values())
        self._decided += 1
        if None not in winners and len(pair.legs) == _WHOLE:
            self.pair_counts[winners.count(min(pair.first, pair.second))] += 1
        self._test()
        if self._decided == len(self.pairs):
            self.pairs.extend(self.scores)

    def _test(self) -> None:
        """Follow the test as far as pairs are decided without a gap, in schedule order."""
        while self._follower is not None and (found := self._played.get(self._tested + 1)):
            if len(found.winners) < len(self.pairs[self._tested].legs):
                break
            winners = [one for one in found.winners.values() if one is not None]
            if len(winners) == _WHOLE:
                self._follower.add(winners.count(0))
            self._tested += 1

    # -- how it stands ----------------------------------------------------------------------

    @property
    def sprt(self) -> SprtState | None:
        """The state of the test; None without one."""
        return self._follower.state if self._follower else None

    @property
    def is_decided(self) -> bool:
        """Whether the test has ended it."""
        return self._follower is not None and self._follower.decision is not Decision.CONTINUE

    @property
    def is_over(self) -> bool:
        """Whether no game is left to play."""
        return self.is_decided or self._decided == len(self.pairs)

    @property
    def finished(self) -> int:
        """The number of games with a result or given up."""
        return sum(self.points) + len(self.given_up)
