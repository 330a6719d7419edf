"""A child process and its two pipes: bytes out, and bytes in with a deadline.

`clients/python/yoddd_client.py` repeats some of it, as a single file to copy that imports nothing
from yoddd.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from yoddd.client.errors import EngineGone, EngineTimeout
from yoddd.system import PipeReader, describe_exit


class Pipes:
    """The process of an engine."""

    def __init__(
        self,
        command: str | Sequence[str],
        cwd: Path | None,
        env: Mapping[str, str],
        stderr: int | None = None,
    ) -> None:
        """Start it.

        Args:
            command: the words, or a command line to be split as a shell would; no shell is run.
            cwd: its working folder; None for ours.
            env: environment variables besides our own.
            stderr: the file descriptor of its standard error; None for ours.

        Raises:
            EngineGone: there is no such program, or it may not be run.
        """
        words = shlex.split(command) if isinstance(command, str) else list(command)
        pipe = subprocess.PIPE
        try:
            # The command is the caller's own, as with subprocess itself.
            self.process = subprocess.Popen(
                words,
                stdin=pipe,
                stdout=pipe,
                stderr=stderr,
                bufsize=0,
                cwd=cwd,
                env=os.environ | dict(env),
            )
        except (OSError, IndexError) as error:
            raise EngineGone(f"cannot start {shlex.join(words)!r}: {error}") from None
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise EngineGone("the process has no pipes")
        self._in = stdin
        self._reader = PipeReader(stdout)
        # Whether its standard output has ended.
        self._at_end = False

    def send(self, data: bytes) -> None:
        """Write to its standard input.

        Raises:
            EngineGone: the engine has closed it.
        """
        try:
            self._in.write(data)
        except (OSError, ValueError):
            raise EngineGone(f"the engine has ended: {self.how_ended()}") from None

    def receive(self, seconds: float | None) -> bytes:
        """Return bytes from its standard output, at least one.

        Raises:
            EngineTimeout: no byte came within ``seconds``; None waits without limit.
            EngineGone: it has closed its standard output.
        """
        found = None if self._at_end else self._reader.next(seconds)
        if found is None and not self._at_end:
            raise EngineTimeout(f"no answer within {seconds:g} s")
        if not found:
            self._at_end = True
            raise EngineGone(f"the engine has ended: {self.how_ended()}")
        return found

    def close_input(self) -> None:
        """Close its standard input."""
        with contextlib.suppress(OSError):
            self._in.close()

    def how_ended(self) -> str:
        """Describe the end of a process that has closed one of its pipes."""
        try:
            return describe_exit(self.process.wait(1.0))
        except subprocess.TimeoutExpired:
            return "it closed its output"

    def close(self, patience: float) -> int:
        """Close the pipes, kill the process after ``patience`` seconds, return its exit status."""
        self._reader.close()
        self.close_input()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.wait()

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
