"""A page of a stranger, and a stranger's requests, reach a tournament only to read it."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, engine, serving, until
from tests.support.programs import Program
from yoddd.daemon.runs.status_socket import read_run

pytestmark = [pytest.mark.process, pytest.mark.whole]

NAMED = ("--origin", "https://yodd.example")


@attrs.frozen
class Shown:
    """A daemon that shows a tournament which is being played."""

    port: int
    folder: Path

    def get(self, path: str, host: str = "", method: str = "GET") -> tuple[int, Any]:
        """The status and the values of a reply; ``host`` is the header, the address if empty."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, headers={"Host": host} if host else {})
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        is_json = body and reply.headers["Content-Type"] == "application/json"
        return reply.status, json.loads(body) if is_json else body.decode()

    @property
    def games(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("/api/runs/cup/playing")[1]["games"]
        return found


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    runs = tmp_path_factory.mktemp("runs")
    slow = engine("--seed=5", "--fault", "slow", "--delay", "0.2")
    words = ["match", slow, slow, "--board", "hex3", "--pairs", "500", "--out", str(runs / "cup")]
    with (
        Program([*YODDD, *words], stdout=subprocess.DEVNULL) as run,
        serving("--http", "tcp:0:interface=127.0.0.1", "--runs", str(runs), *NAMED) as daemon,
    ):
        found = Shown(daemon.ports[0], runs / "cup")
        until(lambda: (runs / "cup" / "plan.json").exists() and bool(found.games))
        yield found
        assert run.poll() is None
        run.terminate()
        run.rest()


@pytest.mark.parametrize(
    "game",
    [
        "x%0astop",
        "x%0apause",
        "x%0aset%20concurrency=9",
        "%0astop",
        "x%0d%0astop",
        "x%00stop",
        "x%20stop",
        "%e2%80%a8stop",
        "%ff%0astop",
    ],
)
def test_page_of_a_game_whose_name_is_no_word_is_not_found_and_commands_nothing(
    shown: Shown, game: str
) -> None:
    before = read_run(shown.folder, "status")
    code, values = shown.get(f"/api/runs/cup/playing/{game}")
    after = read_run(shown.folder, "status")
    assert (code, list(values)) == (404, ["error"])
    assert (after["paused"], after["concurrency"]) == (False, before["concurrency"])


def test_game_in_play_is_read_by_its_id(shown: Shown) -> None:
    found: list[dict[str, Any]] = []

    def is_read() -> bool:
        for game in shown.games:  # it may end meanwhile
            code, values = shown.get(f"/api/runs/cup/playing/{game['id']}")
            found.extend([values] * (code == 200))
        return bool(found)

    until(is_read)
    assert found[0]["game"] == "yodd"


def test_misdirected_request_is_told_what_to_do(shown: Shown) -> None:
    text = "this server is not called rebound.example: use its address, or name it in `origins`"
    assert shown.get("/api/runs", "rebound.example:80") == (421, {"error": text})
    assert shown.get("/", "rebound.example:80") == (421, f"{text}\n")


def test_one_of_two_hosts_is_misdirected(shown: Shown) -> None:
    for hosts in (("localhost", "rebound.example"), ("rebound.example", "localhost")):
        connection = http.client.HTTPConnection("127.0.0.1", shown.port, timeout=PATIENCE)
        connection.putrequest("GET", "/api/runs", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.endheaders()
        assert connection.getresponse().status == 421
        connection.close()


def test_program_that_sends_no_host_is_answered(shown: Shown) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shown.port, timeout=PATIENCE)
    connection.putrequest("GET", "/healthz", skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 200
    connection.close()
