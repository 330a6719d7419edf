"""The ring of a test, and the guard of the gate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.rings import Guard, place


def item(path: str, module: str = "", function: str = "") -> pytest.Item:
    """A test with the marks of its module and its own, by name."""
    nodes = [
        SimpleNamespace(own_markers=[getattr(pytest.mark, name).mark for name in marks.split()])
        for marks in (module, function)
    ]
    found: Any = SimpleNamespace(
        nodeid=f"tests/{path}::test_it",
        listchain=lambda: nodes,
        iter_markers=lambda: [mark for node in reversed(nodes) for mark in node.own_markers],
    )
    return cast("pytest.Item", found)


@pytest.mark.parametrize(
    ("path", "module", "function", "ring"),
    [
        ("rules/test_a.py", "", "", "gate"),
        ("daemon/base/test_a.py", "", "", "gate"),
        ("rules/test_a.py", "", "whole", "whole"),
        ("web/test_a.py", "browser whole", "gate", "gate"),
        ("daemon/test_a.py", "process whole", "", "whole"),
        ("daemon/test_a.py", "gate", "process watch", "watch"),
    ],
)
def test_place_is_the_closest_mark_or_the_folder(
    path: str, module: str, function: str, ring: str
) -> None:
    assert place(item(path, module, function)) == (ring, "")


@pytest.mark.parametrize(
    ("path", "function", "problem"),
    [
        ("test_a.py", "", "has no ring"),
        ("daemon/test_a.py", "", "has no ring"),
        ("new/test_a.py", "", "has no ring"),
        ("rules/test_a.py", "process", "has no ring"),
        ("rules/test_a.py", "gate whole", "has 2 rings: gate, whole"),
    ],
)
def test_place_without_one_ring_is_a_problem_in_the_gate(
    path: str, function: str, problem: str
) -> None:
    ring, said = place(item(path, "", function))
    assert ring == "gate"
    assert said.startswith(problem)


def test_guard_notes_programs_and_internet_sockets() -> None:
    guard = Guard()
    guard._see("os.fork", ())
    assert guard.seen is None
    guard.seen = []
    guard._see("socket.connect", (None, ("127.0.0.1", 1)))
    guard._see("socket.connect", (None, "/run/a.socket"))
    guard._see("open", ("a", "r", 0))
    guard._see("subprocess.Popen", ())
    assert guard.seen == ["socket.connect", "subprocess.Popen"]
