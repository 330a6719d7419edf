"""Matches: pairings, seeds, openings, score."""

from __future__ import annotations

import attrs
import pytest

import yoddd.referee
from yoddd.referee import (
    Match,
    MatchError,
    MatchPlan,
    Pairing,
    Reason,
    Seat,
    WaitLimits,
    derive_seed,
    parse_clock,
    void,
    won,
)
from yoddd.rules import make_rules

PLAN = MatchPlan(
    id="m",
    names=("Ada", "Bob"),
    rules=make_rules("yodd", "hex3"),
    games=4,
    seed=7,
    clock=parse_clock("60+1"),
    openings=(("1c3",), ("2c3", "pass")),
    limits=WaitLimits(reply=3),
)


def all_games(match: Match) -> list[Pairing]:
    return list(iter(match.next_game, None))


def test_match_entrants_alternate_in_beginning() -> None:
    match = Match(PLAN)
    games = all_games(match)
    assert [game.entrants for game in games] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert [game.setup.names for game in games[:2]] == [("Ada", "Bob"), ("Bob", "Ada")]
    assert [game.setup.id for game in games] == ["m-1", "m-2", "m-3", "m-4"]
    assert match.next_game() is None
    assert not match.is_over


def test_match_opening_is_played_from_both_seats() -> None:
    games = all_games(Match(attrs.evolve(PLAN, games=6)))
    assert [game.setup.opening for game in games] == [
        *(2 * [("1c3",)]),
        *(2 * [("2c3", "pass")]),
        *(2 * [("1c3",)]),
    ]
    assert all_games(Match(attrs.evolve(PLAN, openings=())))[0].setup.opening == ()


def test_match_games_have_distinct_derived_seeds() -> None:
    seeds = [game.setup.seed for game in all_games(Match(PLAN))]
    assert seeds == [derive_seed(7, number) for number in (1, 2, 3, 4)]
    assert len(set(seeds)) == 4
    assert seeds != [game.setup.seed for game in all_games(Match(attrs.evolve(PLAN, seed=8)))]


def test_derive_seed_values_are_stable() -> None:
    seeds = [derive_seed(7), derive_seed(7, 1), derive_seed(7, 1, 0), derive_seed(71, 0)]
    assert seeds == [1940392933, 1779727153, 517336322, 629019142]
    assert all(0 <= derive_seed(seed) < 2**31 for seed in range(1000))


def test_match_setup_has_clock_and_limits() -> None:
    game = Match(PLAN).next_game()
    assert game is not None
    assert (str(game.setup.clock), game.setup.limits.reply) == ("60+1", 3)


def test_match_wins_are_counted_by_entrant() -> None:
    match = Match(PLAN)
    for game in all_games(match):
        match.finished(game, won(Seat.BLACK, Reason.GROUPS))
    assert match.wins == [2, 2]
    assert match.is_over
    assert match.given_up == []


def test_match_void_game_is_repeated_then_given_up() -> None:
    match = Match(attrs.evolve(PLAN, games=1, attempts=2))
    first = match.next_game()
    assert first is not None
    match.finished(first, void("out of disk"))
    again = match.next_game()
    assert again is not None
    assert (again.attempt, again.setup.id, again.setup.seed) == (2, "m-1.2", first.setup.seed)
    match.finished(again, void("out of disk"))
    assert match.is_over
    assert (match.wins, match.given_up) == ([0, 0], [1])


def test_match_of_a_billion_games_is_planned_one_by_one() -> None:
    match = Match(attrs.evolve(PLAN, games=10**9))
    assert [game.number for game in (match.next_game(), match.next_game()) if game] == [1, 2]
    assert not match.is_over


def test_match_second_result_of_a_game_is_refused() -> None:
    match = Match(PLAN)
    game = match.next_game()
    assert game is not None
    match.finished(game, won(Seat.BLACK, Reason.RESIGN))
    with pytest.raises(MatchError, match="game 1 is not being played"):
        match.finished(game, won(Seat.WHITE, Reason.RESIGN))


@pytest.mark.parametrize("changes", [{"names": ("Ada", "Ada")}, {"games": 0}])
def test_match_invalid_plan_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MatchError):
        Match(attrs.evolve(PLAN, **changes))  # type: ignore[arg-type]


def test_referee_package_exports_exist() -> None:
    assert all(hasattr(yoddd.referee, name) for name in yoddd.referee.__all__)
