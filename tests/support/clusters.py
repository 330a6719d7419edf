"""Schedulers and workers of dask.distributed in processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 20.0
"""Seconds that a scheduler may take to end."""


@contextmanager
def scheduling(*options: str) -> Iterator[str]:
    """The address of a scheduler."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-dashboard", "--host", "127.0.0.1", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        match = re.search(r"Scheduler at:\s+((?:tcp|tls)://\S+)", line)
        if match:
            break
    else:
        raise AssertionError("no scheduler")
    try:
        yield match[1]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


@contextmanager
def working_here() -> Iterator[str]:
    """The address of a scheduler with one worker, of two threads, in this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


def start_worker(address: str, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    """A worker without a nanny, which would start it again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
    return subprocess.Popen(
        [*command, "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
