"""Lines of the log."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event, Thread
from typing import Any, cast

from twisted.internet.task import Clock
from twisted.logger import ILogObserver, LogEvent, LogLevel, eventAsText, globalLogPublisher
from twisted.python.failure import Failure

from tests.support.programs import PATIENCE
from yoddd.daemon.base.process.logs import (
    CAPACITY,
    PERIOD,
    FaultThrottle,
    LineWriter,
    format_json,
    writer_to,
)


def test_format_json_includes_plain_fields_only() -> None:
    event: dict[str, Any] = {
        "log_time": 0.5,
        "log_level": LogLevel.warn,
        "log_namespace": "yoddd.daemon.connections.connection",
        "log_format": "closing {number}: {reason}",
        "number": 3,
        "reason": 'said "ä"\nand left',
        "peer": object(),
    }
    text = format_json(event)
    assert "\n" not in text
    assert json.loads(text) == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "warn",
        "logger": "yoddd.daemon.connections.connection",
        "message": 'closing 3: said "ä"\nand left',
        "number": 3,
        "reason": 'said "ä"\nand left',
    }


def failing(text: str) -> LogEvent:
    try:
        json.loads(text)[0]
    except (KeyError, ValueError):
        return {"log_failure": Failure(), "log_level": LogLevel.critical}
    raise AssertionError(text)


def test_fault_throttle_passes_faults_of_a_place_once_a_period_and_then_their_number() -> None:
    seen: list[LogEvent] = []
    clock = Clock()
    throttle = FaultThrottle(cast("ILogObserver", seen.append), clock.seconds)
    globalLogPublisher.addObserver(throttle)
    for _ in range(1000):
        throttle(failing("{}"))
    throttle(failing("{"))
    plain: LogEvent = {"log_format": "x"}
    throttle(plain)
    assert [event.get("log_failure") is not None for event in seen] == [True, True, False]
    clock.advance(PERIOD)
    throttle(failing("{}"))
    globalLogPublisher.removeObserver(throttle)
    number, again = seen[3:]
    assert eventAsText(number, includeTimestamp=False, includeSystem=False).startswith(
        "999 more faults at test_logs.py:"
    )
    assert again["log_failure"].type is KeyError


class SlowFile:
    """A file that blocks each write until ``is_read`` is set, or refuses it if it ``is_broken``."""

    def __init__(self) -> None:
        self.is_read = Event()
        self.is_broken = False
        self.is_written = Event()
        self.text = ""
        self.lines = LineWriter(self._write, lambda count: self.lines.write(f"{count} dropped\n"))

    def _write(self, text: str) -> None:
        self.is_written.set()
        self.is_read.wait()
        if self.is_broken:
            raise BrokenPipeError
        self.text += text

    def read(self) -> str:
        """Let every write return, and wait for them."""
        self.is_read.set()
        assert self.lines.wait(PATIENCE)
        return self.text


def test_line_writer_drops_lines_beyond_its_capacity_and_tells_their_number_in_their_place() -> (
    None
):
    file = SlowFile()
    file.lines.write("first\n")
    assert file.is_written.wait(PATIENCE)
    long = "x" * (CAPACITY - 1)
    file.lines.write(long)
    for line in ("yy", "z"):  # the second has space left, but would overtake the first
        file.lines.write(line)
    assert file.lines.dropped == 2
    assert not file.lines.wait(0)
    assert file.read() == f"first\n{long}2 dropped\n"
    file.lines.write("last\n")
    assert file.read().endswith("2 dropped\nlast\n")
    assert file.lines.dropped == 2


def test_line_writer_counts_lines_that_could_not_be_written_and_goes_on() -> None:
    file = SlowFile()
    file.is_broken = True
    for _ in range(2):
        file.lines.write("lost\n")
        assert file.read() == ""
    file.is_broken = False
    file.lines.write("kept\n")
    assert file.read() == "kept\n2 dropped\n"


def test_writer_to_writes_to_files_and_ignores_closed_streams(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w", encoding="ascii") as stream:
        writer_to(stream)("ä\n")
    writer_to(None)("lost\n")
    assert (tmp_path / "log").read_bytes() == b"\\xe4\n"


def test_writer_to_waits_for_pipes_that_do_not_block() -> None:
    source, target = os.pipe()
    os.set_blocking(target, False)
    with os.fdopen(source) as read, os.fdopen(target, "w") as stream:
        text = "x" * CAPACITY
        writing = Thread(target=writer_to(stream), args=(text,))
        writing.start()
        assert read.read(CAPACITY) == text
        writing.join()
