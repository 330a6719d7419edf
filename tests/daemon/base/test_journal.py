"""The asynchronous store, with a database in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import gatherResults

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal, open_journal
from yoddd.store import accounts
from yoddd.store.errors import StoreError, UnknownName

WHEN = "2026-11-21T12:00:00.000Z"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = open_journal(cast("Reactor", installed), str(tmp_path / "store.db"))
    yield journal
    journal.close()


@ensureDeferred
async def test_write_is_visible_to_a_read_once_it_has_fired(journal: Journal) -> None:
    with pytest.raises(UnknownName):
        await journal.read(accounts.find_account, "ann")
    await journal.do(accounts.add_account, "ann", WHEN)
    assert (await journal.read(accounts.find_account, "ann")).name == "ann"


@ensureDeferred
async def test_write_that_fails_leaves_the_others_of_its_batch(journal: Journal) -> None:
    def fail(_connection: Any) -> None:
        raise LookupError("refused")

    first = journal.do(accounts.add_account, "ann", WHEN)
    refused = journal.do(fail)
    second = journal.do(accounts.add_account, "bob", WHEN)
    with pytest.raises(LookupError, match="refused"):
        await refused
    await gatherResults([first, second])
    for name in ("ann", "bob"):
        assert (await journal.read(accounts.find_account, name)).name == name


def test_open_journal_without_its_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        open_journal(cast("Reactor", installed), str(tmp_path / "file" / "store.db"))
