"""Stores on real databases: a SQLite file, and a PostgreSQL server that the tests start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.engine import URL

from tests.support.postgres import postgres
from yoddd.store.database import migrate, read_url
from yoddd.store.schema import METADATA
from yoddd.store.store import Store

__all__ = ["postgres"]


@pytest.fixture(scope="session")
def migrated(postgres: str) -> URL:
    """The tables are made once: that takes longer than any test."""
    found = read_url(postgres)
    migrate(found)
    return found


SERVED = pytest.param("postgresql", marks=[pytest.mark.process, pytest.mark.whole])


@pytest.fixture(params=["sqlite", SERVED])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """An empty store of each kind."""
    if request.param == "sqlite":
        found = read_url(str(tmp_path / "yoddd.sqlite3"))
        migrate(found)
        yield found
        return
    found = request.getfixturevalue("migrated")
    engine = create_engine(found, poolclass=NullPool)  # no session of its own beside the test
    with engine.begin() as connection:
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    yield found
    with engine.begin() as connection:
        names = ", ".join(METADATA.tables)
        connection.exec_driver_sql(f"TRUNCATE {names}, alembic_version RESTART IDENTITY")
        connection.execute(text("INSERT INTO alembic_version VALUES (:v)"), {"v": version})
    engine.dispose()


@pytest.fixture
def store(url: URL) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()
