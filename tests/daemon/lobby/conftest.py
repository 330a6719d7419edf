"""A store for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.lobby.journals import DirectJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[DirectJournal]:
    journal = DirectJournal(tmp_path)
    yield journal
    journal.close()
