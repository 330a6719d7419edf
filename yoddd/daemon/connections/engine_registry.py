"""The attached engines of a daemon, by name."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.connections.attachment import Attachment, Claim
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.protocol.errors import Code
from yoddd.protocol.origin import fold


@attrs.frozen(eq=False)
class _Wait:
    """A game that waits for an engine; without a ``claim`` it takes any of that name."""

    done: Deferred[EngineLink]
    claim: Claim | None
    goes_on: bool

    def takes(self, link: EngineLink) -> bool:
        if self.claim is None:
            return True
        allows = self.claim.permits if self.goes_on else self.claim.allows
        return allows(link.attachment)


class EngineRegistry:
    """The attached engines by name, and the games that wait for one of them.

    Case makes no difference to names. The name of an engine that has disconnected is kept for it.
    """

    def __init__(
        self,
        now: Callable[[], float],
        settings: CurrentSettings | None = None,
    ) -> None:
        """Create an empty registry; ``settings`` says how long a name is kept, by ``now``."""
        self._now = now
        self._settings = settings or CurrentSettings()
        # Those that are attached now, by folded name.
        self._links: dict[str, EngineLink] = {}
        # Those that have disconnected, by folded name, each with the time until which its name is
        # kept; overdue ones are dropped when another one disconnects.
        self._former: dict[str, tuple[Attachment, float]] = {}
        # The games that wait for a folded name, in the order in which they asked; never empty.
        self._waiting: dict[str, list[_Wait]] = {}

    @property
    def names(self) -> list[str]:
        """The names of the attached engines, sorted."""
        return [one.name for one in self.attachments]

    @property
    def attachments(self) -> list[Attachment]:
        """The attachments of the engines, sorted by name."""
        found = (link.attachment for link in self._links.values())
        return sorted(found, key=lambda one: one.name)

    @property
    def free_names(self) -> list[str]:
        """The names of those that play no game and owe no reply, sorted."""
        return sorted(link.name for link in self._links.values() if link.idle and not link.taken)

    def find(self, name: str) -> EngineLink | None:
        """The engine of this name, if it is attached."""
        return self._links.get(fold(name))

    def add(self, link: EngineLink, accepted: Callable[[], None] = lambda: None) -> str | None:
        """Add an engine; returns the refusal if its name is another one's.

        One that has the secret of an attached one takes its place. Calls ``accepted`` before a game
        that waits for the engine gets it.
        """
        key = fold(link.name)
        holder = self._links.get(key)
        if holder is not None:
            if not link.attachment.has_secret_of(holder.attachment):
                return f"the name {link.name} is taken"
            holder.replace()
        refusal = self._check_name(key, link.attachment)
        if refusal is not None:
            return refusal
        if key in self._former:
            link.attachment = link.attachment.after(self._former.pop(key)[0])
        self._links[key] = link
        accepted()
        self.free(link)
        return None

    def _check_name(self, key: str, attachment: Attachment) -> str | None:
        """Refuse a name that is kept for another engine, which a game may wait for."""
        former, until = self._former.get(key, (attachment, 0.0))
        left = max(until - self._now(), 1.0 if key in self._waiting else 0.0)
        if left <= 0 or attachment.may_follow(former):
            return None
        return f"{Code.BUSY}: the name {attachment.name} is kept for its engine, {left:.0f} s more"

    def remove(self, link: EngineLink) -> None:
        """Remove an engine that has disconnected; its name is kept for it."""
        key, now = fold(link.name), self._now()
        if self._links.get(key) is not link:
            return
        del self._links[key]
        for other, (_, until) in list(self._former.items()):
            if until <= now and other not in self._waiting:
                del self._former[other]
        self._former[key] = link.attachment, now + self._settings.limits.name_kept

    def free(self, link: EngineLink) -> None:
        """Free an engine, and pass it to the game that has waited longest for it, if any."""
        link.taken = False
        waiting = self._waiting.get(fold(link.name), [])
        found = next((one for one in waiting if one.takes(link)), None)
        if found is not None:
            link.taken = True
            self._forget(fold(link.name), found)
            found.done.callback(link)

    def wait(
        self, name: str, claim: Claim | None = None, *, goes_on: bool = False
    ) -> Deferred[EngineLink]:
        """Return a Deferred that fires with the engine ``name`` once it is free, and takes it.

        With a ``claim`` it takes no engine that this does not allow. A game that ``goes_on`` comes
        before those that have not begun. It can be cancelled.
        """
        key = fold(name)
        link = self._links.get(key)
        wait = _Wait(Deferred(lambda _: self._forget(key, wait)), claim, goes_on)
        if link is not None and link.idle and not link.taken and wait.takes(link):
            link.taken = True
            return succeed(link)
        waiting = self._waiting.setdefault(key, [])
        waiting.append(wait)
        waiting.sort(key=lambda one: not one.goes_on)
        return wait.done

    def _forget(self, key: str, wait: _Wait) -> None:
        waiting = self._waiting[key]
        waiting.remove(wait)
        if not waiting:
            del self._waiting[key]
