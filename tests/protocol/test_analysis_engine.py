"""The state machine of the analysis engine."""

from __future__ import annotations

import gc
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.analysis_peer import AnalysisPeer, Vector, check, vectors
from tests.protocol.peer import OneAccount
from tests.support.schemas import validator
from yoddd.engine import MctsSearcher, TreeMemory, engines_within
from yoddd.protocol.analysis import stream
from yoddd.protocol.rate_limit import RateLimiter, RateLimits

SMALL = {"game": "yodd", "board": "hex4", "maxVisits": 40}
GAME = {**SMALL, "turns": ["1d3", "1f1,2g1", "2d6,2f3"], "analyzeTurns": [0, 1, 2, 3]}


def query(query_id: str, **fields: Any) -> dict[str, Any]:
    return {"id": query_id, **SMALL, **fields}


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector.title)
def test_analysis_vector_gives_its_answers(vector: Vector) -> None:
    peer = AnalysisPeer()
    peer.say(*vector.lines)
    peer.run_all()
    check(vector, peer.answers)
    assert peer.closed is None


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector.title)
def test_analysis_vector_queries_follow_the_schema_unless_refused(vector: Vector) -> None:
    refused = any("error" in answer for answer in vector.answers)
    if not refused:
        for line in filter(str.strip, vector.lines):
            validator("analysis-query").validate(json.loads(line))


def test_analysis_searches_as_many_positions_at_once_as_it_may() -> None:
    peer = AnalysisPeer(limits={"searches": 3})
    peer.say({"id": "g", **GAME})
    assert len(peer.searches) == 3
    peer.run(1)
    assert sorted(peer.searches) == [2, 3, 4]


def test_analysis_answers_as_the_searches_end() -> None:
    peer = AnalysisPeer()
    peer.say({"id": "g", **GAME})
    peer.run(2)
    peer.run(3)
    peer.run(1)
    peer.run(4)
    assert list(peer.turns()) == [("g", 1), ("g", 2), ("g", 0), ("g", 3)]


def test_analysis_searches_by_priority_then_in_the_order_of_queries() -> None:
    peer = AnalysisPeer(limits={"searches": 1})
    peer.say(query("first"))
    peer.say(query("low", priority=-1), query("a"), query("b"), query("high", priority=2))
    peer.say({"id": "g", **GAME, "analyzeTurns": [0, 1], "priorities": [1, 3]})
    while peer.searches:
        peer.run(min(peer.searches))
    ids = [f"{name}{turn}" for name, turn in peer.turns()]
    assert ids == ["first0", "g1", "high0", "g0", "a0", "b0", "low0"]


def test_analysis_answer_after_the_end_of_its_search_is_dropped() -> None:
    peer = AnalysisPeer()
    peer.say(query("q"))
    peer.run(1)
    before = len(peer.answers)
    peer.take(peer.stream.stream_line(1, "{}"))
    peer.take(peer.stream.task_done(1, "{}"))
    assert len(peer.answers) == before


def test_terminate_stops_a_search_and_concludes_what_waits() -> None:
    peer = AnalysisPeer(limits={"searches": 1})
    peer.say({"id": "g", **GAME}, query("other"))
    peer.say({"id": "t", "action": "terminate", "terminateId": "g", "turnNumbers": [0, 2]})
    assert peer.stopped == {1}
    assert [answer.get("noResults") for answer in peer.answers] == [None, True]
    peer.run_all()
    assert sorted(peer.turns()) == [("g", 0), ("g", 1), ("g", 2), ("g", 3), ("other", 0)]
    stopped = next(answer for answer in peer.answers if answer.get("turnNumber") == 0)
    assert stopped["moveInfos"]


def test_failed_search_concludes_its_position_and_others_go_on() -> None:
    peer = AnalysisPeer(limits={"searches": 1})
    peer.say(query("bad"), query("good"))
    peer.searches.clear()
    peer.take(peer.stream.task_failed(1, "engine failed"))
    assert peer.answers == [{"error": "engine failed", "id": "bad", "turnNumber": 0}]
    peer.proceed()
    peer.run_all()
    assert list(peer.turns()) == [("bad", 0), ("good", 0)]


