"""The resources of runs as a daemon serves them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.conftest import PATIENCE, serving
from tests.support.runs import write_archive

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("runs")
    write_archive(folder / "cup")
    write_archive(folder / "broken")
    (folder / "broken" / "games.jsonl").write_text("nonsense\n")
    with serving("--http", "tcp:0:interface=127.0.0.1", "--runs", str(folder)) as daemon:
        yield f"127.0.0.1:{daemon.ports[0]}"


def get(address: str, path: str, **headers: str) -> tuple[http.client.HTTPResponse, Any]:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply, json.loads(body) if body else None


@pytest.mark.parametrize(
    ("path", "status", "key"),
    [
        ("/api/runs", 200, "runs"),
        ("/api/runs/", 200, "runs"),
        ("/api/runs/cup", 200, "report"),
        ("/api/runs/cup/games/g1", 200, "turns"),
        ("/api/runs/cup/games/g99", 404, "error"),
        ("/api/runs/unknown", 404, "error"),
        ("/api/runs/%2e%2e", 404, "error"),
        ("/api/runs/cup/games/g1/more", 404, "error"),
        ("/api/runs/broken", 500, "error"),
        ("/api/ladder", 200, "ladders"),
    ],
)
def test_resource_has_status_and_key(address: str, path: str, status: int, key: str) -> None:
    reply, values = get(address, path)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/json"
    assert key in values


def test_resource_known_tag_is_answered_without_a_body(address: str) -> None:
    first, _ = get(address, "/api/runs/cup")
    again, body = get(address, "/api/runs/cup", **{"If-None-Match": first.headers["ETag"]})
    assert (again.status, body) == (304, None)
