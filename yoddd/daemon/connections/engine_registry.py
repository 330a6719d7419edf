"""The attached engines of a daemon, by name."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.connections.engine_link import EngineLink


class EngineRegistry:
    """The engines that have attached to this daemon, by name."""

    def __init__(self) -> None:
        """Nobody is there yet."""
        self._links: dict[str, EngineLink] = {}
        self._seen: set[str] = set()
        self._waiting: dict[str, list[Deferred[EngineLink]]] = {}

    @property
    def names(self) -> list[str]:
        """Who is attached."""
        return sorted(self._links)

    @property
    def free_names(self) -> list[str]:
        """Who is attached and has nothing to do."""
        links = self._links.items()
        return sorted(name for name, link in links if link.idle and not link.taken)

    def add(self, link: EngineLink) -> str | None:
        """Take in an engine; the answer says why not."""
        if link.name in self._links:
            return f"the name {link.name} is taken"
        self._links[link.name] = link
        self._seen.add(link.name)
        self.free(link)
        return None

    def has_seen(self, name: str) -> bool:
        """Whether an engine of this name is attached or was so before."""
        return name in self._seen

    def remove(self, link: EngineLink) -> None:
        """Forget an engine that has gone."""
        if self._links.get(link.name) is link:
            del self._links[link.name]

    def part_from_free(self) -> None:
        """Part from whoever has nothing to do; they may dial in again."""
        for name in self.free_names:
            self._links[name].close()

    def free(self, link: EngineLink) -> None:
        """Nobody has this engine now: whoever has waited longest for it gets it."""
        link.taken = False
        waiting = self._waiting.get(link.name)
        if waiting:
            link.taken = True
            waiting.pop(0).callback(link)

    def wait(self, name: str) -> Deferred[EngineLink]:
        """The engine called ``name``, taken, as soon as it is there and free.

        The Deferred can be cancelled.
        """
        link = self._links.get(name)
        if link is not None and link.idle and not link.taken:
            link.taken = True
            return succeed(link)
        waiting: Deferred[EngineLink] = Deferred(lambda gone: self._forget(name, gone))
        self._waiting.setdefault(name, []).append(waiting)
        return waiting

    def _forget(self, name: str, waiting: Deferred[EngineLink]) -> None:
        self._waiting[name].remove(waiting)
