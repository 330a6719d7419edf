"""The attached engines of a daemon, by name."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.connections.engine_link import EngineLink


class EngineRegistry:
    """The attached engines by name, and the games that wait for one of them."""

    def __init__(self) -> None:
        """Create an empty registry."""
        # Those that are attached now.
        self._links: dict[str, EngineLink] = {}
        # The names of all engines that are or were attached.
        self._seen: set[str] = set()
        # The games that wait for a name, in the order in which they asked; no empty lists.
        self._waiting: dict[str, list[Deferred[EngineLink]]] = {}

    @property
    def names(self) -> list[str]:
        """The names of the attached engines, sorted."""
        return sorted(self._links)

    @property
    def free_names(self) -> list[str]:
        """The names of those that play no game and owe no reply, sorted."""
        links = self._links.items()
        return sorted(name for name, link in links if link.idle and not link.taken)

    def refusal(self, name: str) -> str | None:
        """Return why an engine of this name cannot be added; None if it can."""
        return f"the name {name} is taken" if name in self._links else None

    def add(self, link: EngineLink) -> str | None:
        """Add an engine; returns the refusal if its name is taken."""
        refusal = self.refusal(link.name)
        if refusal is not None:
            return refusal
        self._links[link.name] = link
        self._seen.add(link.name)
        self.free(link)
        return None

    def has_seen(self, name: str) -> bool:
        """Return whether an engine of this name is or was attached."""
        return name in self._seen

    def remove(self, link: EngineLink) -> None:
        """Remove an engine that has disconnected."""
        if self._links.get(link.name) is link:
            del self._links[link.name]

    def disconnect_free(self) -> None:
        """Disconnect the engines that are free; they may attach again."""
        for name in self.free_names:
            self._links[name].close()

    def free(self, link: EngineLink) -> None:
        """Free an engine, and pass it to the game that has waited longest for it, if any."""
        link.taken = False
        waiting = self._waiting.get(link.name)
        if waiting:
            link.taken = True
            first = waiting[0]
            self._forget(link.name, first)
            first.callback(link)

    def wait(self, name: str) -> Deferred[EngineLink]:
        """Return a Deferred that fires with the engine ``name`` once it is free, and takes it.

        It can be cancelled.
        """
        link = self._links.get(name)
        if link is not None and link.idle and not link.taken:
            link.taken = True
            return succeed(link)
        waiting: Deferred[EngineLink] = Deferred(lambda cancelled: self._forget(name, cancelled))
        self._waiting.setdefault(name, []).append(waiting)
        return waiting

    def _forget(self, name: str, waiting: Deferred[EngineLink]) -> None:
        self._waiting[name].remove(waiting)
        if not self._waiting[name]:
            del self._waiting[name]
