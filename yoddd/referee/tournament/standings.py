"""The standing of a tournament: points, tie-breaks, the bracket of a knockout, the champion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from yoddd.referee.tournament.formats import Meeting, knockout_survivors
from yoddd.referee.tournament.plan import Format
from yoddd.referee.tournament.tournament import Tournament


@attrs.frozen
class Standing:
    """One entrant.

    Attributes:
        place: from 1; entrants that all tie-breaks leave tied share it.
        name: of the entrant.
        points: games won, with the full score of an encounter for each bye of a Swiss.
        games: games played.
        direct: games won against those with the same points.
        sonneborn_berger: the points of each opponent times the games won against it, summed.
        buchholz: the points of each opponent, summed over the encounters that were played.
        encounters: encounters of which more games were won than lost.
    """

    place: int
    name: str
    points: int
    games: int
    direct: int
    sonneborn_berger: int
    buchholz: int
    encounters: int


@attrs.frozen
class Encounter:
    """One encounter of a knockout.

    Attributes:
        round: from 1.
        names: of the better seed and the other.
        won: the games that each has won.
        winner: who goes on; None while that is open.
    """

    round: int
    names: tuple[str, str]
    won: tuple[int, int]
    winner: str | None


@attrs.frozen
class Standings:
    """A tournament as it stands.

    Attributes:
        table: the entrants, the best first.
        order: the names of the tie-breaks, in the order in which they count.
        bracket: the encounters of a knockout; empty for other formats.
        champion: the winner; None before the end, and where the best share the first place.
    """

    table: tuple[Standing, ...]
    order: tuple[str, ...]
    bracket: tuple[Encounter, ...] = ()
    champion: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns after place and name; `TITLES` has their titles."""
        return "points", "games", *self.order


ORDERS: Mapping[Format, tuple[str, ...]] = {
    Format.ROUND_ROBIN: ("direct", "sonneborn_berger", "encounters"),
    Format.GAUNTLET: ("direct", "sonneborn_berger", "encounters"),
    Format.SWISS: ("buchholz", "direct", "sonneborn_berger", "encounters"),
    Format.KNOCKOUT: (),
}
"""The tie-breaks of each format after the points. In a knockout the rounds reached count first."""

TITLES: Mapping[str, str] = {
    "points": "points",
    "games": "games",
    "direct": "direct encounter",
    "sonneborn_berger": "Sonneborn-Berger",
    "buchholz": "Buchholz",
    "encounters": "encounters won",
}
"""The titles of the columns in text and on pages."""


def standings(tournament: Tournament) -> Standings:
    """The standing of a tournament, with all of the games that have a result."""
    plan = tournament.plan
    won = _won(tournament)
    points = [sum(won[one].values()) for one in range(len(plan.sides))]
    if plan.format is Format.SWISS:
        points = [own + bye for own, bye in zip(points, _byes(tournament), strict=True)]
    met = _met(tournament)
    order = ORDERS[plan.format]
    reached = _reached(tournament) if plan.format is Format.KNOCKOUT else [0] * len(plan.sides)
    values: list[tuple[tuple[int, ...], Standing]] = []
    for one, side in enumerate(plan.sides):
        standing = Standing(
            place=0,
            name=side.name,
            points=points[one],
            games=sum(won[one].values()) + sum(row.get(one, 0) for row in won),
            direct=sum(n for other, n in won[one].items() if points[other] == points[one]),
            sonneborn_berger=sum(n * points[other] for other, n in won[one].items()),
            buchholz=sum(points[other] for other in met[one]),
            encounters=sum(
                scored[who] > scored[1 - who]
                for (_, _, *pair), scored in tournament.scores.items()
                for who in (0, 1)
                if pair[who] == one
            ),
        )
        breaks = [getattr(standing, name) for name in order]
        values.append(((-reached[one], -points[one], *(-value for value in breaks)), standing))
    values.sort(key=lambda item: item[0])
    keys = [key for key, _ in values]
    table = tuple(attrs.evolve(one, place=keys.index(key) + 1) for key, one in values)
    champion = table[0].name if keys.count(keys[0]) == 1 and tournament.is_over else None
    return Standings(table, order, tuple(_bracket(tournament)), champion)


def _won(tournament: Tournament) -> list[dict[int, int]]:
    """By entrant, the games won against each opponent."""
    found: list[dict[int, int]] = [{} for _ in tournament.plan.sides]
    for (_, _, first, second), (won, lost) in tournament.scores.items():
        for one, other, wins in ((first, second, won), (second, first, lost)):
            found[one][other] = found[one].get(other, 0) + wins
    return found


def _met(tournament: Tournament) -> list[list[int]]:
    """By entrant, the opponent of each encounter."""
    found: list[list[int]] = [[] for _ in tournament.plan.sides]
    for _, _, one, other in tournament.scores:
        found[one].append(other)
        found[other].append(one)
    return found


def _meetings(tournament: Tournament) -> Iterator[Meeting]:
    """Every encounter that is scheduled, in a format that goes by results."""
    for block in tournament.pairs.blocks:
        if block.indices.start == 1:  # no tie-breaks
            yield from block.meetings


def _byes(tournament: Tournament) -> list[int]:
    """By entrant, the points of the rounds in which it rested."""
    plan, blocks = tournament.plan, tournament.pairs.blocks
    rests = [len(blocks)] * len(plan.sides)
    for _, _, one, other, _ in _meetings(tournament):
        rests[one] -= 1
        rests[other] -= 1
    return [plan.encounter_games * rounds for rounds in rests]


def _reached(tournament: Tournament) -> list[int]:
    """By entrant, the last round of a knockout that it plays in; the champion's is one more."""
    found = [0] * len(tournament.plan.sides)
    for stage, _, first, second, _ in _meetings(tournament):
        for one in (first, second):
            found[one] = max(found[one], stage)
    if tournament.is_over and tournament.pairs:
        schedule = tournament.pairs.blocks
        for one in knockout_survivors(tournament.plan, schedule, tournament.scores):
            found[one] += 1
    return found


def _bracket(tournament: Tournament) -> list[Encounter]:
    plan = tournament.plan
    if plan.format is not Format.KNOCKOUT:
        return []
    reached = _reached(tournament)
    found = []
    for meeting in _meetings(tournament):
        stage, _, one, other, _ = meeting
        won, lost = tournament.scores.get(meeting[:4], (0, 0))
        on = next((who for who in (one, other) if reached[who] > stage), None)
        names = [plan.sides[who].name for who in (one, other)]
        winner = None if on is None else plan.sides[on].name
        found.append(Encounter(stage, (names[0], names[1]), (won, lost), winner))
    return found
