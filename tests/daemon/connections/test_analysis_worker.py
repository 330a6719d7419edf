"""The driver of an analysis engine's client, in fake time: its searches in the pool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.daemon.doubles import Client, FakePool
from yoddd.daemon.connections.search_pool import JobKind
from yoddd.daemon.connections.wire import ANALYSIS

QUERY = {"id": "q", "game": "yodd", "board": "hex4", "maxVisits": 40}


class Analyst(Client):
    """A client of the analysis engine."""

    def say(self, *queries: dict[str, Any]) -> list[dict[str, Any]]:
        self.connection.received("".join(f"{json.dumps(one)}\n" for one in queries).encode())
        return self.take()

    def take(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.transport.take().splitlines()]

    def finish(self, number: int) -> None:
        """Run a job to its end."""
        job = self.pool.jobs[number]
        job.result.callback(job.work(lambda: True))


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Analyst:
    monkeypatch.setattr(FakePool, "threads", 2)
    return Analyst(wire=ANALYSIS)


def test_searches_run_side_by_side_as_those_of_one_client(client: Analyst) -> None:
    assert client.say(*(QUERY for _ in range(3))) == []
    first, second = client.pool.jobs
    assert first.owner is not second.owner
    assert first.client == second.client
    assert {job.kind for job in client.pool.jobs} == {JobKind.RESUMABLE}
    client.finish(1)
    assert [answer["turnNumber"] for answer in client.take()] == [0]
    assert len(client.pool.jobs) == 3


def test_reports_of_a_search_are_throttled_and_end_with_it(client: Analyst) -> None:
    client.say({**QUERY, "reportDuringSearchEvery": 0.5})
    (job,) = client.pool.jobs
    last = job.work(lambda: True)  # which has reported once
    assert client.take() == []
    client.clock.advance(0.5)
    assert [answer["isDuringSearch"] for answer in client.take()] == [True]
    job.work(lambda: True)
    job.result.callback(last)
    assert [answer["isDuringSearch"] for answer in client.take()] == [False]
    assert client.clock.getDelayedCalls() == []


def test_reports_are_left_out_while_the_client_does_not_read(client: Analyst) -> None:
    client.say({**QUERY, "reportDuringSearchEvery": 0.5})
    client.connection.pauseProducing()
    client.pool.jobs[0].work(lambda: True)
    client.clock.advance(0.5)
    assert client.take() == []
    client.connection.lost("bye")


def test_unknown_fields_of_a_query_are_named_up_to_eight(client: Analyst) -> None:
    answers = client.say({**QUERY, **{f"unknown{number}": 1 for number in range(500)}})
    assert [answer["field"] for answer in answers] == [f"unknown{number}" for number in range(8)]


def test_no_search_begins_while_the_client_does_not_read(client: Analyst) -> None:
    client.say(*(QUERY for _ in range(3)))
    client.connection.pauseProducing()
    client.finish(0)
    assert len(client.pool.jobs) == 2
    client.connection.resumeProducing()
    assert len(client.pool.jobs) == 3


def test_search_without_a_place_in_the_queue_is_answered_as_busy(client: Analyst) -> None:
    client.pool.is_full = True
    turns = {"turns": ["1d3"], "analyzeTurns": [0, 1], "reportDuringSearchEvery": 1}
    answers = client.say({**QUERY, **turns})
    client.clock.advance(0)
    answers += client.take()
    assert [answer["turnNumber"] for answer in answers] == [0, 1]
    assert {answer["error"] for answer in answers} == {"busy: 9 searches wait already"}
    client.pool.is_full = False
    client.say(QUERY)
    assert len(client.pool.jobs) == 1


def test_query_while_memory_is_short_is_answered_as_busy(client: Analyst) -> None:
    """Positions that wait would fill the memory on connections that are open already."""
    client.services.admission.is_short_of_memory = True
    assert client.say(QUERY) == [{"error": "busy: the server is short of memory", "id": "q"}]
    client.services.admission.is_short_of_memory = False
    assert client.say(QUERY) == []
    assert len(client.pool.jobs) == 1


def test_end_of_input_is_warned_of_and_every_query_is_answered(client: Analyst) -> None:
    client.say(QUERY, QUERY)
    client.connection.finished()
    assert client.take() == [{"warning": "end of input: positions still to be answered: 2"}]
    client.finish(0)
    client.finish(1)
    assert len(client.take()) == 2
    assert client.transport.is_closed()
    client.connection.lost("closed")


def test_lost_connection_drops_its_jobs_and_timers(client: Analyst) -> None:
    client.say({**QUERY, "reportDuringSearchEvery": 1}, QUERY)
    client.connection.lost("reset")
    assert client.pool.dropped == [job.owner for job in client.pool.jobs]
    assert client.clock.getDelayedCalls() == []
