"""Schedulers and workers of dask.distributed in processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE, Program


@contextmanager
def scheduling(*options: str) -> Iterator[str]:
    """The address of a scheduler."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    with Program([*command, "--no-dashboard", "--host", "127.0.0.1", *options]) as process:
        for line in process.error_lines():
            match = re.search(r"Scheduler at:\s+((?:tcp|tls)://\S+)", line)
            if match:
                break
        else:
            raise AssertionError("no scheduler")
        yield match[1]
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def working_here() -> Iterator[str]:
    """The address of a scheduler with one worker, of two threads, in this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@contextmanager
def working(address: str, folder: Path, *options: str) -> Iterator[Program]:
    """A worker without a nanny, which would start it again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
    command += ["--nthreads", "1", "--no-dashboard", "--local-directory", str(folder), *options]
    with Program(command, stdout=subprocess.DEVNULL, new_session=True) as process:
        yield process
        process.terminate()  # it writes its coverage
        process.wait(PATIENCE)
