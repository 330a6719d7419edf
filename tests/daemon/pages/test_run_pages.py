"""Runs in a folder, and their resources without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from twisted.internet import reactor as installed
from twisted.web.resource import Resource

from tests.daemon.fake_time import ThreadsAtOnce, world_of
from tests.daemon.leaks import LoggedErrors
from tests.daemon.pages.browser import Browser, no_errors_logged
from tests.daemon.pages.test_file_reply import Thread
from tests.support.runs import random_record, write_archive
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.pages.run_pages import Runs, ThreadedResource, api
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.run_folder import PLAN
from yoddd.notation import dump_record, load_record, replay

reactor = cast("Reactor", installed)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    write_archive(tmp_path / "cup")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "games.jsonl").touch()
    return Runs(tmp_path)


def test_describe_lists_folders_with_a_plan_or_games(runs: Runs) -> None:
    (run,) = runs.describe()["runs"]
    assert (run["name"], run["title"], run["finished"]) == ("cup", "cup", 6)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["updated"])


def test_describe_folder_of_one_run_is_that_run(tmp_path: Path) -> None:
    found = Runs(write_archive(tmp_path / "cup"))
    assert [run["name"] for run in found.describe()["runs"]] == ["cup"]
    assert found.report("cup")["report"]["games"] == 6


def test_report_has_the_crosstable_and_the_latest_games_first(runs: Runs) -> None:
    found = runs.report("cup")
    report = found["report"]
    assert sorted(report["crosstable"]) == ["ann", "bob", "cid"]
    won = sum(sum(row.values()) for row in report["crosstable"].values())
    assert won == report["games"] == 6
    assert [game["id"] for game in found["recent"]] == [f"g{number}" for number in range(6, 0, -1)]


def test_report_is_made_again_when_the_archive_has_grown(runs: Runs, tmp_path: Path) -> None:
    first = runs.report("cup")
    assert runs.report("cup") is first
    with (tmp_path / "cup" / "games.jsonl").open("a") as file:
        file.write(dump_record(random_record("late", "ann", "bob", 1)) + "\n")
    assert runs.report("cup")["report"]["games"] == 7


def test_record_is_that_of_the_archive(runs: Runs) -> None:
    record = load_record(json.dumps(runs.record("cup", "g3")))
    assert replay(record).is_over


def test_playing_of_a_run_that_is_not_running_has_no_games(runs: Runs) -> None:
    assert runs.playing("cup") == {"games": []}
    with pytest.raises(KeyError, match="g1"):
        runs.playing("cup", "g1")
    with pytest.raises(KeyError):
        runs.playing("unknown")


@pytest.mark.parametrize("name", ["unknown", "..", ".", ".hidden", "cup/..", "notes", ""])
def test_report_and_record_of_no_run_raise_key_error(runs: Runs, name: str) -> None:
    with pytest.raises(KeyError):
        runs.report(name)
    with pytest.raises(KeyError):
        runs.record(name, "g1")


def test_report_broken_archive_names_the_line(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "cup" / "games.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match="line 1"):
        runs.report("cup")


def test_describe_broken_plan_leaves_the_name_as_title(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "cup" / PLAN).write_text("nonsense")
    assert runs.describe()["runs"][0]["title"] == "cup"


def test_describe_folder_that_does_not_exist_has_no_runs(tmp_path: Path) -> None:
    assert Runs(tmp_path / "later").describe() == {"runs": []}


def test_describe_run_without_games_has_none_finished(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / PLAN).write_text("{}")
    assert [run["finished"] for run in Runs(tmp_path).describe()["runs"]] == [0]


def test_record_unknown_game_raises_key_error(runs: Runs) -> None:
    with pytest.raises(KeyError, match="g99"):
        runs.record("cup", "g99")


# -- resources ------------------------------------------------------------------------------------


def browser_of(resource: Resource) -> Browser:
    root = Resource()
    root.putChild(b"", resource)
    return Browser(root)


@pytest.mark.parametrize(
    ("path", "status", "key"),
    [
        ("/runs", 200, "runs"),
        ("/runs/", 200, "runs"),
        ("/runs/cup", 200, "report"),
        ("/runs/cup/games/g1", 200, "turns"),
        ("/ladder", 200, "ladders"),
    ],
)
def test_api_address_has_its_values(
    runs: Runs, tmp_path: Path, path: str, status: int, key: str
) -> None:
    del runs
    reply = Browser(api(world_of(), Runs(tmp_path))).get(path)
    assert reply.status == status
    assert key in reply.values


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/runs/unknown", "no unknown"),
        ("/runs/%2e%2e", "no .."),
        ("/runs/cup/games/g99", "no g99"),
        ("/runs/cup/games/g1/more", "no cup/games/g1/more"),
        ("/runs/cup/moods/g1", "no cup/moods/g1"),
    ],
)
def test_api_unknown_address_is_not_found(
    runs: Runs, tmp_path: Path, path: str, error: str
) -> None:
    del runs
    reply = Browser(api(world_of(), Runs(tmp_path))).get(path)
    assert (reply.status, reply.values) == (404, {"error": error})


def test_api_broken_archive_is_a_server_error(runs: Runs, tmp_path: Path) -> None:
    del runs
    (tmp_path / "cup" / "games.jsonl").write_text("{}\n")
    reply = Browser(api(world_of(), Runs(tmp_path))).get("/runs/cup")
    assert reply.status == 500
    assert "line 1" in reply.values["error"]


def test_api_without_a_folder_has_no_runs() -> None:
    reply = Browser(api(world_of(), None)).get("/runs")
    assert (reply.status, reply.values) == (200, {"runs": None})


def _unexpected() -> dict[str, Any]:
    raise RuntimeError("disk full")


def test_threaded_unexpected_error_is_a_server_error(logged_errors: LoggedErrors) -> None:
    reply = browser_of(ThreadedResource(ThreadsAtOnce(), _unexpected)).get("/")
    assert reply.status == 500
    assert len(logged_errors.flush(RuntimeError)) == 1


@pytest.mark.parametrize("fails", [False, True])
def test_threaded_client_disconnected_nothing_is_written(fails: bool) -> None:
    thread = Thread()

    def work() -> dict[str, Any]:
        return _unexpected() if fails else {}

    browser = browser_of(ThreadedResource(cast("Any", thread), work))
    browser.send("/")
    browser.pending.notifyFinish().addErrback(lambda _: None)
    browser.disconnect()
    with no_errors_logged():
        thread.run_all()
    assert browser.transport.value() == b""
