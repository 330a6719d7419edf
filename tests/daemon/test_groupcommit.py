"""Many writes in one commit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import DeferredList
from twisted.internet.task import deferLater

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.group_commit import GroupCommit

reactor = cast("Reactor", installed)


class Slow:
    """Writes batches; the first waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go = threading.Event()
        self.groups: list[GroupCommit[int]] = []

    def group(self) -> GroupCommit[int]:
        self.groups.append(GroupCommit(reactor, "test", self.write))
        return self.groups[-1]

    def write(self, batch: list[int]) -> list[object]:
        self.go.wait(20)
        self.batches.append(batch)
        if 13 in batch:
            raise OSError("disk full")
        return [ValueError(item) if item < 0 else item * 2 for item in batch]


@pytest.fixture
def slow() -> Iterator[Slow]:
    """Also lets its thread go at the end: one that waits would keep the whole run."""
    slow = Slow()
    yield slow
    slow.go.set()
    for group in slow.groups:
        group.close()


@ensureDeferred
async def test_what_comes_while_a_batch_is_written_goes_into_the_next_in_order(slow: Slow) -> None:
    group = slow.group()
    done = [group.commit(number) for number in range(3)]
    while group.pending:
        await deferLater(reactor, 0)
    done += [group.commit(number) for number in range(3, 10)]
    assert len(done) - group.pending == 3
    slow.go.set()
    outcomes = await DeferredList(done)
    assert slow.batches == [[0, 1, 2], list(range(3, 10))]
    assert outcomes == [(True, number * 2) for number in range(10)]


@ensureDeferred
async def test_an_item_fails_alone_and_a_batch_that_cannot_be_kept_fails_whole(slow: Slow) -> None:
    slow.go.set()
    group = slow.group()
    outcomes = await DeferredList([group.commit(n) for n in (1, -1, 2)], consumeErrors=True)
    assert [ok for ok, _ in outcomes] == [True, False, True]
    outcomes = await DeferredList([group.commit(n) for n in (3, 13, 4)], consumeErrors=True)
    assert [ok for ok, _ in outcomes] == [False] * 3
    assert await group.commit(5) == 10


@ensureDeferred
async def test_closing_lets_what_is_being_written_come_to_its_end(slow: Slow) -> None:
    group = slow.group()
    done = group.commit(1)
    while group.pending:
        await deferLater(reactor, 0)
    threading.Timer(0.05, slow.go.set).start()
    slow.groups.pop().close()
    assert await done == 2
