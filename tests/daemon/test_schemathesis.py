"""schemathesis asks a running daemon what its OpenAPI document promises."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.daemon.conftest import serving
from tests.daemon.stores import make_store
from tests.daemon.test_http_api import add_rated_game
from tests.support.runs import write_archive
from yoddd.daemon.pages.openapi import load_document
from yoddd.store.database import read_url
from yoddd.store.store import Store

pytestmark = [pytest.mark.process, pytest.mark.whole]


@contextmanager
def running(folder: Path, *options: str) -> Iterator[str]:
    """A daemon with a finished rated game and a run."""
    write_archive(folder / "runs" / "cup")
    path = str(make_store(folder / "store.sqlite"))
    with closing(Store(read_url(path))) as store:
        add_rated_game(store)
    words = ["--http", "tcp:0:interface=127.0.0.1", "--store", path]
    with serving(*words, "--runs", str(folder / "runs"), *options) as daemon:
        yield f"127.0.0.1:{daemon.ports[0]}"


def check(address: str, folder: Path, *options: str) -> None:
    """Let schemathesis look for half a minute, always by the same requests."""
    program = str(Path(sys.executable).with_name("schemathesis"))
    # The document from the sources: behind the log-in the daemon does not hand it out.
    (folder / "openapi.json").write_text(json.dumps(load_document()))
    words = f"run openapi.json --url http://{address} --checks all --seed 1 --max-examples 30"
    more = "--generation-database none --no-color --max-time 30"
    done = subprocess.run(
        [program, *words.split(), *more.split(), *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("daemon", "options"),
    # The wall asks who it is before it looks at the method.
    [((), ()), (("--login",), ("--exclude-checks", "unsupported_method"))],
)
def test_openapi_document_agrees_with_the_server(
    tmp_path: Path, daemon: tuple[str, ...], options: tuple[str, ...]
) -> None:
    with running(tmp_path, *daemon) as address:
        check(address, tmp_path, *options)
