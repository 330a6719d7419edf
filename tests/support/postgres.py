"""A PostgreSQL server that the tests start themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

_DEBIAN = Path("/usr/lib/postgresql")
_NUMBERS = count()


def _binaries() -> Path | None:
    """The folder of the server's programs; Debian keeps them off the PATH."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return folders[-1].parent if folders else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server for this run of the tests, on a UNIX socket only."""
    binaries = _binaries()
    if binaries is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have a PostgreSQL server (Debian: apt install postgresql)")
        pytest.skip("no PostgreSQL server is installed (Debian: apt install postgresql)")
    # The server refuses to run as root, and the path of its socket must be short.
    owner = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="yoddd-pg-") as name:
        folder = Path(name)
        if owner is not None:
            shutil.chown(folder, owner)
        data = folder / "data"

        def run(program: str, *words: str) -> None:
            subprocess.run(
                [binaries / program, *words],
                user=owner,
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                timeout=60,
            )

        run("initdb", "-D", str(data), "-U", "yoddd", "-A", "trust", "-E", "UTF8", "--no-locale")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        log = str(folder / "log")
        run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-l", log, "-o", options, "start")
        yield f"postgresql://yoddd@/postgres?host={folder}"
        run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-m", "immediate", "stop")


@pytest.fixture
def database(postgres: str) -> str:
    """The URL of a database of the test's own in that server."""
    name = f"d{next(_NUMBERS)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return postgres.replace("/postgres?", f"/{name}?")