# -- the same question again ------------------------------------------------------------------


def test_kept_search_goes_on_and_answers_as_a_new_one_would() -> None:
    peer, fresh = AnalysisPeer(), AnalysisPeer()
    for visits in (100, 400, 400, 50):
        peer.say(query("q", maxVisits=visits))
        peer.run_all()
    for visits in (400, 50):
        fresh.stream.receive(b'{"id":"c","action":"clear_cache"}\n')
        fresh.say(query("q", maxVisits=visits))
        fresh.run_all()
    assert [answer["rootInfo"]["visits"] for answer in peer.answers] == [100, 400, 400, 50]
    assert peer.answers[1] == peer.answers[2] == fresh.answers[0]
    assert peer.answers[3] == fresh.answers[-1]


def test_clear_cache_drops_the_kept_searches() -> None:
    class Counting:
        made = 0

        def __call__(self) -> Any:
            self.made += 1
            return MctsSearcher()

    make = Counting()
    peer = AnalysisPeer(services={"engines": {"mcts": make}})
    for line in (query("a"), query("b"), {"id": "c", "action": "clear_cache"}, query("d")):
        peer.say(line)
        peer.run_all()
    assert make.made == 2


def test_kept_trees_share_the_memory_of_all_trees() -> None:
    trees = TreeMemory(lambda: 80 << 20, threading.RLock())
    limits, services = {"memory": 64}, {"engines": engines_within(trees)}
    peer = AnalysisPeer(limits=limits, services=services)
    for visits in (100, 200):
        peer.say(*(query("q", turns=turns, maxVisits=visits) for turns in ([], ["1d3"], ["1a1"])))
        peer.run_all()
        assert 64 << 20 <= trees.used <= 80 << 20
    found = [answer["rootInfo"]["visits"] for answer in peer.answers]
    assert found == [100] * 3 + [200] * 3
    peer.say({"id": "c", "action": "clear_cache"})
    gc.collect()
    assert trees.used == 0


def test_seed_changes_the_search() -> None:
    peer = AnalysisPeer()
    peer.say(query("a"), query("b"), query("c", seed=7))
    peer.run_all()
    found = {answer["id"]: answer["moveInfos"] for answer in peer.answers}
    assert found["a"] == found["b"] != found["c"]


# -- numbers ----------------------------------------------------------------------------------


def test_winrates_are_those_of_the_side_that_is_named() -> None:
    peer = AnalysisPeer()
    flags = {"includeOwnership": True, "includeSeconds": True, "turns": ["1d4"]}
    for side in ("SIDETOMOVE", "WHITE", "BLACK"):
        peer.say(query(side, reportAnalysisWinratesAs=side, **flags))
    peer.run_all()
    found = {answer["id"]: answer for answer in peer.answers}
    mine, white, black = (found[side] for side in ("SIDETOMOVE", "WHITE", "BLACK"))
    assert {**mine, "id": ""} == {**white, "id": ""}
    assert black["rootInfo"]["winrate"] == pytest.approx(1 - white["rootInfo"]["winrate"])
    assert black["rootInfo"]["scoreLead"] == pytest.approx(-white["rootInfo"]["scoreLead"])
    assert black["rootInfo"]["scoreStdev"] == white["rootInfo"]["scoreStdev"] > 0
    assert all(info["scoreStdev"] >= 0 for info in mine["moveInfos"])
    assert black["ownership"] == pytest.approx([-owned for owned in white["ownership"]])
    pairs = list(zip(black["firsts"], white["firsts"], strict=True))
    assert all(b["winrate"] == pytest.approx(1 - w["winrate"]) for b, w in pairs)


def test_policy_has_a_probability_for_each_legal_first_stone() -> None:
    peer = AnalysisPeer()
    peer.say(query("q", turns=["1d4"], includePolicy=True, maxVisits=300))
    peer.run_all()
    policy = peer.answers[0]["policy"]
    assert len(policy) == 2 * 37 + 2
    centre = 18  # d4, which is taken
    assert (policy[centre], policy[37 + centre], policy[-1]) == (-1, -1, -1)
    assert sum(share for share in policy if share >= 0) == pytest.approx(1, abs=1e-4)
    assert all(0 <= share <= 1 for share in policy[:centre])
    prior = [info["prior"] for info in peer.answers[0]["moveInfos"]]
    assert all(0 <= share <= 1 for share in prior)
    assert sum(prior) <= 1


