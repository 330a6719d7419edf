"""Start and stop of a tree of asynchronous services."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.python.failure import Failure

from yoddd.daemon.base.process.async_service import AsyncService, ServiceTree


class Child(AsyncService):
    """Logs its steps; `started` and `stopped` fire when a test lets it go on."""

    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__()
        self.name = name
        self.started: Deferred[None] = succeed(None)
        self.stopped: Deferred[None] = succeed(None)
        self._log = log

    async def start(self) -> None:
        self._log.append(f"start {self.name}")
        await self.started
        self._log.append(f"{self.name} is ready")

    async def stop(self) -> None:
        self._log.append(f"stop {self.name}")
        await self.stopped
        self._log.append(f"{self.name} is stopped")


class Tree:
    """Three services below a tree, and what they and the tree report."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.root = ServiceTree()
        self.a, self.b, self.c = (Child(name, self.log) for name in "abc")
        self.root.services += [self.a, self.b, self.c]


@pytest.fixture
def tree() -> Tree:
    return Tree()


def test_tree_starts_each_child_when_the_one_before_is_ready(tree: Tree) -> None:
    tree.b.started = Deferred()
    done = Deferred.fromCoroutine(tree.root.start())
    assert tree.log == ["start a", "a is ready", "start b"]
    assert not done.called
    tree.b.started.callback(None)
    assert tree.log[3:] == ["b is ready", "start c", "c is ready"]
    assert done.called


def test_tree_stops_each_child_when_the_one_behind_is_stopped(tree: Tree) -> None:
    tree.root.startService()
    tree.log.clear()
    tree.b.stopped = Deferred()
    done = tree.root.stopService()
    assert tree.log == ["stop c", "c is stopped", "stop b"]
    assert not done.called
    tree.b.stopped.callback(None)
    assert tree.log[3:] == ["b is stopped", "stop a", "a is stopped"]
    assert done.called


def test_stop_after_a_failed_start_stops_the_failed_child_and_those_before(tree: Tree) -> None:
    tree.b.started = fail(OSError("the port is in use"))
    tree.root.startService()
    failures: list[Failure] = []
    tree.root.ready.addErrback(failures.append)
    assert [one.getErrorMessage() for one in failures] == ["the port is in use"]
    assert tree.log == ["start a", "a is ready", "start b"]
    tree.log.clear()
    assert tree.root.stopService().called
    assert tree.log == ["stop b", "b is stopped", "stop a", "a is stopped"]


def test_stop_during_a_start_stops_the_children_that_have_begun(tree: Tree) -> None:
    tree.b.started = Deferred()
    tree.root.startService()
    tree.log.clear()
    assert tree.root.stopService().called
    assert tree.log == ["stop b", "b is stopped", "stop a", "a is stopped"]
