"""The steps of the launcher on a system that only records them."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from yoddd.daemon.play import launch

PARENT = 4711


class Exited(Exception):
    """The process would have exited with a status."""


@attrs.define
class System:
    """The calls so far; ``refused`` of libc fail."""

    calls: list[tuple[object, ...]] = attrs.Factory(list)
    refused: list[int] = attrs.Factory(list)

    def record(self, name: str) -> Callable[..., None]:
        return lambda *args: self.calls.append((name, *args))

    def unshare(self, flags: int) -> int:
        self.calls.append(("unshare", flags))
        return -1 if flags in self.refused else 0

    def prctl(self, option: int, value: int, *_rest: int) -> int:
        self.calls.append(("prctl", option, value))
        return -1 if option in self.refused else 0


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    system = System()

    def leave(status: int) -> None:
        raise Exited(status)

    def execute(program: str, command: list[str]) -> None:
        if program == "missing":
            raise FileNotFoundError(2, "No such file or directory")
        system.calls.append(("exec", *command))

    monkeypatch.setattr(ctypes, "CDLL", lambda *_args, **_words: system)
    monkeypatch.setattr(ctypes, "get_errno", lambda: 1)
    monkeypatch.setattr(os, "setsid", system.record("setsid"))
    monkeypatch.setattr(os, "getppid", lambda: PARENT)
    monkeypatch.setattr(os, "sched_setaffinity", system.record("affinity"))
    monkeypatch.setattr(os, "execvp", execute)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(resource, "setrlimit", system.record("limit"))
    return system


def run(settings: dict[str, Any], program: str = "engine") -> None:
    launch.become({"parent": PARENT, **settings}, [program, "--fast"])


def test_launcher_without_limits_leads_a_session_and_becomes_the_program(system: System) -> None:
    run({"network": True, "cpus": []})
    assert system.calls == [
        ("setsid",),
        ("prctl", launch.PR_SET_PDEATHSIG, 9),
        ("prctl", launch.PR_SET_NO_NEW_PRIVS, 1),
        ("exec", "engine", "--fast"),
    ]


def test_launcher_sets_each_limit_in_its_unit(system: System) -> None:
    run({"cpu": 30, "files": None, "cpus": [1, 2], "network": False})
    assert system.calls[2:-2] == [
        ("limit", resource.RLIMIT_CPU, (30, 30)),
        ("affinity", 0, [1, 2]),
        ("unshare", launch.CLONE_NEWNET),
    ]


def test_launcher_enters_the_control_group_before_the_program_starts(
    system: System, tmp_path: Path
) -> None:
    run({"group": str(tmp_path)})
    assert (tmp_path / "cgroup.procs").read_text() == "0"
    assert system.calls[-1] == ("exec", "engine", "--fast")


def test_launcher_of_a_missing_program_reports_it(
    system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        (tmp_path / "report").open("wb") as report,
        pytest.raises(Exited, match=str(launch.NOT_FOUND)),
    ):
        run({"report": report.fileno()}, "missing")
    assert (tmp_path / "report").read_bytes() == b"not started"
    assert capsys.readouterr().err == "missing: No such file or directory\n"
    assert system.calls[-1][0] == "prctl"


@pytest.mark.parametrize(
    ("refused", "detail"),
    [
        (
            [launch.CLONE_NEWNET, launch.CLONE_NEWNET | launch.CLONE_NEWUSER],
            "cannot be confined: [Errno 1] cannot leave the network",
        ),
        ([launch.PR_SET_NO_NEW_PRIVS], "cannot be confined"),
    ],
)
def test_launcher_that_cannot_confine_starts_nothing(
    system: System, capsys: pytest.CaptureFixture[str], refused: list[int], detail: str
) -> None:
    system.refused = refused
    with pytest.raises(Exited, match=str(launch.NOT_CONFINED)):
        run({"network": False})
    assert detail in capsys.readouterr().err


def test_launcher_with_another_parent_exits_without_an_error(system: System) -> None:
    with pytest.raises(Exited, match=r"^0$"):
        run({"parent": PARENT + 1})
    assert ("exec", "engine", "--fast") not in system.calls
