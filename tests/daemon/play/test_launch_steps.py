"""The launcher where there is no guard, on a system that only records its steps."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from yoddd.daemon.play import launch


class Exited(Exception):
    """The process would have exited with a status."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The calls so far."""
    calls: list[tuple[object, ...]] = []

    def leave(status: int) -> None:
        raise Exited(status)

    def execute(program: str, command: list[str]) -> None:
        if program == "missing":
            raise FileNotFoundError(2, "No such file or directory")
        calls.append(("exec", *command))

    def limit(number: int, values: tuple[int, int]) -> None:
        if values[0] > 1000:
            raise ValueError("not allowed to raise maximum limit")
        calls.append((number, values))

    monkeypatch.setattr(os, "setsid", lambda: calls.append(("setsid",)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, cpus: calls.append(tuple(cpus)))
    monkeypatch.setattr(os, "execvp", execute)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(resource, "setrlimit", limit)
    return calls


def test_launcher_leads_a_session_within_limits_and_becomes_the_program(
    calls: list[tuple[object, ...]],
) -> None:
    launch.main(["parent=1", "cpu=30", "cpus=1,2", "--", "engine", "--", "--fast"])
    limit = (resource.RLIMIT_CPU, (30, 30))
    assert calls == [("setsid",), limit, (1, 2), ("exec", "engine", "--", "--fast")]


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["--", "missing"], launch.NOT_FOUND, "missing: No such file or directory\n"),
        (["files=2000", "--", "engine"], launch.NOT_CONFINED, "cannot be confined: not allowed"),
    ],
)
def test_launcher_that_starts_nothing_tells_the_referee(
    calls: list[tuple[object, ...]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: list[str],
    status: int,
    text: str,
) -> None:
    with (tmp_path / "report").open("wb") as report, pytest.raises(Exited, match=f"^{status}$"):
        launch.main([f"report={report.fileno()}", *words])
    assert (tmp_path / "report").read_bytes() == b"not started"
    assert capsys.readouterr().err.startswith(text)
    assert calls == [("setsid",)]
