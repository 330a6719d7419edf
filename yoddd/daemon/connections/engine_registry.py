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


def _takes(link: EngineLink, claim: Claim | None, *, goes_on: bool) -> bool:
    """Whether a game takes an engine; one that goes on does so whatever the engine begins."""
    if claim is None:
        return True
    return (claim.permits if goes_on else claim.allows)(link.attachment)


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
        # Those that are attached now, by folded name and the number of the copy; never empty.
        self._links: dict[str, dict[int, EngineLink]] = {}
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
        """The attachments of the engines, each of its first copy, sorted by name."""
        found = (copies[min(copies)].attachment for copies in self._links.values())
        return sorted(found, key=lambda one: one.name)

    def describe(self, claim: Claim | None = None) -> list[str]:
        """The lines of ``who``: of all engines, or of those that a claim allows."""
        allowed = [one for one in self.attachments if claim is None or claim.allows(one)]
        return [
            " ".join([one.name, "engine", *one.plays.words])
            + (f" copies={copies}" if (copies := self.count(one.name)) > 1 else "")
            for one in allowed
        ]

    def find(self, name: str) -> EngineLink | None:
        """The engine of this name, if it is attached: its first copy."""
        copies = self._links.get(fold(name), {})
        return copies[min(copies)] if copies else None

    def count(self, name: str) -> int:
        """The number of copies of an engine: the games that it can play at once."""
        return len(self._links.get(fold(name), {}))

    def is_free(self, name: str, claim: Claim | None = None) -> bool:
        """Whether a copy of an engine plays no game and owes no reply, and the claim allows it."""
        return self._free_copy(fold(name), claim) is not None

    def _free_copy(
        self, key: str, claim: Claim | None, *, goes_on: bool = False
    ) -> EngineLink | None:
        for _, link in sorted(self._links.get(key, {}).items()):
            if link.idle and not link.taken and _takes(link, claim, goes_on=goes_on):
                return link
        return None

    def add(self, link: EngineLink, accepted: Callable[[], None] = lambda: None) -> str | None:
        """Add an engine, or a copy of it; returns the refusal if its name is another one's.

        One that has the secret of an attached one takes the place of its copy of the same number.
        Calls ``accepted`` before a game that waits for the engine gets it.
        """
        key, copies = fold(link.name), self._links.get(fold(link.name), {})
        holder = copies.get(link.attachment.copy)
        is_other = any(not link.attachment.is_copy_of(one.attachment) for one in copies.values())
        if is_other or (holder and not link.attachment.has_secret_of(holder.attachment)):
            return f"the name {link.name} is taken"
        if holder is not None:
            holder.replace()
            link.attachment = link.attachment.after(holder.attachment)
        refusal = self._check_name(key, link.attachment)
        if refusal is not None:
            return refusal
        if key in self._former:
            link.attachment = link.attachment.after(self._former.pop(key)[0])
        self._links.setdefault(key, {})[link.attachment.copy] = link
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
        """Remove a copy of an engine that has disconnected; the name is kept for the engine."""
        key, now = fold(link.name), self._now()
        copies = self._links.get(key, {})
        if copies.get(link.attachment.copy) is not link:
            return
        del copies[link.attachment.copy]
        if copies:
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
        takers = (one for one in waiting if _takes(link, one.claim, goes_on=one.goes_on))
        found = next(takers, None)
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
        link = self._free_copy(key, claim, goes_on=goes_on)
        wait = _Wait(Deferred(lambda _: self._forget(key, wait)), claim, goes_on)
        if link is not None:
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
