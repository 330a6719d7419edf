"""Requests for short time slices; the rest of the scheduling stays as it is."""

from __future__ import annotations

import errno
import os
import platform
import threading

import pytest

from yoddd.daemon.base.reactor_runner import request_short_slices


def request_in_thread() -> tuple[bool, list[tuple[int, int]]]:
    """Return the result in a new thread, with its policy and nice value before and after."""
    granted: list[bool] = []
    found: list[tuple[int, int]] = []

    def ask() -> None:
        found.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))
        granted.append(request_short_slices())
        found.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return granted[0], found


def test_request_on_an_unknown_machine_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    granted, (before, after) = request_in_thread()
    assert not granted
    assert before == after


def test_request_with_a_c_library_without_policies_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_pid: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "sched_getscheduler", refuse)
    assert not request_short_slices()
