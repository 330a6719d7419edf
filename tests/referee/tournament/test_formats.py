"""Formats, tournaments and standings: all follows from the plan and the results alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations, count, pairwise
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.games import SAMPLE
from yoddd.daemon.pages.shell import ENGLISH, read_catalogue
from yoddd.notation import GameRecord
from yoddd.referee.reports.progress import Pace, progress_of
from yoddd.referee.stats.sprt import Decision, Sprt
from yoddd.referee.tournament import formats
from yoddd.referee.tournament.formats import TIE_BREAKS, Schedule, first_bracket, knockout_survivors
from yoddd.referee.tournament.openings import Opening
from yoddd.referee.tournament.plan import Format, Pair, Plan, PlanError, Side
from yoddd.referee.tournament.standings import ORDERS, TITLES, Standing, Standings, standings
from yoddd.referee.tournament.tournament import ArchiveMismatch, Assignment, Tournament
from yoddd.rules import make_rules

RULES = make_rules("yodd", "hex3")
ROOT = Path(__file__).parents[3]


def plan(entrants: int, **settings: object) -> Plan:
    sides = tuple(Side(f"e{number}") for number in range(entrants))
    return Plan(sides=sides, rules=RULES, **settings)  # type: ignore[arg-type]  # what a test needs


def record_of(game: Assignment, winner: int | None) -> GameRecord:
    setup = game.setup
    key = None if winner is None else "bw"[game.seats.index(winner)]
    return attrs.evolve(
        SAMPLE,
        id=setup.id,
        black=setup.names[0],
        white=setup.names[1],
        winner=key,
        reason="resign" if key else "void",
        score=None,
        blame=None if key else "referee",
        pair=setup.pair,
        leg=setup.leg,
        attempt=setup.attempt,
    )


def stronger(game: Assignment) -> int:
    return min(game.seats)


def play(tournament: Tournament, winner: object = stronger) -> list[GameRecord]:
    """Play all, the better seed winning unless a test says otherwise."""
    records = []
    while (game := tournament.next_game()) is not None:
        records.append(record_of(game, winner(game)))  # type: ignore[operator]  # as given
        tournament.take(records[-1])
    return records


# -- formats --------------------------------------------------------------------------------


def rotated(entrants: int) -> list[list[tuple[int, int]]]:
    """The rounds of the circle method by rotation: the plain form of `formats.circle`."""
    ring = [*range(entrants), *([-1] if entrants % 2 else [])]
    half, rounds = len(ring) // 2, []
    for _ in range(len(ring) - 1):
        tables = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(min(table), max(table)) for table in tables if -1 not in table])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


@given(st.data(), st.integers(2, 12), st.integers(1, 7), st.booleans())
def test_schedule_pair_of_any_number_is_that_of_the_plain_list(
    data: st.DataObject, entrants: int, games: int, balanced: bool
) -> None:
    later = data.draw(st.sets(st.integers(2, entrants - 1)) if entrants > 2 else st.just(set()))
    stages = (*sorted(later), entrants)
    rounds = rotated(stages[0])
    assert sorted(table for one in rounds for table in one) == [*combinations(range(stages[0]), 2)]
    rounds += [
        [(one, new) for new in range(before, after) for one in range(new)]
        for before, after in pairwise(stages)
    ]
    numbers = count(1)
    expected = [
        Pair(next(numbers), stage, table, index, *met)
        for index in range(1, (games + 1) // 2 + 1)
        for stage, tables in enumerate(rounds, start=1)
        for table, met in enumerate(tables, start=1)
    ]
    settings: dict[str, Any] = {"games": games, "pairs": (games + 1) // 2, "balanced": balanced}
    schedule = Schedule(plan(entrants, stages=stages, **settings))
    assert [attrs.evolve(pair, legs=(1, 2)) for pair in schedule] == expected
    assert [schedule.find(pair.key) for pair in expected] == list(schedule)
    assert schedule.games == sum(len(pair.legs) for pair in schedule)
    if not balanced:
        assert all(pair.legs[0] == 1 for pair in schedule)


@given(
    st.sampled_from([Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS]),
    st.integers(2, 11),
    st.integers(1, 5),
    st.integers(1, 14),
    st.randoms(use_true_random=False),
)
def test_tournament_first_moves_of_any_size_differ_by_one_at_most(
    form: Format, entrants: int, games: int, rounds: int, rng: random.Random
) -> None:
    openings = (Opening(("1c3",)), Opening(("2c3",)))
    settings = {"games": games, "pairs": (games + 1) // 2, "rounds": rounds, "openings": openings}
    tournament = Tournament(plan(entrants, format=form, balanced=True, **settings))
    lead: Counter[object] = Counter()
    starts: dict[str, set[object]] = {}
    lucks: list[Callable[[tuple[int, int]], int]] = [rng.choice, min, lambda seats: seats[0]]
    luck = rng.choice(lucks)
    while (game := tournament.next_game()) is not None:
        for first, second, value in ((*game.seats, 1), (*game.seats[::-1], -1)):
            lead[first] += value
            lead[first, second] += value
        starts.setdefault(game.pair.key, set()).add(game.setup.opening)
        tournament.take(record_of(game, luck(game.seats)))
    assert tournament.is_over
    assert max(map(abs, lead.values())) <= 1
    assert {len(one) for one in starts.values()} == {1}


@pytest.mark.parametrize(
    ("entrants", "settings", "reason"),
    [
        (4, {"format": Format.KNOCKOUT, "balanced": True, "games": 3}, "results decide who meets"),
        (4, {"format": Format.KNOCKOUT, "games": 4}, None),
        (5, {"format": Format.SWISS, "balanced": True, "games": 3}, "a bye"),
        (5, {"format": Format.SWISS, "balanced": True, "games": 1}, None),
        (3, {"games": 1}, "listed first"),
        (3, {"games": 1, "balanced": True}, None),
        (2, {"games": 3}, None),
    ],
)
def test_plan_caution_names_what_cannot_be_balanced(
    entrants: int, settings: dict[str, Any], reason: str | None
) -> None:
    caution = plan(entrants, pairs=(settings["games"] + 1) // 2, **settings).caution
    assert (caution is None) == (reason is None)
    assert (reason or "") in (caution or "")


@pytest.mark.parametrize("form", Format)
def test_tournament_of_a_million_games_makes_as_many_pairs_as_are_played(
    form: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Counter[str] = Counter()

    def count_pair(*values: Any) -> Pair:
        made["pairs"] += 1
        return Pair(*values)

    monkeypatch.setattr(formats, "Pair", count_pair)
    entrants = 1001 if form is Format.ROUND_ROBIN else 3
    settings = plan(entrants, format=form, pairs=1 if entrants > 3 else 250_000)
    tournament = Tournament(settings)
    assert tournament.games >= 500_000
    again, played = Tournament(settings), 200
    for _ in range(played):
        game = tournament.next_game()
        assert game is not None
        record = record_of(game, stronger(game))
        tournament.take(record)
        again.take(record)
    assert again.next_game() == tournament.next_game()
    assert again.next_pair()
    standings(again)
    progress_of(again, Pace())
    assert made["pairs"] < 20 * played


def test_knockout_bracket_separates_best_seeds_and_gives_byes() -> None:
    assert first_bracket(8) == [(0, 7), (3, 4), (1, 6), (2, 5)]
    assert first_bracket(5) == [(0, None), (3, 4), (1, None), (2, None)]
    assert first_bracket(2) == [(0, 1)]


@pytest.mark.parametrize("entrants", range(2, 12))
def test_knockout_better_seeds_win_best_seed_is_first(entrants: int) -> None:
    tournament = Tournament(plan(entrants, format=Format.KNOCKOUT))
    records = play(tournament)
    assert len(records) == 2 * (entrants - 1)
    assert tournament.is_over
    blocks = tournament.pairs.blocks
    assert knockout_survivors(tournament.plan, blocks, tournament.scores) == [0]


def test_knockout_tie_is_extended_then_won_by_better_seed() -> None:
    tournament = Tournament(plan(2, format=Format.KNOCKOUT))
    records = play(tournament, lambda game: game.seats[0])
    assert len(records) == 2 * (1 + TIE_BREAKS)
    assert tournament.is_over
    tournament = Tournament(plan(2, format=Format.KNOCKOUT))
    records = play(tournament, lambda game: 1 if game.pair.index == 3 else game.seats[0])
    assert len(records) == 6
    assert tournament.points == [2, 4]


@given(st.integers(2, 9), st.integers(0, 99))
def test_swiss_pairings_repeat_only_if_unavoidable(entrants: int, seed: int) -> None:
    rng = random.Random(seed)
    rounds = min(3, entrants - 1)
    tournament = Tournament(plan(entrants, format=Format.SWISS, rounds=rounds))
    play(tournament, lambda game: rng.choice(game.seats))
    assert tournament.is_over
    assert {pair.round for pair in tournament.pairs} == set(range(1, rounds + 1))
    for number in range(1, rounds + 1):
        tables = [pair for pair in tournament.pairs if pair.round == number]
        present = [entrant for pair in tables for entrant in (pair.first, pair.second)]
        assert len(present) == len(set(present)) == entrants - entrants % 2
    if entrants % 2 == 0 and rounds <= entrants // 2:
        met = [(pair.first, pair.second) for pair in tournament.pairs]
        assert len(met) == len(set(met))


@pytest.mark.parametrize(
    "changes",
    [
        {"sides": (Side("a"),)},
        {"sides": (Side("a"), Side("a"))},
        {"pairs": 0},
        {"sides": (Side("a"), Side("b"), Side("c")), "sprt": Sprt(elo0=0, elo1=5)},
    ],
)
def test_plan_invalid_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(PlanError):
        attrs.evolve(plan(2), **changes)  # type: ignore[arg-type]  # the point


# -- what is missing ------------------------------------------------------------------------


def test_plan_odd_games_last_pair_has_one_game() -> None:
    records = play(Tournament(plan(2, pairs=2, games=3)))
    assert [record.id for record in records] == ["r1t1p1.1", "r1t1p1.2", "r1t1p2.1"]
    assert [record.black for record in records] == ["e0", "e1", "e0"]


@given(st.randoms(use_true_random=False), st.sampled_from(Format))
def test_tournament_records_in_any_order_give_the_same_state(
    rng: random.Random, form: Format
) -> None:
    """Within a stretch records come as games end; a torn archive lacks some of them."""
    settings = plan(4, format=form, pairs=2, rounds=2)
    whole = Tournament(settings)
    records = play(whole)
    again = Tournament(settings)
    kept = records[: rng.randrange(len(records) + 1)]
    if form.is_static:
        rng.shuffle(kept)
    for record in kept:
        assert again.take(record)
        assert not again.take(record)
    rest = play(again)
    assert {record.id for record in rest} == {r.id for r in records} - {r.id for r in kept}
    assert again.points == whole.points
    assert list(again.pairs) == list(whole.pairs)
    assert again.finished == again.games == len(records)


def test_tournament_same_plan_gives_the_same_games() -> None:
    one, other = (list(Tournament(plan(3, pairs=2, seed=4)).missing()) for _ in "ab")
    assert one == other
    assert len({game.setup.seed for game in one}) == len(one) == 12
    assert one != list(Tournament(plan(3, pairs=2, seed=5)).missing())


def test_tournament_void_game_is_due_until_given_up() -> None:
    tournament = Tournament(plan(2, attempts=2))
    for name in ("r1t1p1.1", "r1t1p1.1a2"):
        game = tournament.next_game()
        assert game is not None
        assert game.setup.id == name
        assert tournament.take(record_of(game, None))
    assert tournament.given_up == ["r1t1p1.1a2"]
    play(tournament)
    assert tournament.is_over
    assert tournament.finished == 2
    assert tournament.pair_counts == [0, 0, 0]


@pytest.mark.parametrize(
    "changes", [{"pair": "r9t9p9"}, {"pair": None}, {"leg": None}, {"leg": 3}, {"black": "x"}]
)
def test_tournament_foreign_record_is_refused(changes: dict[str, object]) -> None:
    tournament = Tournament(plan(2))
    game = tournament.next_game()
    assert game is not None
    with pytest.raises(ArchiveMismatch):
        tournament.take(attrs.evolve(record_of(game, 0), **changes))  # type: ignore[arg-type]  # the point


def test_tournament_next_pair_hands_out_both_games() -> None:
    tournament = Tournament(plan(2, pairs=2, games=3, attempts=9))
    first = tournament.next_pair()
    assert [game.setup.id for game in first] == ["r1t1p1.1", "r1t1p1.2"]
    tournament.take(record_of(first[0], None))
    tournament.take(record_of(first[1], 0))
    assert [game.setup.id for game in tournament.next_pair()] == ["r1t1p1.1a2"]
    assert [game.setup.id for game in tournament.next_pair()] == ["r1t1p2.1"]
    assert tournament.next_pair() == []


def test_tournament_record_from_elsewhere_removes_the_due_game() -> None:
    tournament = Tournament(plan(2, pairs=2))
    games = list(tournament.missing())
    tournament.take(record_of(games[1], 0))
    assert [game.setup.id for game in tournament.next_pair()] == ["r1t1p1.1"]
    tournament.take(record_of(games[2], 0))
    tournament.take(record_of(games[3], 0))
    assert tournament.next_game() is None
    assert not tournament.has(attrs.evolve(record_of(games[3], 0), pair="other"))


def test_tournament_pair_with_given_up_game_is_not_tested() -> None:
    tournament = Tournament(plan(2, pairs=2, attempts=1, sprt=Sprt(elo0=0, elo1=5)))
    games = list(tournament.missing())
    tournament.take(record_of(games[0], None))
    for game in games[1:]:
        tournament.take(record_of(game, 0))
    assert tournament.sprt is not None
    assert len(tournament.sprt.trace) == 1
    assert tournament.is_over


# -- tests ----------------------------------------------------------------------------------


def test_tournament_test_follows_schedule_order() -> None:
    """Late pairs that end early wait for those before them, so that short games cannot decide."""
    test = Sprt(elo0=0, elo1=200)
    settings = plan(2, pairs=60, sprt=test)
    games = list(Tournament(settings).missing())
    tournament = Tournament(settings)
    for game in reversed(games[2:]):
        tournament.take(record_of(game, 0))
    assert tournament.sprt is not None
    assert tournament.sprt.trace == ()
    for game in games[:2]:
        tournament.take(record_of(game, 0))
    assert tournament.is_decided
    assert tournament.is_over
    assert tournament.next_game() is None
    assert tournament.sprt.decision is Decision.H1
    in_order = Tournament(settings)
    for game in games:
        in_order.take(record_of(game, 0))
    assert in_order.sprt == tournament.sprt


def test_tournament_from_a_later_game_plays_the_same_games_without_those_before() -> None:
    whole = Tournament(plan(2, pairs=3, seed=5))
    games = [whole.next_game() for _ in range(6)]
    later = Tournament(plan(2, pairs=3, seed=5, first=4))
    assert [later.next_game() for _ in range(3)] == games[3:]
    assert later.next_game() is None
    assert later.games == 3


def test_tournament_from_a_later_game_ends_with_the_games_after_it() -> None:
    tournament = Tournament(plan(2, games=5, pairs=3, first=4))
    records = play(tournament)
    assert [record.id for record in records] == ["r1t1p2.2", "r1t1p3.1"]
    assert tournament.is_over
    assert (tournament.finished, tournament.given_up) == (2, [])
    assert tournament.pair_counts == [0, 0, 0]


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
    assert found.order == ("direct", "sonneborn_berger", "encounters")
    assert [(one.name, one.points, one.direct) for one in found.table[:2]] == [
        ("e1", 4, 2),
        ("e0", 4, 0),
    ]
    assert found.champion == "e1"


def test_standings_count_encounters_won() -> None:
    def winner(game: Assignment) -> int:
        return {1: 0, 2: game.seats[0], 3: 2}[sum(game.seats)]  # 2 - 0, 1 - 1, 0 - 2

    found = stand(3, winner, pairs=1)
    assert {one.name: one.encounters for one in found.table} == {"e0": 1, "e1": 0, "e2": 1}


@pytest.mark.parametrize("form", Format)
def test_every_column_is_in_the_schema_on_the_page_and_in_the_docs(form: Format) -> None:
    schema = json.loads((ROOT / "protocol/schemas/match-record.schema.json").read_text("utf-8"))
    items = schema["properties"]["standings"]["items"]
    fields = [one.name for one in attrs.fields(Standing)]
    assert fields == items["required"] == [*items["properties"]]
    assert {*stand(3, format=form, rounds=2).columns} <= {*TITLES} == {*fields[2:]}
    texts = {name for name in read_catalogue(ENGLISH) if name.startswith("column.")}
    assert texts == {f"column.{name}" for name in TITLES}
    page = (ROOT / "docs/reference/tournament-file.md").read_text("utf-8")
    assert ", ".join(["points", *(TITLES[name] for name in ORDERS[form])]) in page


def test_standings_tied_to_the_end_share_the_place_without_a_champion() -> None:
    found = stand(3, lambda game: game.seats[0], pairs=1)
    assert column(found, "place") == [1, 1, 1]
    assert found.champion is None


@pytest.mark.parametrize("entrants", [3, 4, 7, 8])
def test_standings_knockout_has_a_bracket_and_the_last_survivor(entrants: int) -> None:
    found = stand(entrants, lambda game: max(game.seats), format=Format.KNOCKOUT)
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


def test_standings_swiss_counts_byes_and_ranks_by_buchholz() -> None:
    found = stand(5, format=Format.SWISS, rounds=3)
    assert found.order == ("buchholz", "direct", "sonneborn_berger", "encounters")
    assert found.table[0].name == "e0"
    assert sum(one.points for one in found.table) == 3 * 2 * 3
    points = [one.points for one in found.table]
    assert points == sorted(points, reverse=True)
