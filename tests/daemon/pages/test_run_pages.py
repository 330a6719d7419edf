"""Runs in a folder, and their resources without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest
from twisted.internet import reactor as installed
from twisted.web.resource import Resource

from tests.daemon.fake_time import world_of
from tests.daemon.leaks import LoggedErrors
from tests.daemon.pages.browser import Browser
from tests.daemon.pages.test_file_reply import Thread
from tests.support.runs import random_record, write_archive
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.pages import run_pages
from yoddd.daemon.pages.run_pages import Runs, api, threaded
from yoddd.daemon.runs.run_folder import PLAN
from yoddd.notation import dump_record

reactor = cast("Reactor", installed)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    write_archive(tmp_path / "cup")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "games.jsonl").touch()
    return Runs(tmp_path)


def test_describe_lists_folders_with_a_plan_or_games(runs: Runs, tmp_path: Path) -> None:
    (run,) = runs.describe()["runs"]
    assert (run["name"], run["title"], run["finished"]) == ("cup", "cup", 6)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["updated"])
    assert Runs(tmp_path / "cup").describe()["runs"] == [run]
    assert Runs(tmp_path / "later").describe() == {"runs": []}
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / PLAN).write_text("nonsense")
    found = [(one["title"], one["finished"]) for one in runs.describe()["runs"]]
    assert sorted(found) == [("cup", 6), ("new", 0)]


@pytest.mark.parametrize(
    ("modified", "shown"), [(-(10**30), "1970-01-01T00:00:00Z"), (10**30, "9999-12-31T23:59:59Z")]
)
def test_describe_shows_a_time_that_no_date_has_as_the_nearest(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, modified: int, shown: str
) -> None:
    monkeypatch.setattr(run_pages, "_stamp", lambda _path: run_pages._Stamp(1, modified))
    assert runs.describe()["runs"][0]["updated"] == shown


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


# -- resources ------------------------------------------------------------------------------------


def browser_of(resource: Resource) -> Browser:
    root = Resource()
    root.putChild(b"", resource)
    return Browser(root)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/runs/%2e%2e", "no .."),
        ("/runs/cup/games/g1/more", "no cup/games/g1/more"),
        ("/runs/cup/moods/g1", "no cup/moods/g1"),
    ],
)
def test_api_unknown_address_is_not_found(runs: Runs, path: str, error: str) -> None:
    reply = Browser(api(world_of(), runs)).get(path)
    assert (reply.status, reply.values) == (404, {"error": error})


def test_api_without_a_folder_has_no_runs() -> None:
    reply = Browser(api(world_of(), None)).get("/runs")
    assert (reply.status, reply.values) == (200, {"runs": None})


def _unexpected() -> dict[str, Any]:
    raise RuntimeError("disk full")


@pytest.mark.parametrize("is_lost", [False, True])
def test_threaded_unexpected_error_is_a_server_error_unless_the_client_is_lost(
    logged_errors: LoggedErrors, is_lost: bool
) -> None:
    thread = Thread()
    browser = browser_of(threaded(cast("Any", thread), _unexpected))
    browser.send("/")
    if is_lost:
        browser.pending.notifyFinish().addErrback(lambda _: None)
        browser.disconnect()
    thread.run_all()
    assert (browser.transport.value() == b"") is is_lost
    assert len(logged_errors.flush(RuntimeError)) == (not is_lost)
