"""The starts of a run, which its folder keeps: when, where and by which command."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

import attrs

import yoddd
from yoddd.daemon.runs.archive import STARTS, RunError
from yoddd.kernel import backend
from yoddd.notation.text import printable
from yoddd.referee.tournament.conditions import Start
from yoddd.system import processors


def this_start(concurrency: int) -> Start:
    """The present start, in this process."""
    program = Path(sys.argv[0]).name.replace("__main__.py", "yoddd")
    kernel = "native kernel" if backend().is_native else "plain rules"
    return Start(
        date=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=printable(shlex.join([program, *sys.argv[1:]])),
        machine=f"{platform.platform()}, {_processor()}, {processors()} threads",
        program=f"yoddd {yoddd.__version__} ({kernel}), Python {platform.python_version()}",
        concurrency=concurrency,
    )


def _processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def note_start(folder: Path, start: Start) -> None:
    """Add a start to the starts of a folder.

    Raises:
        RunError: it cannot be written.
    """
    try:
        with (folder / STARTS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(attrs.asdict(start)) + os.linesep)
    except OSError as error:
        raise RunError(f"{folder / STARTS}: {error.strerror or error}") from None


def read_starts(folder: Path) -> list[Start]:
    """The starts of a run, the first one first; a line that is none is left out."""
    try:
        lines = (folder / STARTS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in lines:
        try:
            found.append(Start(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found
