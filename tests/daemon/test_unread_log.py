"""A daemon whose standard error is a pipe that its supervisor does not read, or closed."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import Peer
from tests.support.programs import PATIENCE, YODDD, Program

pytestmark = [pytest.mark.process, pytest.mark.gate]


def dropped(port: int) -> float:
    """The number of lines of the log that the daemon has dropped."""
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as reply:
        text = reply.read().decode()
    return float(re.findall(r"^yoddd_log_dropped_total (.+)$", text, re.MULTILINE)[0])


def test_daemon_with_unread_log_answers_and_ends(tmp_path: Path) -> None:
    file = tmp_path / "yoddd.toml"
    where = "tcp:0:interface=127.0.0.1"
    file.write_text(f"listen = ['{where}']\nhttp = '{where}'\nlog.format = 'json'\n")
    # Not a `Program`, whose standard error is a file: it never fills up.
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [*YODDD, "serve", "--config", str(file)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        stack.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        ports = [int(re.findall(rb":(\d+)", process.stdout.readline())[-1]) for _ in range(2)]
        peer = stack.enter_context(closing(Peer(ports[0])))

        def make_lines(count: int) -> None:
            for _ in range(count):
                process.send_signal(signal.SIGHUP)
                assert peer.ask("name") == "= yoddd"

        # With an unknown key of 60,000 characters in the file, each reload logs that many.
        file.write_text("x" * 60_000 + " = 1\n")
        while not dropped(ports[1]):
            make_lines(5)
        lines = map(json.loads, process.stderr)
        count = next(line["count"] for line in lines if "were dropped" in line["message"])
        assert count == dropped(ports[1])
        make_lines(5)  # fills the pipe again
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_daemon_with_closed_log_ends_on_sigterm() -> None:
    words = [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", "--no-http"]
    with Program(["sh", "-c", 'exec "$@" 2>&-', "sh", *words]) as process:
        assert process.stdout.readline().startswith("listening on ")
        process.terminate()
        assert process.wait(PATIENCE) == 0
