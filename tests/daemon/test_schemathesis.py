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
from tests.daemon.stores import add_rated_game, make_store
from tests.support.runs import write_archive
from tests.test_extras import bare, link_packages
from yoddd.daemon.pages.openapi import load_document
from yoddd.store.database import read_url
from yoddd.store.store import Store

pytestmark = [pytest.mark.process, pytest.mark.whole]

SEEDS = (1, 2, 3)
WITHOUT_EXTRAS = """
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 405, 409, 429, "5xx"]
"""
"""Statuses that a correct request may get there, besides those of other daemons."""


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
    """Let schemathesis look for a quarter of a minute from each seed."""
    program = str(Path(sys.executable).with_name("schemathesis"))
    # The document from the sources: behind the log-in the daemon does not hand it out.
    (folder / "openapi.json").write_text(json.dumps(load_document()))
    words = f"run openapi.json --url http://{address} --checks all --max-examples 30"
    more = "--generation-database none --no-color --max-time 15"
    for seed in SEEDS:
        done = subprocess.run(
            [program, *words.split(), *more.split(), "--seed", str(seed), *options],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("serve", "options"),
    # The wall asks who it is before it looks at the method.
    [
        ((), ()),
        (("--set", "registration=true"), ()),
        (("--login",), ("--exclude-checks", "unsupported_method")),
    ],
)
def test_openapi_document_agrees_with_the_server(
    tmp_path: Path, serve: tuple[str, ...], options: tuple[str, ...]
) -> None:
    with running(tmp_path, *serve) as address:
        check(address, tmp_path, *options)


def test_openapi_document_agrees_with_a_server_without_extras(
    tmp_path: Path,
) -> None:
    (tmp_path / "packages").mkdir()
    program = "sys.argv[:4] = ['yoddd']; from yoddd.cli import main; main()"
    begin = bare(link_packages(tmp_path / "packages"), program)
    (tmp_path / "schemathesis.toml").write_text(WITHOUT_EXTRAS)
    with serving("--http", "tcp:0:interface=127.0.0.1", below=begin) as daemon:
        # What takes an account lacks its other methods there.
        words = ("--exclude-checks", "allow_header_conformance")
        check(f"127.0.0.1:{daemon.ports[0]}", tmp_path, *words)
