"""Tables in files: the search path, damage, and what is built on demand."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from yoddd.daemon.base import tables as module
from yoddd.daemon.base.tables import (
    TableFolders,
    TablePaths,
    cache_folder,
    search_path,
    write_table,
)
from yoddd.engine import NO_TABLES, value_of, values_of
from yoddd.kernel import backend, best_position
from yoddd.kernel.table import Table, build, file_name
from yoddd.kernel.table_file import TableError
from yoddd.rules import Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="builds tables")

RULES = make_rules("xodd", "square3")
BIG = make_rules("yodd", "hex5")


def never() -> bool:
    return False


class Reports:
    """Collects what is reported."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> None:
        self.texts.append(text)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "yoddd" / "tables"


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one table."""
    write_table(tmp_path / "tables" / file_name(RULES), list(build(RULES, "tests")))
    return tmp_path / "tables"


@pytest.fixture
def building(reports: Reports) -> Iterator[TableFolders]:
    tables = TableFolders(builds=9, say=reports)
    yield tables
    tables.close()


def test_prepare_in_a_reactor_waits_for_no_file_that_is_opened(
    folder: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    open_file = module._open_file

    def wait(path: Path, rules: Rules) -> Table:
        begun.set()
        assert go_on.wait(60)
        return open_file(path, rules)

    monkeypatch.setattr(module, "_open_file", wait)
    tables = TableFolders((folder,), builds=0, waits=False, say=reports)
    tables.prepare(RULES)
    assert begun.wait(60)
    reactor = threading.Thread(target=tables.prepare, args=(make_rules("yodd", "hex3"),))
    reactor.start()
    reactor.join(20)
    waited = reactor.is_alive()
    go_on.set()
    reactor.join()
    tables.close()
    assert not waited
    assert tables.find(RULES) is not None


def test_search_path_is_split_at_colons() -> None:
    assert search_path("/a:/b c:") == (Path("/a"), Path("/b c"))
    assert search_path("") == ()


def test_cache_folder_ignores_a_relative_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert cache_folder() == Path.home() / ".cache" / "yoddd" / "tables"


def test_cache_folder_without_a_home_is_none_and_nothing_is_built(
    monkeypatch: pytest.MonkeyPatch, reports: Reports
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder() is None
    assert TableFolders(builds=9, say=reports).find(RULES, never) is None
    assert reports.texts == []


def test_table_in_a_folder_is_found_and_opened_once(folder: Path, reports: Reports) -> None:
    tables = TableFolders((folder.parent, folder), waits=True, say=reports)
    tables.prepare(RULES)
    found = tables.find(RULES)
    assert found is not None
    assert tables.find(RULES) is found
    assert value_of(tables, best_position()(RULES)) is not None
    assert tables.find(make_rules("yodd", "hex2")) is None
    assert tables.find(BIG) is None
    tables.prepare(BIG)
    assert reports.texts == []


def test_missing_folder_is_reported(tmp_path: Path, reports: Reports) -> None:
    TableFolders((tmp_path / "nowhere",), say=reports)
    assert reports.texts == [f"tables: {tmp_path / 'nowhere'} is no folder"]


def test_damaged_file_is_reported_once_and_the_next_one_used(
    folder: Path, tmp_path: Path, reports: Reports
) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    name = file_name(RULES)
    (bad / name).write_bytes((folder / name).read_bytes()[:-9])
    tables = TableFolders((bad, folder), say=reports)
    assert tables.find(RULES) is not None
    alone = TableFolders((bad,), say=reports)
    assert alone.find(RULES) is None
    assert alone.find(RULES) is None
    assert (
        reports.texts
        == [f"table {bad / name} is not used: the file is too short: its end is missing"] * 2
    )


def test_empty_file_and_file_of_another_game_are_reported(
    folder: Path, tmp_path: Path, reports: Reports
) -> None:
    hex2 = make_rules("yodd", "hex2")
    (folder / file_name(hex2)).write_bytes((folder / file_name(RULES)).read_bytes())
    (tmp_path / file_name(hex2)).write_bytes(b"")
    assert TableFolders((folder, tmp_path), say=reports).find(hex2) is None
    assert "it is xodd-square3.table" in reports.texts[0]
    assert "too short" in reports.texts[1]


def test_damaged_block_is_found_when_read_and_the_file_ignored_until_replaced(
    folder: Path, reports: Reports
) -> None:
    path = folder / file_name(RULES)
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2] + bytes(len(good) - len(good) // 2))
    tables = TableFolders((folder,), say=reports)
    position = best_position()(RULES)
    assert tables.find(RULES) is not None
    assert values_of(tables, position) == ()
    assert tables.find(RULES) is None
    (text,) = reports.texts
    assert text.startswith(f"table {path} is not used: section")
    tables.discard(RULES, TableError("again"))
    assert len(reports.texts) == 1
    write_table(path, [good])
    assert values_of(tables, position)


@pytest.mark.slow
def test_small_table_is_built_when_first_needed(
    building: TableFolders, cache: Path, reports: Reports
) -> None:
    building.prepare(RULES)
    assert not cache.exists()
    assert building.find(RULES, never) is not None
    assert [path.name for path in cache.iterdir()] == [file_name(RULES)]
    assert building.find(make_rules("xodd", "square4"), never) is None
    assert reports.texts == []


def test_find_without_waiting_begins_a_build_and_returns_none(building: TableFolders) -> None:
    assert building.find(RULES) is None
    assert building.find(RULES, never) is not None


def test_find_waits_no_longer_than_it_may(reports: Reports) -> None:
    tables = TableFolders(builds=19, say=reports)
    assert tables.find(make_rules("yodd", "hex3"), lambda: True) is None
    tables.close()


def test_damaged_file_in_the_cache_is_built_again(
    building: TableFolders, cache: Path, reports: Reports
) -> None:
    cache.mkdir(parents=True)
    (cache / file_name(RULES)).write_bytes(b"?" * 99)
    assert building.find(RULES, never) is not None
    assert len(reports.texts) == 1


def test_cache_that_cannot_be_written_is_reported(
    building: TableFolders, cache: Path, reports: Reports
) -> None:
    cache.parent.parent.mkdir()
    cache.parent.write_text("a file")
    assert building.find(RULES, never) is None
    assert building.find(RULES, never) is None
    assert reports.texts[-1].startswith(f"{file_name(RULES)} was not built: ")


def test_closed_set_builds_nothing(reports: Reports, cache: Path) -> None:
    tables = TableFolders(builds=9, say=reports)
    tables.close()
    assert tables.find(RULES, never) is None
    assert not cache.exists()


def test_closing_ends_a_running_build(reports: Reports, cache: Path) -> None:
    tables = TableFolders(builds=19, say=reports)
    rules = make_rules("yodd", "hex3")
    assert tables.find(rules) is None
    threads = threading.active_count()
    tables.close()
    assert threading.active_count() < threads
    assert not cache.exists()
    assert reports.texts == []


def test_builds_of_one_process_are_bounded(
    building: TableFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yoddd.daemon.base.tables.MOST_BUILT", 1)
    assert building.find(RULES, never) is not None
    assert building.find(make_rules("odd", "square2"), never) is None


PROGRAM = """
import sys
from yoddd.daemon.base.tables import TableFolders
from yoddd.rules import Rules, make_rules
tables = TableFolders(builds=16, say=lambda text: sys.exit(text))
rules = make_rules("yodd", "hex2")
assert tables.find(rules, lambda: False) is not None
tables.close()
"""


@pytest.mark.slow
def test_two_processes_building_at_once_leave_one_sound_file(cache: Path, reports: Reports) -> None:
    started = [subprocess.Popen([sys.executable, "-c", PROGRAM]) for _ in range(2)]
    assert [process.wait(60) for process in started] == [0, 0]
    rules = make_rules("yodd", "hex2")
    assert [path.name for path in cache.iterdir()] == [file_name(rules)]
    found = TableFolders(say=reports).find(rules)
    assert found is not None
    found.file.check()


def test_paths_open_a_search_path_once_and_none_for_off(folder: Path, reports: Reports) -> None:
    paths = TablePaths("none", reports)
    tables = paths(str(folder))
    assert tables.find(RULES) is not None
    assert paths(str(folder)) is tables
    assert paths.open("off") is NO_TABLES
    with pytest.raises(ValueError, match="is no folder"):
        paths("/nowhere")
    paths.close()
