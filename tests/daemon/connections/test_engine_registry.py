"""The attached engines by name, and the games that wait for them."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.protocol.origin import Origin


class Link(EngineLink):
    """An engine without a connection."""

    closed = False

    def __init__(
        self,
        name: str,
        copy: int = 1,
        secret: str | None = None,
        user: str = "",
        place: str = "192.0.2.1",
    ) -> None:
        super().__init__(name)
        owner = Origin(user or None, place)
        self.attachment = Attachment(name, owner, secret=secret, copy=copy)

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


def test_names_are_sorted_and_busy_engines_are_not_free(registry: EngineRegistry) -> None:
    links = {name: Link(name) for name in ("dan", "bob", "cid", "ann")}
    for link in links.values():
        registry.add(link)
    links["bob"].taken = True
    links["cid"].ask("name")
    assert registry.names == ["ann", "bob", "cid", "dan"]
    assert [*filter(registry.is_free, registry.names)] == ["ann", "dan"]


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


@pytest.mark.parametrize("by", [{"secret": "s" * 16}, {"user": "ann"}])
def test_copies_of_an_engine_play_a_game_each(registry: EngineRegistry, by: dict[str, str]) -> None:
    copies = [Link("Ann", number, **by) for number in (2, 1, 3)]
    waiting = [result_of(registry.wait("ann")) for _ in range(4)]
    assert [registry.add(link) for link in copies] == [None] * 3
    assert waiting == [[copies[0]], [copies[1]], [copies[2]], []]
    assert (registry.names, registry.is_free("ann"), registry.count("ann")) == (["Ann"], False, 3)
    for other in (Link("ann", 4), Link("ann", 4, "t" * 16), Link("ann", 4, user="bob")):
        assert registry.add(other) == "the name ann is taken"
    registry.remove(copies[1])
    assert registry.find("ann") is copies[0]
    registry.free(copies[2])
    assert waiting[3] == [copies[2]]
    for link in (copies[0], copies[2]):
        registry.remove(link)
    assert registry.find("ann") is None
    assert "is kept for its engine" in str(registry.add(Link("ann", place="192.0.2.2")))


def test_copy_replaces_only_the_connection_with_its_number(registry: EngineRegistry) -> None:
    first, second, again = (Link("ann", number, "s" * 16) for number in (1, 2, 2))
    assert [registry.add(link) for link in (first, second, again)] == [None] * 3
    assert (first.closed, second.closed, again.closed) == (False, True, False)
    assert registry.count("ann") == 2