def test_firsts_hold_the_second_stones_of_their_turns() -> None:
    peer = AnalysisPeer()
    peer.say(query("q", turns=["1d4"], includeSeconds=True, maxVisits=300))
    peer.run_all()
    answer = peer.answers[0]
    pairs = {
        f"{first['stone']},{second['stone']}"
        for first in answer["firsts"]
        for second in first["seconds"]
    }
    assert pairs == {info["move"] for info in answer["moveInfos"] if "," in info["move"]}
    visits = [first["visits"] for first in answer["firsts"]]
    assert visits == sorted(visits, reverse=True)


def test_max_moves_and_pv_length_bound_the_answer() -> None:
    peer = AnalysisPeer()
    peer.say(query("q", maxMoves=2, analysisPVLen=0, maxVisits=300))
    peer.run_all()
    infos = peer.answers[0]["moveInfos"]
    assert [len(info["pv"]) for info in infos] == [1, 1]


# -- bounds -----------------------------------------------------------------------------------


def test_full_queue_pauses_reading_until_a_search_ends() -> None:
    peer = AnalysisPeer(limits={"searches": 1, "positions": 2})
    peer.say(*(query(str(number)) for number in range(5)))
    assert not peer.stream.wants_input
    assert len(peer.searches) == 1
    while peer.searches:
        peer.run(min(peer.searches))
    assert [name for name, _ in peer.turns()] == ["0", "1", "2", "3", "4"]
    assert peer.stream.wants_input


def test_queue_of_long_queries_pauses_reading_by_their_size() -> None:
    peer = AnalysisPeer(limits={"searches": 1, "queries": 300})
    peer.say(*(query("x" * 100) for _ in range(5)))
    assert not peer.stream.wants_input
    peer.run_all()
    assert len(list(peer.turns())) == 5


def test_no_search_begins_while_answers_are_unread() -> None:
    peer = AnalysisPeer()
    peer.held = True
    peer.say(query("q"))
    assert peer.searches == {}
    peer.held = False
    peer.proceed()
    assert len(peer.searches) == 1


def test_line_over_the_limit_is_refused_and_the_stream_goes_on() -> None:
    peer = AnalysisPeer(limits={"line": 200})
    peer.take(peer.stream.receive(b"x" * 201))
    peer.proceed()
    assert peer.stream.in_line
    peer.take(peer.stream.receive(b"x" * 500 + b"\n"))
    peer.say(query("q"))
    peer.run_all()
    assert peer.answers[0] == {"error": "line over 200 bytes"}
    assert list(peer.turns()) == [("q", 0)]


@pytest.mark.parametrize(
    "line", ['{"id":"q","seed":1,"seed":2}', '{"id":"q","seed":NaN}', '{"id":"q","x":[%s]}']
)
def test_error_of_an_object_that_is_refused_carries_its_id(line: str) -> None:
    peer = AnalysisPeer()
    peer.say(line.replace("%s", "[" * 40 + "]" * 40))
    assert [answer["id"] for answer in peer.answers if "error" in answer] == ["q"]


def test_too_many_errors_close_the_stream() -> None:
    limits = RateLimits(burst=50, rate=20, errors=2, delay=0, pardon=60)
    peer = AnalysisPeer(rate=RateLimiter(limits, lambda: 0.0))
    peer.say(*["bad"] * 5)
    assert peer.closed == "too many errors"
    assert len(peer.answers) == 2


def test_http_request_closes_the_stream() -> None:
    peer = AnalysisPeer()
    peer.say("POST / HTTP/1.1", query("q"))
    assert peer.closed == "syntax error: this port does not speak HTTP"
    assert (len(peer.answers), peer.searches) == (1, {})


