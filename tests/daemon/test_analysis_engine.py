"""The analysis engine in a process of its own, on standard streams and a port."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Peer, serving

pytestmark = [pytest.mark.process, pytest.mark.whole]

SMALL = {"game": "yodd", "board": "hex4", "maxVisits": 100}
ENDLESS = {"game": "yodd", "board": "hex13", "maxVisits": 10_000_000}


def analyze(text: str, *options: str) -> list[dict[str, object]]:
    """The answers of ``yoddd analysis`` to an input."""
    words = [*YODDD, "analysis", *options]
    run = subprocess.run(
        words, input=text, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert run.stderr == ""
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.gate
def test_program_answers_everything_before_it_ends() -> None:
    query = {"id": "a", **SMALL, "turns": ["1d4"], "analyzeTurns": [0, 1]}
    error, *answers = analyze(f"nonsense\n{json.dumps(query)}")  # the last line without its LF
    assert "error" in error
    assert {answer["turnNumber"] for answer in answers} == {0, 1}


def test_program_that_may_quit_at_once_drops_what_is_unanswered() -> None:
    assert analyze(json.dumps({"id": "a", **ENDLESS}) + "\n", "--quit-without-waiting") == []


@pytest.mark.gate
def test_half_closed_connection_gets_every_answer() -> None:
    with serving("--analysis", "tcp:0:interface=127.0.0.1") as daemon:
        peer = Peer(daemon.ports[0])
        peer.send("".join(json.dumps({"id": str(n), **SMALL}) + "\n" for n in range(4)))
        peer.socket.shutdown(1)
        answers = [json.loads(line) for line in peer.rest().splitlines()]
        peer.close()
    # The end of the input is noticed before, between or after the answers.
    found = [answer["id"] for answer in answers if "warning" not in answer]
    assert sorted(found) == ["0", "1", "2", "3"]
