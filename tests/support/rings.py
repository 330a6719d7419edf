"""Gives each test its ring, which says when it runs, and keeps the gate free of real time.

The rings are ``gate`` (each landing), ``whole`` (``make check``) and ``watch`` (each night); see
docs/lab/testing.md. The closest mark counts, so that a function can differ from its module.
Without a mark the folder decides, if it is one of `IN_PROCESS`.

A test of the gate that starts a program or uses an internet socket without being marked ``process``
or ``browser`` fails: it would wait for others where tests are expected not to.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from typing import Final

import pytest

RINGS: Final = ("gate", "whole", "watch")
OUTSIDE: Final = frozenset({"process", "browser"})
"""Kinds of tests that use more than their own process."""

IN_PROCESS: Final = frozenset(
    {
        *("aio", "board", "cli", "engine", "fuzz", "kernel", "library", "notation"),
        *("pictures", "plots", "protocol", "referee", "rules", "store", "support"),
        *(
            f"daemon/{folder}"
            for folder in ("base", "connections", "lobby", "net", "pages", "play", "runs")
        ),
    }
)
"""Folders below tests/ whose tests belong to the gate unless a mark says otherwise."""

_FORBIDDEN: Final = frozenset(
    {"os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}
)

# Why a test has no place in a ring; set at collection, read when it runs.
_PROBLEM: Final = pytest.StashKey[str]()


def _rings(marks: Iterable[pytest.Mark]) -> list[str]:
    return sorted({mark.name for mark in marks if mark.name in RINGS})


def place(item: pytest.Item) -> tuple[str, str]:
    """Return the ring of a test, and what is wrong with its marks or an empty text."""
    for node in reversed(item.listchain()):
        found = _rings(node.own_markers)
        if len(found) > 1:
            return "gate", f"has {len(found)} rings: {', '.join(found)}"
        if found:
            return found[0], ""
    folder = item.nodeid.partition("::")[0].removeprefix("tests/").rpartition("/")[0]
    is_known = any(f"{folder}/".startswith(f"{known}/") for known in IN_PROCESS)
    if is_known and not OUTSIDE & {mark.name for mark in item.iter_markers()}:
        return "gate", ""
    return "gate", f"has no ring: mark it {', '.join(RINGS[:-1])} or {RINGS[-1]}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave each test with the one mark of its ring, so that ``-m gate`` selects exactly that."""
    places = [place(item) for item in items]
    for item in items:
        for node in item.listchain():
            node.own_markers[:] = [mark for mark in node.own_markers if mark.name not in RINGS]
    for item, (ring, problem) in zip(items, places, strict=True):
        item.add_marker(ring)
        if problem:
            item.stash[_PROBLEM] = problem


class Guard:
    """Notes what a test does outside of its process."""

    def __init__(self) -> None:
        """Watch from now on; an audit hook cannot be removed."""
        # What the running test did, or None while no test runs that may not.
        self.seen: list[str] | None = None
        sys.addaudithook(self._see)

    def _see(self, event: str, args: tuple[object, ...]) -> None:
        if self.seen is None:
            return
        is_internet = event in ("socket.bind", "socket.connect") and isinstance(args[1], tuple)
        if is_internet or event in _FORBIDDEN:
            self.seen.append(event)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test without a ring, and one of the gate that is no test in its process."""
        if problem := item.stash.get(_PROBLEM, ""):
            pytest.fail(problem, pytrace=False)
        names = {mark.name for mark in item.iter_markers()}
        self.seen = [] if "gate" in names and not OUTSIDE & names else None
        try:
            result = yield
            seen = self.seen
        finally:
            self.seen = None
        if seen:
            pytest.fail(f"leaves its process ({seen[0]}): mark it `process`", pytrace=False)
        return result


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of this process."""
    config.pluginmanager.register(Guard())
