"""Sums of archives, reports and charts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any, cast
from urllib.parse import unquote

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.referee.tournament.test_formats import plan, record_of, stand, stronger
from tests.support.schemas import validator
from yoddd.notation import GameRecord
from yoddd.referee.reports.html import histogram, interval_chart, report_html, trace_chart
from yoddd.referee.reports.links import game_file
from yoddd.referee.reports.progress import estimate_values, strength_lines
from yoddd.referee.reports.report import RunReport
from yoddd.referee.reports.text import report_json, report_text
from yoddd.referee.stats.elo import Interval, estimate, pair_sample
from yoddd.referee.stats.sprt import Sprt, follow
from yoddd.referee.stats.summary import Summary
from yoddd.referee.tournament.plan import Format
from yoddd.referee.tournament.tournament import Tournament

TEST = Sprt(elo0=0, elo1=50)


def archive(entrants: int, pairs: int = 4, **settings: object) -> list[GameRecord]:
    tournament = Tournament(plan(entrants, pairs=pairs, **settings))
    records = []
    while (game := tournament.next_game()) is not None:
        winner = game.seats[0] if game.pair.index == 1 else stronger(game)
        turns = ("1c3", "1a1,2b1", "pass")
        record = record_of(game, winner)
        records.append(attrs.evolve(record, turns=turns, times=(0.5, 1.0, 0.1)))
        tournament.take(records[-1])
    return records


def summed(records: list[GameRecord]) -> Summary:
    summary = Summary()
    for record in records:
        summary.add(record)
    return summary


def report(entrants: int) -> RunReport:
    records = archive(entrants)
    summary = summed(records)
    return RunReport(
        title="a <b> & c",
        summary=summary,
        test=follow(TEST, summary.tested()) if entrants == 2 else None,
        games=len(records),
        recent=tuple(records),
    )


def test_summary_pairs_are_found_by_key_and_by_neighbourhood() -> None:
    records = archive(2)
    bare = [attrs.evolve(record, pair=None, leg=None) for record in records]
    for summary in (summed(records), summed(bare), summed(records[::-1])):
        assert summary.pair_counts("e0", "e1") == (0, 1, 3)
        assert summary.pair_counts("e1", "e0") == (3, 1, 0)
    assert list(summed(records).tested()) == [1, 2, 2, 2]


def test_summary_entrants_have_times_and_forfeits() -> None:
    (first, second) = archive(2, pairs=1)
    lost = attrs.evolve(first, winner="w", reason="time", blame="b")
    summary = summed([lost, second])
    assert summary.entrants["e0"].forfeits == {"time": 1}
    assert summary.entrants["e0"].slowest == 1.0  # second to move in the other game
    assert summary.entrants["e0"].turns == 3
    assert summary.entrants["e1"].turns == 3


def test_summary_white_to_move_first_is_timed() -> None:
    first, _ = archive(2, pairs=1)
    position = "yodd hex3 3/4/2b2/4/3 w 0 2"
    summary = summed([attrs.evolve(first, position=position, turns=("pass",), times=(2.0,))])
    assert summary.entrants["e1"].slowest == 2.0


def test_summary_swaps_are_counted() -> None:
    first, second = archive(2, pairs=1)
    changes = {"game": "yoin", "options": {"pie": "on"}}
    swapped = attrs.evolve(first, turns=("c3", "swap"), times=(0.0, 0.0), **changes)  # type: ignore[arg-type]  # as given
    kept = attrs.evolve(second, turns=("c3", "a1"), times=(0.0, 0.0), **changes)  # type: ignore[arg-type]  # as given
    rate = summed([swapped, kept]).swap_rate
    assert rate is not None
    assert rate.value == 0.5


def test_summary_void_games_do_not_count() -> None:
    first, _ = archive(2, pairs=1)
    void = attrs.evolve(first, winner=None, reason="void", blame="referee")
    summary = summed([void])
    assert (summary.games, summary.voids, summary.first_advantage) == (0, 1, None)


@pytest.mark.parametrize("entrants", [2, 4])
def test_report_every_format_of_every_size_is_written(entrants: int) -> None:
    found = report(entrants)
    text, values, page = report_text(found), json.loads(report_json(found)), report_html(found)
    assert "e0" in text
    assert "draw" not in (text + page).lower()
    assert values["games"] == found.games
    assert sum(map(sum, [row.values() for row in values["crosstable"].values()])) == found.games
    assert len(values["covariance"]["elo"]) == entrants + 1
    if entrants == 2:
        assert "LLR" in text
        assert values["sprt"]["decision"] in ("H0", "H1", "continue")
    HTMLParser().feed(page)
    assert "<b>" not in page.replace("&lt;b&gt;", "")
    assert page.count("<svg") >= 2
    assert 'src="' not in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_report_of_a_knockout_has_its_table_bracket_champion_and_conditions() -> None:
    found = attrs.evolve(
        report(4),
        standings=stand(4, format=Format.KNOCKOUT),
        conditions=(("game", "yodd on hex3"), ("clock", "10+0.1")),
    )
    text, page, values = report_text(found), report_html(found), json.loads(report_json(found))
    assert "champion: e0\n" in text
    assert re.search(r"^round 2  e0 2 - 0 e1 -> e0$", text, re.MULTILINE)
    assert re.search(r"^  1\. e0 ", text, re.MULTILINE)
    assert re.search(r"^clock +10\+0\.1$", text, re.MULTILINE)
    assert "<p>Champion: e0</p>" in page
    assert "<h3>Round 2</h3><div class=meeting><div><b>e0 2</b></div><div>e1 0</div></div>" in page
    assert "10+0.1" in page
    assert (values["champion"], len(values["bracket"])) == ("e0", 3)
    assert values["tie_breaks"] == []


NAMES = st.sampled_from(["Ada", "Bob", "Cy", "Dee", "Eve", "Flo"])


@given(st.lists(st.tuples(NAMES, NAMES).filter(lambda game: game[0] != game[1]), min_size=1))
def test_report_of_any_games_rates_within_groups_that_they_compare(
    results: list[tuple[str, str]],
) -> None:
    """Each game is its winner and its loser; the winners begin by turns."""
    sample = archive(2, pairs=1)[0]
    records = [
        attrs.evolve(
            sample, black=both[place % 2], white=both[1 - place % 2], winner="bw"[place % 2]
        )
        for place, both in enumerate(results)
    ]
    found = RunReport(title="x", summary=summed(records))
    above = {name: {name} for name in found.summary.names}
    met = {name: {name} for name in found.summary.names}
    for _ in results:
        for winner, loser in results:
            above[winner] |= above[loser]
            met[winner] |= met[loser]
            met[loser] |= met[winner]
    for group in found.groups:
        everyone = {name for names in group for name in names}
        assert all(met[name] == everyone for name in everyone)
        for place, names in enumerate(group):
            assert all(above[name] == above[names[0]] for name in names)
            later = {name for behind in group[place + 1 :] for name in behind}
            assert not any(names[0] in above[name] for name in later)
    classes = [names for group in found.groups for names in group]
    text, page, values = report_text(found), report_html(found), json.loads(report_json(found))
    validator("match-record").validate(values)
    assert (values["groups"], sorted(values["ratings"])) == (found.groups, sorted(above))
    for names in classes:
        ratings = [values["ratings"][name] for name in names]
        if len(names) > 1:
            assert sum(one["value"] for one in ratings) == pytest.approx(0, abs=1e-6)
            assert all(one["low"] < one["value"] < one["high"] for one in ratings)
        else:
            assert set(ratings[0].values()) == {None}
    assert len(found.remarks) == (len(found.groups) > 1) + sum(len(one) > 1 for one in found.groups)
    for remark in found.remarks:
        assert remark[1:] in page
        assert remark in text or len(found.summary.names) == 2
    if len(above) > 2:
        alone = sum(len(names) == 1 for names in classes)
        assert len(re.findall("no rating ", text)) == alone


@pytest.mark.parametrize(("counts", "words"), [((0, 0, 9), "at least +"), ((9, 0, 0), "at most -")])
def test_strength_of_one_sided_pairs_is_a_bound(counts: tuple[int, ...], words: str) -> None:
    found = estimate(pair_sample(counts))
    assert found is not None
    assert words in strength_lines(found)[0]
    values = estimate_values(found)
    assert values is not None
    assert values["elo"]["value"] is None
    assert (values["elo"]["low"] is None) == (counts[0] > 0)


def test_report_empty_archive_is_written() -> None:
    empty = RunReport(title="empty", summary=Summary(), games=4)
    assert report_text(empty) == "empty: 0 of 4 games\n"
    assert json.loads(report_json(empty))["entrants"] == []
    assert "0 of 4 games" in report_html(empty)


@pytest.mark.parametrize("entrants", [0, 2, 4])
def test_report_match_json_follows_its_schema(entrants: int) -> None:
    written = report(entrants) if entrants else RunReport(title="empty", summary=Summary(), games=4)
    record = json.loads(report_json(written))
    schema = validator("match-record")
    schema.validate(record)
    properties = cast("Mapping[str, Any]", schema.schema)["properties"]
    unknown = set(record) - set(properties)
    assert unknown == set()
    assert not schema.is_valid({**record, "games": -1})
    assert not schema.is_valid({**record, "endings": {"draw": 1}})
    if entrants:
        assert not schema.is_valid({**record, "covariance": None})


@pytest.mark.parametrize(
    ("game_id", "link"),
    [
        ("m2030-01-31T12:00-1", "./m2030-01-31T1200-1.sgf"),
        ("r1t1p2.1", "./r1t1p2.1.sgf"),
        ("javascript:alert(1)//", "./javascriptalert-1---.sgf"),
        ("https://evil.example/x?y#z", "./https--evil.example-x-y-z.sgf"),
        ('"><script>', "./---script-.sgf"),
        ("../../etc/passwd", "./--..-etc-passwd.sgf"),
        ("..", "./-.sgf"),
        ("ä\x00\n\u202e", "./%C3%A4---.sgf"),
    ],
)
def test_report_page_links_to_the_file_of_a_game_and_never_by_its_id(
    game_id: str, link: str
) -> None:
    record = attrs.evolve(archive(2)[0], id=game_id)
    page = report_html(RunReport(title="x", summary=summed([record]), recent=(record,)))
    found = re.findall(r"<a href=\"([^\"]*)\">", page)
    assert found == [link]
    assert unquote(link) == f"./{game_file(game_id)}"


def test_report_names_without_common_games_have_no_match_score() -> None:
    strangers = attrs.evolve(report(2), names=("Ada", "Zoe"), test=None)
    text, page = report_text(strangers), report_html(strangers)
    assert "Elo" not in text
    assert "<dt>Elo</dt>" not in page


def test_charts_without_data_are_empty() -> None:
    assert interval_chart({}, "x") == trace_chart([], (-1, 1), "x") == histogram({}, "x") == ""
    endless = Interval(float("inf"), 0.0, float("inf"))
    assert interval_chart({"a": endless}, "x") == ""
    half = interval_chart({"a": Interval(5.0, float("-inf"), 9.0)}, "x")
    assert "inf" not in half.replace("-inf", "")


# -- how a run stands -----------------------------------------------------------------------


def test_report_swaps_and_void_games_are_shown() -> None:
    first, second = archive(2, pairs=1)
    pie = attrs.evolve(first, game="yoin", options={"pie": "on"}, turns=("c3", "swap"))
    pie = attrs.evolve(pie, times=(0.0, 0.0))
    void = attrs.evolve(second, winner=None, reason="void", blame="referee")
    found = RunReport(title="x", summary=summed([pie, void]))
    assert "void: 1" in report_text(found)
    assert "pie rule: swapped in 100.0 %" in report_text(found)
    assert "Pie rule: swapped" in report_html(found)
    assert "1 void" in report_html(found)


def test_report_test_without_pairs_has_no_chart() -> None:
    (first, _) = archive(2, pairs=1)
    found = RunReport(title="x", summary=summed([first]), test=follow(TEST, []))
    assert "LLR after each pair" not in report_html(found)
    assert "LLR 0.00" in report_text(found)
