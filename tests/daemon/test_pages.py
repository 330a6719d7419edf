"""What the pages of the board ask for: runs, their reports, single games."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.conftest import PATIENCE, serving
from tests.runs import random_record, write_archive
from yoddd.daemon.pages.run_pages import Runs
from yoddd.daemon.runs.archive import RunError
from yoddd.notation import dump_record, load_record, replay


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    write_archive(tmp_path / "cup")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "games.jsonl").touch()
    return Runs(tmp_path)


def test_only_folders_with_a_plan_or_games_are_runs(runs: Runs) -> None:
    (run,) = runs.describe()["runs"]
    assert (run["name"], run["title"], run["finished"]) == ("cup", "cup", 6)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["updated"])


def test_a_run_itself_may_be_the_folder(tmp_path: Path) -> None:
    found = Runs(write_archive(tmp_path / "cup"))
    assert [run["name"] for run in found.describe()["runs"]] == ["cup"]
    assert found.report("cup")["report"]["games"] == 6


def test_a_report_has_the_crosstable_and_the_latest_games_first(runs: Runs) -> None:
    found = runs.report("cup")
    report = found["report"]
    assert sorted(report["crosstable"]) == ["ann", "bob", "cid"]
    won = sum(sum(row.values()) for row in report["crosstable"].values())
    assert won == report["games"] == 6
    assert [game["id"] for game in found["recent"]] == [f"g{number}" for number in range(6, 0, -1)]


def test_a_report_follows_the_archive(runs: Runs, tmp_path: Path) -> None:
    first = runs.report("cup")
    assert runs.report("cup") is first
    with (tmp_path / "cup" / "games.jsonl").open("a") as file:
        file.write(dump_record(random_record("late", "ann", "bob", 1)) + "\n")
    assert runs.report("cup")["report"]["games"] == 7


def test_a_record_is_that_of_the_archive(runs: Runs) -> None:
    record = load_record(json.dumps(runs.record("cup", "g3")))
    assert replay(record).is_over


@pytest.mark.parametrize("name", ["nobody", "..", ".", ".hidden", "cup/..", "notes", ""])
def test_what_is_no_run_is_not_found(runs: Runs, name: str) -> None:
    with pytest.raises(KeyError):
        runs.report(name)
    with pytest.raises(KeyError):
        runs.record(name, "g1")


def test_a_broken_archive_says_where(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "cup" / "games.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match="line 1"):
        runs.report("cup")


# -- over HTTP ------------------------------------------------------------------------------


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


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("path", "status", "key"),
    [
        ("/api/runs", 200, "runs"),
        ("/api/runs/", 200, "runs"),
        ("/api/runs/cup", 200, "report"),
        ("/api/runs/cup/games/g1", 200, "turns"),
        ("/api/runs/cup/games/g99", 404, "error"),
        ("/api/runs/nobody", 404, "error"),
        ("/api/runs/%2e%2e", 404, "error"),
        ("/api/runs/cup/games/g1/more", 404, "error"),
        ("/api/runs/broken", 500, "error"),
        ("/api/ladder", 200, "ladders"),
    ],
)
def test_the_resources_over_http(address: str, path: str, status: int, key: str) -> None:
    reply, values = get(address, path)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/json"
    assert key in values


@pytest.mark.slow
@pytest.mark.process
def test_what_has_not_changed_is_not_sent_again(address: str) -> None:
    first, _ = get(address, "/api/runs/cup")
    again, body = get(address, "/api/runs/cup", **{"If-None-Match": first.headers["ETag"]})
    assert (again.status, body) == (304, None)
