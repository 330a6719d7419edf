"""Short slices: asked for politely, and nothing else is changed."""

from __future__ import annotations

import os
import platform
import threading

import pytest

from yoddd.daemon.base.scheduling import be_prompt


def in_a_thread() -> tuple[bool, list[tuple[int, int]]]:
    """What is granted to a thread of its own, and how it is scheduled before and after."""
    granted: list[bool] = []
    ways: list[tuple[int, int]] = []

    def ask() -> None:
        ways.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))
        granted.append(be_prompt())
        ways.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return granted[0], ways


def test_policy_and_nice_value_stay() -> None:
    _, (before, after) = in_a_thread()
    assert before == after


def test_on_an_unknown_machine_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    granted, (before, after) = in_a_thread()
    assert not granted
    assert before == after
