"""The attached engines by name, and the games that wait for them."""

from __future__ import annotations

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry


class Link(EngineLink):
    """An engine without a connection."""

    closed = False

    def send(self, data: bytes) -> None:
        """Ignore requests."""

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry(Clock().seconds)


def result_of(waiting: Deferred[EngineLink]) -> list[EngineLink]:
    found: list[EngineLink] = []
    waiting.addCallback(found.append)
    return found


def test_add_refuses_a_name_that_is_taken(registry: EngineRegistry) -> None:
    first, other = Link("ann"), Link("ann")
    assert registry.add(first) is None
    assert registry.add(other) == "the name ann is taken"
    registry.remove(other)
    assert registry.names == ["ann"]
    registry.remove(first)
    assert registry.add(Link("ann")) is None


def test_game_that_goes_on_takes_an_engine_before_those_that_have_not_begun(
    registry: EngineRegistry,
) -> None:
    fresh, begun = result_of(registry.wait("ann")), result_of(registry.wait("ann", goes_on=True))
    link = Link("ann")
    registry.add(link)
    assert (fresh, begun) == ([], [link])
    registry.free(link)
    assert fresh == [link]


def test_names_are_sorted_and_free_names_leave_out_busy_engines(registry: EngineRegistry) -> None:
    links = {name: Link(name) for name in ("dan", "bob", "cid", "ann")}
    for link in links.values():
        registry.add(link)
    links["bob"].taken = True
    links["cid"].ask("name")
    assert registry.names == ["ann", "bob", "cid", "dan"]
    assert registry.free_names == ["ann", "dan"]


def test_free_passes_an_engine_to_the_game_that_has_waited_longest(
    registry: EngineRegistry,
) -> None:
    first, second = result_of(registry.wait("ann")), result_of(registry.wait("ann"))
    link = Link("ann")
    registry.add(link)
    assert (first, second) == ([link], [])
    registry.free(link)
    assert (second, link.taken) == ([link], True)
    registry.free(link)
    assert not link.taken


def test_wait_that_is_cancelled_gets_no_engine(registry: EngineRegistry) -> None:
    cancelled, waiting = registry.wait("ann"), registry.wait("ann")
    cancelled.addErrback(lambda failure: failure.trap(CancelledError))
    cancelled.cancel()
    link = Link("ann")
    registry.add(link)
    assert result_of(waiting) == [link]
    assert registry._waiting == {}
