"""Sums of an archive by entrant, updated game by game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import attrs

from yoddd.notation.reasons import FORFEITS
from yoddd.notation.records import GameRecord, rules_of
from yoddd.referee.stats.elo import Estimate, Interval, Sample, estimate, pair_sample
from yoddd.referee.stats.ratings import Bout, Ratings, rate_groups

_LEGS = 2


@attrs.define
class _Half:
    """A game whose pair is not complete."""

    black: str
    winner: str | None
    opening: tuple[str, ...]
    position: str | None


@attrs.define
class EntrantSums:
    """The sums of one entrant.

    Attributes:
        name: of the entrant.
        won: games.
        lost: games.
        forfeits: games lost by a fault, by reason.
        seconds: thinking time in all.
        turns: turns played, without those of openings.
        slowest: seconds of the longest turn.
    """

    name: str
    won: int = 0
    lost: int = 0
    forfeits: Counter[str] = attrs.Factory(Counter)
    seconds: float = 0.0
    turns: int = 0
    slowest: float = 0.0

    @property
    def share(self) -> float:
        """The share of games won."""
        return self.won / (self.won + self.lost) if self.won + self.lost else 0.0


class Summary:
    """The sums of an archive.

    Attributes:
        games: games that have a winner.
        voids: games that have none.
        entrants: by name, in the order in which they appeared.
        black_wins: games won by the entrant who began.
        swappable: Yoin games in which the second turn could be a swap.
        swaps: of these, those in which it was.
        reasons: games by termination reason.
        lengths: games by number of turns.
        pairs: by two names in alphabetical order: pairs lost by the first, one each, won.
        bouts: by the entrant who began and the other one: games that the former won and lost.
        order: the whole pairs in order of completion: both entrants, and games that the first won.
    """

    def __init__(self) -> None:
        """The sums of an empty archive."""
        self.games = 0
        self.voids = 0
        self.entrants: dict[str, EntrantSums] = {}
        self.black_wins = 0
        self.swappable = 0
        self.swaps = 0
        self.reasons: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.pairs: dict[tuple[str, str], list[int]] = {}
        self.bouts: dict[tuple[str, str], list[int]] = {}
        self.order: list[tuple[str, str, int]] = []
        self._halves: dict[tuple[str, ...], _Half] = {}

    def add(self, record: GameRecord) -> None:
        """Add a game."""
        self.reasons[record.reason] += 1
        for name in (record.black, record.white):
            self.entrants.setdefault(name, EntrantSums(name))
        if record.winner is None:
            self.voids += 1
            return
        self.games += 1
        self.lengths[len(record.turns)] += 1
        self._add_result(record, black_won=record.winner == "b")
        self._add_swap(record)
        self._add_times(record)
        self._add_to_pair(record)

    def _add_result(self, record: GameRecord, *, black_won: bool) -> None:
        black, white = self.entrants[record.black], self.entrants[record.white]
        winner, loser = (black, white) if black_won else (white, black)
        self.black_wins += black_won
        winner.won += 1
        loser.lost += 1
        self.bouts.setdefault((record.black, record.white), [0, 0])[not black_won] += 1
        if record.reason in FORFEITS:
            loser.forfeits[record.reason] += 1

    def _add_swap(self, record: GameRecord) -> None:
        if len(record.turns) > 1 and rules_of(record).pie:
            self.swappable += 1
            self.swaps += record.turns[1] == "swap"

    def _add_times(self, record: GameRecord) -> None:
        entrants = (self.entrants[record.black], self.entrants[record.white])
        white_first = record.position is not None and record.position.split()[3] == "w"
        for index in range(record.opening, len(record.times)):
            # The entrants alternate even where one colour moves twice by a swap.
            entrant = entrants[(index + white_first) % 2]
            seconds = record.times[index]
            entrant.seconds += seconds
            entrant.turns += 1
            entrant.slowest = max(entrant.slowest, seconds)

    def _add_to_pair(self, record: GameRecord) -> None:
        """Match the game with the other one of its pair, by key or else by neighbourhood."""
        names = tuple(sorted((record.black, record.white)))
        key = (record.pair, *names) if record.pair else names
        start = record.turns[: record.opening]
        half = self._halves.pop(key, None)
        winner = record.black if record.winner == "b" else record.white
        fits = half is not None and (half.black, half.opening, half.position) == (
            record.white,
            start,
            record.position,
        )
        if half is None or not fits:
            self._halves[key] = _Half(record.black, winner, start, record.position)
            return
        one, other = names
        wins = (half.winner == one) + (winner == one)
        self.pairs.setdefault((one, other), [0, 0, 0])[wins] += 1
        self.order.append((one, other, wins))

    # -- what follows -----------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The entrants, in the order in which they appeared."""
        return list(self.entrants)

    def won_against(self, name: str, other: str) -> int:
        """Games that one won against another."""
        began = self.bouts.get((name, other), [0, 0])[0]
        return began + self.bouts.get((other, name), [0, 0])[1]

    def pair_counts(self, name: str, other: str) -> tuple[int, int, int]:
        """Pairs that one lost against another, with one game each, and won."""
        lost, split, won = self.pairs.get((min(name, other), max(name, other)), [0, 0, 0])
        return (lost, split, won) if name < other else (won, split, lost)

    def against(self, name: str, other: str) -> Estimate | None:
        """The strength of one against another, by pairs, or by games without a whole pair."""
        by_pairs = estimate(pair_sample(self.pair_counts(name, other)))
        if by_pairs is not None:
            return by_pairs
        counts = (self.won_against(other, name), self.won_against(name, other))
        return estimate(Sample((0.0, 1.0), counts))

    def tested(self) -> Iterator[int]:
        """Yield the games of each whole pair that the first entrant won, in a match of two."""
        first = self.names[0] if self.names else ""
        for one, _, wins in self.order:
            yield wins if one == first else _LEGS - wins

    @property
    def first_advantage(self) -> Estimate | None:
        """The score of the first move, over all games."""
        return estimate(Sample((0.0, 1.0), (self.games - self.black_wins, self.black_wins)))

    @property
    def swap_rate(self) -> Interval | None:
        """The share of games with a swap; None if no game allowed one."""
        found = estimate(Sample((0.0, 1.0), (self.swappable - self.swaps, self.swaps)))
        return found.score if found else None

    def ratings(self) -> Ratings | None:
        """Joint ratings within the groups that the games compare; None without games."""
        if not self.entrants:
            return None
        index = {name: place for place, name in enumerate(self.names)}
        bouts = [
            Bout(index[black], index[white], won, lost)
            for (black, white), (won, lost) in self.bouts.items()
        ]
        return rate_groups(len(index), bouts)
