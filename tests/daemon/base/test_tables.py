"""Tables in files: the search path, damage, and boards that are solved on demand."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.games import rules_id
from yoddd.daemon.base import tables as module
from yoddd.daemon.base.tables import (
    TableFolders,
    cache_folder,
    search_path,
    write_table,
)
from yoddd.engine import value_of, values_of
from yoddd.kernel import backend, best_position
from yoddd.kernel.table import Table as FileTable
from yoddd.kernel.table import build, file_name
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

    def wait(path: Path, rules: Rules) -> FileTable:
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


def test_cache_folder_without_a_home_is_none(
    monkeypatch: pytest.MonkeyPatch, reports: Reports
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder() is None
    assert TableFolders(builds=9, say=reports).find(RULES, never) is not None
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
    begin = len(good) * 5 // 8  # behind the sets, which are read when it is opened
    path.write_bytes(good[:begin] + bytes(len(good) - begin))
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


def test_small_board_is_solved_when_first_needed(
    building: TableFolders, cache: Path, reports: Reports
) -> None:
    building.prepare(RULES)
    found = building.find(RULES)
    assert found is not None
    assert building.find(RULES) is found
    assert building.find(make_rules("xodd", "square4"), never) is None
    assert not cache.exists()
    assert reports.texts == []


def test_find_that_does_not_wait_solves_only_what_takes_no_time(
    building: TableFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 0)
    assert building.find(RULES) is None
    assert building.find(RULES, never) is not None
    assert building.find(RULES) is not None


def test_find_ends_when_its_search_does(reports: Reports) -> None:
    tables = TableFolders(builds=19, say=reports)
    assert tables.find(make_rules("yodd", "hex3"), lambda: True) is None


def test_solved_boards_are_bounded_and_the_oldest_is_dropped(
    building: TableFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SOLVED", 2)
    square2, hex2 = make_rules("xodd", "square2"), make_rules("yodd", "hex2")
    first, second = building.find(RULES), building.find(square2)
    assert building.find(RULES) is first
    building.find(hex2)
    assert building.find(RULES) is first
    assert building.find(square2) is not second


def test_group_sizes_beyond_the_board_are_one_game(building: TableFolders) -> None:
    found = [building.find(make_rules("odd", "square2", {"min_group": n})) for n in (5, 6, 900)]
    assert found[0] is not None
    assert found[0] is found[1] is found[2]


def test_rules_that_treat_the_colours_differently_have_none(building: TableFolders) -> None:
    assert building.find(make_rules("product", "hex2", {"tie": "black"}), never) is None


@pytest.mark.parametrize(
    "rules",
    [
        RULES,
        make_rules("yodd", "hex2", {"own_colour": "on", "end_on_full": "on"}),
        make_rules("odd", "hex2", {"min_group": 3}),
        make_rules("yoin", "hex2"),
        make_rules("yoin", "hex2", {"pie": "off"}),
        make_rules("product", "hex2"),
        make_rules("product", "hex2", {"pie": "on"}),
    ],
    ids=rules_id,
)
def test_solved_board_has_the_values_of_a_table(building: TableFolders, rules: Rules) -> None:
    table, solved = FileTable(b"".join(build(rules, "tests"))), building.find(rules)
    assert solved is not None
    rng = random.Random(1)
    for _ in range(3):
        position = best_position()(rules)
        while not position.is_over:
            assert solved.reaches(position)
            assert solved.value(position) == table.value(position)
            assert dict(solved.turns(position)) == dict(table.turns(position))
            position.play(rng.choice(list(position.legal_turns())))
        assert solved.value(position) == table.value(position)
