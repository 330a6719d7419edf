"""The analysis engine in processes of its own: on standard streams, ports and WebSockets."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, serving, until
from tests.daemon.test_websocket_vectors import Messages
from tests.protocol.analysis_peer import check, vectors

pytestmark = [pytest.mark.process, pytest.mark.whole]

PORT = ("--analysis", "tcp:0:interface=127.0.0.1")
SMALL = {"game": "yodd", "board": "hex4", "maxVisits": 100}
ENDLESS = {"game": "yodd", "board": "hex13", "maxVisits": 10_000_000}


def analyze(text: str, *options: str) -> list[dict[str, Any]]:
    """The answers of ``yoddd analysis`` to an input."""
    run = subprocess.run(
        [*YODDD, "analysis", *options],
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert run.stderr == ""
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.fixture(scope="module")
def engine() -> Iterator[Daemon]:
    http = ("--http", "tcp:0:interface=127.0.0.1", "--threads", "2")
    with serving(*PORT, *http) as daemon:
        yield daemon


class Client:
    """A client of the analysis engine over TCP."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.peer = Peer(port, source)

    def say(self, *queries: Mapping[str, Any]) -> None:
        self.peer.send("".join(json.dumps(query) + "\n" for query in queries))

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.peer.line())
        return found

    def close(self) -> None:
        self.peer.close()


@pytest.fixture
def client(engine: Daemon) -> Iterator[Client]:
    found = Client(engine.ports[0])
    yield found
    found.close()


@pytest.mark.gate
def test_program_answers_everything_before_it_ends() -> None:
    query = {"id": "a", **SMALL, "turns": ["1d4"], "analyzeTurns": [0, 1]}
    answers = analyze(f"nonsense\n{json.dumps(query)}")  # the last line without its LF
    assert "error" in answers[0]
    assert sorted(answer["turnNumber"] for answer in answers[1:]) == [0, 1]
    assert {answer["rootInfo"]["visits"] for answer in answers[1:]} == {100}


def test_unknown_fields_of_a_query_are_named_up_to_eight(client: Client) -> None:
    """Each warning repeats the id, and a line has room for hundreds of fields."""
    client.say({"id": "a", **SMALL, **{f"unknown{number}": 1 for number in range(500)}})
    fields = [client.answer()["field"] for _ in range(8)]
    assert fields == [f"unknown{number}" for number in range(8)]
    assert client.answer()["turnNumber"] == 0


def test_program_that_may_quit_at_once_drops_what_is_unanswered() -> None:
    begun = time.monotonic()
    assert analyze(json.dumps({"id": "a", **ENDLESS}) + "\n", "--quit-without-waiting") == []
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.parametrize("way", ["stdio", "tcp", "websocket"])
def test_vectors_give_their_answers_over_every_transport(engine: Daemon, way: str) -> None:
    for vector in vectors():
        if way == "stdio" and "search" not in vector.title:
            continue  # a process for each takes a second
        if way == "stdio":
            text = "".join(f"{line}\n" for line in vector.lines)
            check(vector, analyze(text, "--threads", "1"))
            continue
        answers = []
        if way == "tcp":
            client = Client(engine.ports[0])
            client.peer.send("".join(f"{line}\n" for line in vector.lines))
            answers = [client.answer() for _ in vector.answers]
            client.close()
        else:
            messages = Messages(engine.ports[1], target="/ws/analysis")
            for line in vector.lines:
                messages.send(line)
            answers = [json.loads(messages.message() or "") for _ in vector.answers]
            messages.stream.close()
        check(vector, answers)


@pytest.mark.gate
def test_half_closed_connection_gets_every_answer(client: Client) -> None:
    client.say(*({"id": str(number), **SMALL} for number in range(4)))
    client.peer.socket.shutdown(1)
    answers = [json.loads(line) for line in client.peer.rest().splitlines()]
    # The end of the input is noticed before, between or after the answers.
    warnings = [answer["warning"] for answer in answers if "warning" in answer]
    assert all(warning.startswith("end of input") for warning in warnings)
    found = [answer["id"] for answer in answers if "warning" not in answer]
    assert sorted(found) == ["0", "1", "2", "3"]


def test_client_that_reads_nothing_is_cut_off() -> None:
    limits = ("--set", "limits.unread=4096", "--set", "limits.unread_time=0.5")
    with serving(*PORT, *limits, "--set", "limits.trees=8") as daemon:
        client = Client(daemon.ports[0])
        query = {**SMALL, "board": "hex8", "includePolicy": True}
        client.say(*({"id": str(number), **query} for number in range(1500)))
        before = daemon.memory()

        def is_cut_off() -> bool:
            time.sleep(0.5)
            try:
                client.peer.send(b"\n")
            except OSError:
                return True
            return False

        until(is_cut_off)
        assert daemon.memory() - before < 64 << 20
        client.close()


def test_connections_beyond_the_limit_are_refused_in_json() -> None:
    with serving(*PORT, "--connections", "1") as daemon:
        first = Client(daemon.ports[0])
        first.say({"id": "v", "action": "query_version"})
        assert first.answer()["limits"]["positions"] == 512
        second = Client(daemon.ports[0])
        assert second.answer() == {"error": "busy: too many connections"}
        first.close()
        second.close()
