"""Standings: points, tie-breaks, brackets and champions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.referee.test_formats import plan, play, stronger
from yoddd.referee.plan import Format
from yoddd.referee.standings import Standings, standings
from yoddd.referee.tournament import Assignment, Tournament


def stand(
    entrants: int, winner: Callable[[Assignment], int] = stronger, **more: object
) -> Standings:
    tournament = Tournament(plan(entrants, **more))
    play(tournament, winner)
    return standings(tournament)


def column(found: Standings, name: str) -> list[object]:
    return [getattr(one, name) for one in found.table]


def test_standings_round_robin_ranks_by_points() -> None:
    found = stand(4, pairs=1)
    assert column(found, "name") == ["e0", "e1", "e2", "e3"]
    assert column(found, "points") == [6, 4, 2, 0]
    assert column(found, "sonneborn_berger") == [12, 4, 0, 0]
    assert column(found, "place") == [1, 2, 3, 4]
    assert (found.champion, found.bracket) == ("e0", ())


def test_standings_before_the_end_have_no_champion() -> None:
    found = standings(Tournament(plan(3)))
    assert found.champion is None
    assert column(found, "place") == [1, 1, 1]


def test_standings_direct_encounter_breaks_a_tie() -> None:
    def second_beats_first(game: Assignment) -> int:
        wins = {(0, 1): 1, (0, 2): 0, (1, 2): 2, (0, 3): 0, (1, 3): 1, (2, 3): 3}
        return wins[min(game.seats), max(game.seats)]

    found = stand(4, second_beats_first, pairs=1)
    assert found.order == ("direct", "sonneborn_berger")
    assert [(one.name, one.points, one.direct) for one in found.table[:2]] == [
        ("e1", 4, 2),
        ("e0", 4, 0),
    ]
    assert found.champion == "e1"


def test_standings_tied_to_the_end_share_the_place_without_a_champion() -> None:
    found = stand(3, lambda game: game.seats[0], pairs=1)
    assert column(found, "place") == [1, 1, 1]
    assert found.champion is None


@pytest.mark.parametrize("entrants", [3, 4, 7, 8])
def test_standings_knockout_has_a_bracket_and_the_last_survivor(entrants: int) -> None:
    found = stand(entrants, max_of_seats, format=Format.KNOCKOUT)
    assert found.champion == found.table[0].name == f"e{entrants - 1}"
    assert len(found.bracket) == entrants - 1
    final = found.bracket[-1]
    assert final.winner == found.champion
    assert found.table[1].name in final.names
    assert all(one.winner in one.names for one in found.bracket)


def test_standings_knockout_tied_encounter_goes_to_the_better_seed() -> None:
    found = stand(2 + 1, lambda game: game.seats[0], format=Format.KNOCKOUT)
    assert found.champion == "e0"
    assert all(one.won[0] == one.won[1] for one in found.bracket)


def max_of_seats(game: Assignment) -> int:
    return max(game.seats)


def test_standings_swiss_counts_byes_and_ranks_by_buchholz() -> None:
    found = stand(5, format=Format.SWISS, rounds=3)
    assert found.order == ("buchholz", "direct", "sonneborn_berger")
    assert found.table[0].name == "e0"
    assert sum(one.points for one in found.table) == 3 * 2 * 3
    points = [one.points for one in found.table]
    assert points == sorted(points, reverse=True)
