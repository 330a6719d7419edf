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
from yoddd.referee.formats import next_pairs
from yoddd.referee.game_setup import GameSetup
from yoddd.referee.openings import Opening
from yoddd.referee.plan import Pair, Plan
from yoddd.referee.seeds import derive_seed
from yoddd.referee.stats.sprt import Decision, Follower, SprtState

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

    Attributes:
        plan: the settings.
        pairs: those scheduled so far, in schedule order.
        points: games won, by entrant.
        given_up: ids of the games that were void at every attempt.
        games: the number of games scheduled so far.
        pair_counts: of whole pairs: lost by the one with the lower number, one each, won.
    """

    def __init__(self, plan: Plan) -> None:
        """A tournament without games played."""
        self.plan = plan
        self.pairs: list[Pair] = []
        self.points = [0] * len(plan.sides)
        self.given_up: list[str] = []
        self.games = 0
        self.pair_counts = [0, 0, 0]
        self._by_key: dict[str, Pair] = {}
        self._played: dict[str, _Played] = {}
        self._wins: dict[str, tuple[int, int]] = {}
        self._due: list[tuple[int, int, int]] = []
        self._decided = 0
        self._expected = 0
        self._tested = 0
        self._follower = Follower(plan.sprt) if plan.sprt else None
        self._extend()

    # -- what is to be played ---------------------------------------------------------------

    def next_game(self) -> Assignment | None:
        """Hand out the next game of the schedule; None if none is due now."""
        while self._due and not self.is_decided:
            number, leg, attempt = heapq.heappop(self._due)
            pair = self.pairs[number - 1]
            played = self._of(pair)
            # A record from another source may have been taken meanwhile.
            if leg not in played.winners and attempt == played.attempts.get(leg, 0) + 1:
                return assignment(self.plan, pair, leg, attempt)
        return None

    def next_pair(self) -> list[Assignment]:
        """Hand out the games that are due of the next pair; none if none is due now."""
        first = self.next_game()
        if first is None:
            return []
        games = [first]
        while self._due and self._due[0][0] == first.pair.number:
            game = self.next_game()
            if game is not None and game.pair is first.pair:
                games.append(game)
            elif game is not None:
                self.put_back(game)
        return games

    def put_back(self, game: Assignment) -> None:
        """Take back a game that was handed out and has no record: it is due again."""
        heapq.heappush(self._due, (game.pair.number, game.leg, game.attempt))

    def missing(self) -> Iterator[Assignment]:
        """Every scheduled game without a result, in schedule order, handed out or not."""
        for pair in self._by_key.values():
            played = self._of(pair)
            for leg in range(1, pair.legs + 1):
                if leg not in played.winners:
                    attempt = played.attempts.get(leg, 0) + 1
                    yield assignment(self.plan, pair, leg, attempt)

    # -- what was played --------------------------------------------------------------------

    def has(self, record: GameRecord) -> bool:
        """Whether the game of a record already counts, so that the record adds nothing."""
        pair = self._by_key.get(record.pair or "")
        if pair is None or record.leg is None:
            return False
        played = self._of(pair)
        over = record.leg in played.winners
        return over or record.attempt <= played.attempts.get(record.leg, 0)

    def take(self, record: GameRecord) -> bool:
        """Count a finished game; False if it counted already.

        Raises:
            ArchiveMismatch: no game of this tournament.
        """
        pair, leg = self._place(record)
        if self.has(record):
            return False
        played = self._of(pair)
        if record.winner is None:
            self._note_void(pair, played, leg, record)
        else:
            winner = pair.seats(leg)["bw".index(record.winner)]
            played.winners[leg] = winner
            self.points[winner] += 1
        if len(played.winners) == pair.legs:
            self._note_pair(pair, played)
        return True

    def _place(self, record: GameRecord) -> tuple[Pair, int]:
        pair, leg = self._by_key.get(record.pair or ""), record.leg
        if pair is None or leg is None or leg > pair.legs:
            raise ArchiveMismatch(f"{record.id}: no game of this tournament")
        names = tuple(self.plan.sides[seat].name for seat in pair.seats(leg))
        if (record.black, record.white) != names:
            raise ArchiveMismatch(
                f"{record.id}: {record.black} against {record.white}, "
                f"expected {names[0]} against {names[1]}"
            )
        return pair, leg

    def _of(self, pair: Pair) -> _Played:
        return self._played.setdefault(pair.key, _Played())

    def _note_void(self, pair: Pair, played: _Played, leg: int, record: GameRecord) -> None:
        played.attempts[leg] = attempts = max(record.attempt, played.attempts.get(leg, 0))
        if attempts < self.plan.attempts:
            heapq.heappush(self._due, (pair.number, leg, attempts + 1))
        else:
            played.winners[leg] = None
            self.given_up.append(record.id)

    def _note_pair(self, pair: Pair, played: _Played) -> None:
        winners = list(played.winners.values())
        self._wins[pair.key] = (winners.count(pair.first), winners.count(pair.second))
        self._decided += 1
        if None not in winners and pair.legs == _WHOLE:
            self.pair_counts[winners.count(min(pair.first, pair.second))] += 1
        self._test()
        if self._decided == self._expected:
            self._extend()

    def _test(self) -> None:
        """Follow the test as far as pairs are decided without a gap, in schedule order."""
        while self._follower is not None and self._tested < len(self.pairs):
            pair = self.pairs[self._tested]
            if pair.key not in self._wins:
                break
            first, second = self._wins[pair.key]
            if first + second == _WHOLE:
                self._follower.add(first if pair.first == 0 else second)
            self._tested += 1

    def _extend(self) -> None:
        for pair in next_pairs(self.plan, self.pairs, self._wins):
            self.pairs.append(pair)
            legs = range(1, pair.legs + 1)
            due = [leg for leg in legs if pair.game_number(leg) >= self.plan.first]
            if not due:
                continue
            self._by_key[pair.key] = pair
            self._expected += 1
            self.games += len(due)
            self._of(pair).winners.update({leg: None for leg in legs if leg not in due})
            for leg in due:
                heapq.heappush(self._due, (pair.number, leg, 1))

    # -- how it stands ----------------------------------------------------------------------

    def results(self) -> Iterator[tuple[Pair, tuple[int, int]]]:
        """Every scheduled pair, and the games that its first and its second entrant have won."""
        for pair in self._by_key.values():
            winners = list(self._of(pair).winners.values())
            yield pair, (winners.count(pair.first), winners.count(pair.second))

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
        return self.is_decided or self._decided == self._expected

    @property
    def finished(self) -> int:
        """The number of games with a result or given up."""
        return sum(self.points) + len(self.given_up)
