"""Starts the programs of the tests, with standard error in a file.

A pipe that a test reads only at the end fills up when the machine is busy and the program writes a
line a second; the program then stands still in its next write, and every test after it fails.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TextIO

YODDD: Final = (sys.executable, "-m", "yoddd")
"""The command line of the program under test."""

PATIENCE: Final = 120.0
"""Seconds that a test waits at most for what must come; costs nothing when it comes."""


class Program(subprocess.Popen[str]):
    """A program with text on its pipes, which ends at the latest with its ``with`` block.

    Attributes:
        stdin: what it reads, if it was started with ``stdin=True``.
        stdout: what it prints.
    """

    stdin: TextIO
    stdout: TextIO

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        stdin: bool = False,
        stdout: int | None = subprocess.PIPE,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        new_session: bool = False,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Start a program.

        Args:
            command: the program and its arguments.
            stdin: whether the test writes to it.
            stdout: where its output goes; `subprocess.DEVNULL` where no test reads it.
            env: its whole environment; that of the tests by default.
            cwd: the folder that it starts in.
            new_session: whether it leads a session, and a group of processes, of its own.
            pass_fds: the files that stay open in it, by number.
        """
        self._said = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — open as long as the program
        super().__init__(
            command,
            stdin=subprocess.PIPE if stdin else None,
            stdout=stdout,
            stderr=self._errors,
            env=env,
            cwd=cwd,
            text=True,
            bufsize=1,
            start_new_session=new_session,
            pass_fds=pass_fds,
        )

    def error_text(self) -> str:
        """Return all that it has written to standard error so far."""
        if not self._errors.closed:
            # Not by seeking: the program writes where the file's one position is.
            number = self._errors.fileno()
            self._said = os.pread(number, os.fstat(number).st_size, 0).decode()
        return self._said

    def error_lines(self) -> Iterator[str]:
        """Yield the lines of standard error, waiting for each; ends with the program.

        Raises:
            TimeoutError: no line came within `PATIENCE`.
        """
        count, deadline = 0, time.monotonic() + PATIENCE
        while True:
            has_ended = self.poll() is not None
            lines = self.error_text().splitlines(keepends=True)
            for line in lines[count:]:
                if line.endswith("\n"):
                    yield line
                    count, deadline = count + 1, time.monotonic() + PATIENCE
            if has_ended:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"no further line: {lines}")
            time.sleep(0.02)

    def rest(self, patience: float = PATIENCE) -> tuple[str, str]:
        """Wait for its end; return what it printed from now on, and all of standard error."""
        printed, _ = self.communicate(timeout=patience)
        return printed or "", self.error_text()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Kill it if it still runs, and close its pipes."""
        self.kill()
        super().__exit__(exc_type, value, traceback)
        self.error_text()
        self._errors.close()


def run(
    *command: str | Path, given: str | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, which comes within `PATIENCE`."""
    text = None if given is None else given.encode()
    done = subprocess.run(
        command, input=text, cwd=cwd, capture_output=True, timeout=PATIENCE, check=False
    )
    # Line ends stay as they are: a bot that writes CR LF is wrong.
    printed = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, *printed)


def output_of(*command: str | Path, given: str | None = None, cwd: Path | None = None) -> str:
    """Run a program, which has to succeed, and return what it prints."""
    done = run(*command, given=given, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def free_port() -> int:
    """A port that is free and stays so: the system gives none of these to a connection."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def until(done: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Poll until ``done`` holds; fail after ``patience`` seconds."""
    deadline = time.monotonic() + patience
    while not done():
        assert time.monotonic() < deadline, "it never comes"
        time.sleep(0.02)