def test_fault_of_ours_is_reported_and_the_stream_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "unknown_fields", lambda *_: 1 / 0)
    peer = AnalysisPeer()
    peer.say(query("q"), {"id": "v", "action": "query_version"})
    assert len(peer.faults) == 1
    assert peer.answers[0] == {"error": "internal error", "id": "q"}
    assert (peer.answers[1]["id"], peer.stream.errors) == ("v", 0)


# -- log-in and the end -----------------------------------------------------------------------


def test_login_is_required_before_an_analysis() -> None:
    peer = AnalysisPeer(services={"accounts": OneAccount(), "login_required": True})
    peer.say({"id": "v", "action": "query_version"}, query("early"))
    assert peer.answers[1] == {"error": "login required: analyze", "id": "early"}
    peer.say({"id": "l", "action": "login", "name": "Ann", "token": "TOKEN"}, query("late"))
    assert peer.searches == {}
    peer.answer_calls()
    peer.proceed()
    assert peer.answers[2] == {"id": "l", "action": "login", "name": "ann"}
    assert (peer.stream.is_admitted, peer.stream.user, len(peer.searches)) == (True, "ann", 1)


def test_end_of_input_waits_for_every_answer_and_serves_an_unfinished_line() -> None:
    peer = AnalysisPeer(limits={"searches": 1})
    peer.say({"id": "g", **GAME})
    peer.take(peer.stream.receive(json.dumps(query("last")).encode()))
    peer.take(peer.stream.finish())
    peer.proceed()
    assert peer.closed is None
    peer.run_all()
    assert len(list(peer.turns())) == 5
    assert peer.closed == "end of input"


def test_end_of_input_without_waiting_stops_every_search() -> None:
    peer = AnalysisPeer(waits=False)
    peer.say({"id": "g", **GAME})
    peer.take(peer.stream.finish())
    assert (peer.closed, peer.stopped, peer.answers) == ("end of input", {1, 2}, [])


def test_lost_connection_stops_every_search() -> None:
    peer = AnalysisPeer()
    peer.say({"id": "g", **GAME})
    peer.take(peer.stream.lost())
    assert (peer.stopped, peer.stream.is_closed) == ({1, 2}, True)
    peer.run_all()
    assert peer.answers == []


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_give_answers_only(data: bytes, cut: int) -> None:
    peer = AnalysisPeer()
    for part in (data[:cut], data[cut:], b"\n"):
        peer.take(peer.stream.receive(part))
        peer.proceed()
    for answer in peer.answers:
        validator("analysis-answer").validate(answer)


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
    st.lists(st.integers(-1, 3), max_size=2), st.dictionaries(st.text(max_size=2), st.text()),
)  # fmt: skip
_SCHEMA: Any = validator("analysis-query").schema
_NAMES = st.sampled_from(sorted(_SCHEMA["$defs"]["analysis"]["properties"]))


@given(st.dictionaries(_NAMES, _VALUES, max_size=3))
def test_any_values_of_fields_are_analyzed_or_refused_by_field(fields: dict[str, Any]) -> None:
    peer = AnalysisPeer()
    peer.say(query("q", **fields))
    refused = [answer for answer in peer.answers if "error" in answer]
    assert len(refused) + len(peer.searches) == 1
    for answer in refused:
        assert answer.get("id") == "q" or "not JSON" in answer["error"]
        assert "field" in answer or "not JSON" in answer["error"]


@pytest.mark.parametrize("field", ["allowMoves", "avoidMoves"])
def test_query_with_bars_considers_what_they_leave(field: str) -> None:
    # KaTrain sends an entry for each player, as for its region of interest.
    moves = ["1d3", "2d3"]
    bars = [{"player": player, "moves": moves, "untilDepth": 1} for player in "BW"]
    peer = AnalysisPeer()
    peer.say(query("all", maxVisits=200), query("some", maxVisits=200, **{field: bars}))
    peer.run_all()
    validator("analysis-query").validate(query("some", **{field: bars}))
    found = {answer["id"]: [one["move"] for one in answer["moveInfos"]] for answer in peer.answers}
    assert found["some"]
    assert all((move in moves) is (field == "allowMoves") for move in found["some"])
    assert found["all"] != found["some"]
